"""Submit workloads with an idempotency key: a repeated request returns the first response."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.permissions import Actor, Permission
from console.workloads.models import IdempotentAnswer
from console.workloads.services.submit_workloads import prepare, write
from console.workloads.submissions import Submission

#: Maximum number of characters of a key.
LONGEST_KEY = 150


def submit_once(actor: Actor, key: str, submissions: Sequence[Submission]) -> list[str]:
    """
    Submit *submissions* unless the actor used *key* before; return the ids of the first request.

    Of concurrent requests with the key, one writes and the others wait for its response.
    Raises NotAllowed, BadRequest, and Conflict (``idempotency_key_reused``) if the key was used
    for another request.
    """
    actor.require(Permission.SUBMIT)
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        message = f"A key has 1 to {LONGEST_KEY} printable ASCII characters."
        raise BadRequest([FieldError("Idempotency-Key", "invalid_key", message)])
    # A key belongs to its actor, so that responses of others are never returned by accident.
    row = IdempotentAnswer(org=actor.org, key=f"{actor.key} {key}", digest=_digest(submissions))
    first = _first_answer(row)
    if first is not None:
        return first
    try:
        return _write(actor, row, submissions)
    except IntegrityError:
        # Either a concurrent request used this key first, or an unused label set was deleted after
        # it was read. A second attempt creates the set.
        first = _first_answer(row)
        return _write(actor, row, submissions) if first is None else first


def _write(actor: Actor, row: IdempotentAnswer, submissions: Sequence[Submission]) -> list[str]:
    batch = prepare(actor, submissions)
    ids = [workload.uid for workload in batch.workloads]
    row.pk, row.answer = None, {"ids": ids}
    with transaction.atomic():
        # The first statement, so that a concurrent request with this key waits or fails here.
        row.save(force_insert=True)
        write(batch)
    return ids


def _first_answer(row: IdempotentAnswer) -> list[str] | None:
    found = IdempotentAnswer.objects.filter(org=row.org, key=row.key).first()
    if found is None:
        return None
    if found.digest != row.digest:
        raise Conflict(
            "idempotency_key_reused",
            "This Idempotency-Key was used for another request; give every request its own key.",
        )
    ids: list[str] = found.answer["ids"]
    return ids


def _digest(submissions: Sequence[Submission]) -> str:
    canonical = json.dumps([_content(one) for one in submissions], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _content(submission: Submission) -> dict[str, Any]:
    """Return the content that identifies a request, without absent optional facts."""
    content = asdict(submission)
    for fact in ("preemptible", "placement"):
        if content[fact] is None:
            # Stored digests are older than these fields.
            del content[fact]
    return content
