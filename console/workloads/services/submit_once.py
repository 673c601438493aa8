"""Submit workloads with an idempotency key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from console.orgs.permissions import Actor, Permission
from console.workloads.services.answer_once import answer_once
from console.workloads.services.submit_workloads import prepare, write
from console.workloads.submissions import Submission


def submit_once(actor: Actor, key: str, submissions: Sequence[Submission]) -> list[str]:
    """
    Submit *submissions* unless the actor used *key* before; return the ids of the first request.

    Raises NotAllowed, and what `answer_once` raises.
    """
    actor.require(Permission.SUBMIT)

    def begin() -> tuple[dict[str, Any], Callable[[], None]]:
        batch = prepare(actor, submissions)
        return {"ids": [workload.uid for workload in batch.workloads]}, partial(write, batch)

    content = [_content(one) for one in submissions]
    ids: list[str] = answer_once(actor, key, content, begin)["ids"]
    return ids


def _content(submission: Submission) -> dict[str, Any]:
    """Return the content that identifies a request, without absent optional facts."""
    content = asdict(submission)
    for fact in ("preemptible", "placement", "max_run_seconds"):
        if content[fact] is None:
            # Stored digests are older than these fields.
            del content[fact]
    return content
