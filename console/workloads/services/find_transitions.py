"""Find the transitions of workloads in one batch of the engine, for counters."""

from __future__ import annotations

from collections.abc import Iterator

from console.chunks import chunks
from console.engine.model.decision import Decision
from console.engine.state import State
from console.workloads.models import EventType, Workload
from console.workloads.services.batch import Batch
from console.workloads.transitions import Transition, TransitionKind

_KINDS = {
    EventType.REQUEST_ADMITTED: TransitionKind.ADMITTED,
    EventType.REQUEST_REJECTED: TransitionKind.REJECTED,
    EventType.REQUEST_PREEMPTED: TransitionKind.PREEMPTED,
    EventType.REQUEST_FULFILLED: TransitionKind.FINISHED,
    EventType.REQUEST_ABORTED: TransitionKind.WITHDRAWN,
}


#: Transitions that are counted by reason.
_WITH_REASON = (TransitionKind.REJECTED, TransitionKind.PREEMPTED)


def transitions_of(batch: Batch, state: State) -> list[Transition]:
    """
    Return the transitions in *batch*, after *state* has settled.

    A wait lasts from submission to the first admission: a preempted workload that starts again is
    counted as admitted, without a wait.
    """
    return [*_submissions(batch, state), *_from_events(batch)]


def _submissions(batch: Batch, state: State) -> Iterator[Transition]:
    decided: dict[str, Decision] = {}
    for decision, *_ in batch.decisions:
        decided.setdefault(decision.workload, decision)
    for uid in batch.submitted:
        queue = decided[uid].queue if uid in decided else state.queue_of(uid)
        yield Transition(TransitionKind.SUBMITTED, queue)


def _from_events(batch: Batch) -> Iterator[Transition]:
    admitted = [
        uid for event_type, _, uid, *_ in batch.events if event_type is EventType.REQUEST_ADMITTED
    ]
    waits = _waits(batch, admitted)
    for event_type, _, uid, queue, _, data in batch.events:
        kind = _KINDS.get(event_type)
        if kind is not None:
            wait = waits.get(uid) if kind is TransitionKind.ADMITTED else None
            yield Transition(kind, queue, wait, data["reason"] if kind in _WITH_REASON else "")


def _waits(batch: Batch, uids: list[str]) -> dict[str, float]:
    """Return the waits in seconds of those *uids* that start for the first time."""
    first = {uid: batch.submitted[uid] for uid in uids if uid in batch.submitted}
    for some in chunks(uid for uid in uids if uid not in first):
        rows = Workload.objects.filter(uid__in=some, preemptions=0)
        first |= dict(rows.values_list("uid", "submitted_at"))
    return {uid: (batch.now - submitted_at).total_seconds() for uid, submitted_at in first.items()}
