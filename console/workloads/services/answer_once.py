"""Requests with an idempotency key: a repeated request returns the first response."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeAlias

from django.db import IntegrityError, transaction

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.permissions import Actor
from console.workloads.models import IdempotentAnswer

#: Maximum number of characters of a key.
LONGEST_KEY = 150

#: Prepares a request without writing; returns its response, and the function that writes it.
Prepare: TypeAlias = Callable[[], tuple[dict[str, Any], Callable[[], None]]]


def answer_once(actor: Actor, key: str, content: Any, prepare: Prepare) -> dict[str, Any]:
    """
    Execute a request unless the actor used *key* before; return the response of the first one.

    *content* identifies the request, as JSON values. Of concurrent requests with the key, one
    writes and the others wait for its response. Raises BadRequest for an invalid key, and Conflict
    (``idempotency_key_reused``) if the key was used for another request.
    """
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        message = f"A key has 1 to {LONGEST_KEY} printable ASCII characters."
        raise BadRequest([FieldError("Idempotency-Key", "invalid_key", message)])
    # A key belongs to its actor, so that responses of others are never returned by accident.
    row = IdempotentAnswer(org=actor.org, key=f"{actor.key} {key}", digest=_digest(content))
    first = _first_answer(row)
    if first is not None:
        return first
    try:
        return _write(row, prepare)
    except IntegrityError:
        # Either a concurrent request used this key first, or a row was deleted after the request
        # has read it. A second attempt reads again.
        first = _first_answer(row)
        return _write(row, prepare) if first is None else first


def _write(row: IdempotentAnswer, prepare: Prepare) -> dict[str, Any]:
    answer, write = prepare()
    row.pk, row.answer = None, answer
    with transaction.atomic():
        # The first statement, so that a concurrent request with this key waits or fails here.
        row.save(force_insert=True)
        write()
    return answer


def _first_answer(row: IdempotentAnswer) -> dict[str, Any] | None:
    found = IdempotentAnswer.objects.filter(org=row.org, key=row.key).first()
    if found is None:
        return None
    if found.digest != row.digest:
        raise Conflict(
            "idempotency_key_reused",
            "This Idempotency-Key was used for another request; give every request its own key.",
        )
    answer: dict[str, Any] = found.answer
    return answer


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
