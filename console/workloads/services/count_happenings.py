"""Events of workloads in one batch of the engine, for counters."""

from __future__ import annotations

from collections.abc import Iterator

from console.chunks import chunks
from console.engine.model.decision import Decision
from console.engine.state import State
from console.workloads.happenings import Happening, What
from console.workloads.models import EventType, Workload
from console.workloads.services.batch import Batch

_TOLD = {
    EventType.REQUEST_ADMITTED: What.ADMITTED,
    EventType.REQUEST_REJECTED: What.REJECTED,
    EventType.REQUEST_PREEMPTED: What.PREEMPTED,
    EventType.REQUEST_FULFILLED: What.FINISHED,
    EventType.REQUEST_ABORTED: What.WITHDRAWN,
}


#: Events that are counted by reason.
_WITH_REASON = (What.REJECTED, What.PREEMPTED)


def happenings_of(batch: Batch, state: State) -> list[Happening]:
    """
    Return the events of *batch*, after *state* has settled.

    A wait lasts from submission to the first admission: a preempted workload that starts again is
    counted as admitted, without a wait.
    """
    return [*_submitted(batch, state), *_told(batch)]


def _submitted(batch: Batch, state: State) -> Iterator[Happening]:
    decided: dict[str, Decision] = {}
    for decision, *_ in batch.decisions:
        decided.setdefault(decision.workload, decision)
    for uid in batch.submitted:
        queue = decided[uid].queue if uid in decided else state.queue_of(uid)
        yield Happening(What.SUBMITTED, queue)


def _told(batch: Batch) -> Iterator[Happening]:
    admitted = [uid for kind, _, uid, *_ in batch.events if kind is EventType.REQUEST_ADMITTED]
    waits = _waits(batch, admitted)
    for kind, _, uid, queue, _, data in batch.events:
        what = _TOLD.get(kind)
        if what is not None:
            wait = waits.get(uid) if what is What.ADMITTED else None
            yield Happening(what, queue, wait, data["reason"] if what in _WITH_REASON else "")


def _waits(batch: Batch, uids: list[str]) -> dict[str, float]:
    """Return the waits in seconds of those *uids* that start for the first time."""
    first = {uid: batch.submitted[uid] for uid in uids if uid in batch.submitted}
    for some in chunks(uid for uid in uids if uid not in first):
        rows = Workload.objects.filter(uid__in=some, preemptions=0)
        first |= dict(rows.values_list("uid", "submitted_at"))
    return {uid: (batch.now - submitted_at).total_seconds() for uid, submitted_at in first.items()}
