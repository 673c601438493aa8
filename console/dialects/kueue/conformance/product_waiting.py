"""The product's reasons of pending workloads, in the terms of the cases."""

from __future__ import annotations

from collections.abc import Mapping

from console.dialects.kueue.conformance.answers import Condition, HeadCode, HeadVerdict
from console.dialects.kueue.conformance.case_terms import no_fit_condition, reasons_by_pod_set
from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.nominate import QuotaNomination
from console.engine.disciplines.quota.reasons import EXCEEDS_MAX_QUOTA, WAITING_FOR_QUOTA
from console.engine.model.common_reasons import (
    BEHIND_OTHERS,
    NO_FLAVOR_MATCHED,
    QUEUE_MISCONFIGURED,
    QUEUE_STOPPED,
    WAITING_FOR_PREEMPTED,
)
from console.engine.model.trace import LocalQueueVerdict, TurnVerdict
from console.engine.pending.pending_class import Pending, PendingClass, Verdict
from console.engine.routing.reasons import LOCAL_QUEUE_MISSING, NAMESPACE_NOT_ALLOWED
from console.engine.state import State

_CONDITIONS = {
    EXCEEDS_MAX_QUOTA: Condition.EXCEEDS_MAX_QUOTA,
    NO_FLAVOR_MATCHED: Condition.NO_MATCHING_FLAVOR,
    WAITING_FOR_QUOTA: Condition.WAITING_FOR_QUOTA,
    BEHIND_OTHERS: Condition.WAITING_FOR_QUOTA,
    WAITING_FOR_PREEMPTED: Condition.WAITING_FOR_PREEMPTED_WORKLOADS,
    NAMESPACE_NOT_ALLOWED: Condition.MISCONFIGURED,
    LOCAL_QUEUE_MISSING: Condition.MISCONFIGURED,
    QUEUE_STOPPED: Condition.SUSPENDED,
    QUEUE_MISCONFIGURED: Condition.SUSPENDED,
}
_TURNS = {
    TurnVerdict.OVERTAKEN: HeadCode.OVERTAKEN,
    TurnVerdict.STILL_HELD: HeadCode.OVERTAKEN,
    TurnVerdict.CIRCLE: HeadCode.OVERTAKEN,
    TurnVerdict.VICTIMS_TAKEN: HeadCode.VICTIMS_TAKEN,
}


def pending_conditions(state: State, before: Mapping[str, Condition]) -> dict[str, Condition]:
    """Return the reasons of all pending workloads; without a turn, the earlier reason remains."""
    said = {name: _condition(state, pending) for name, pending in state.pending.items()}
    return {
        name: before.get(name, word) if word is Condition.PENDING_EVALUATION else word
        for name, word in said.items()
    }


def head_verdict(state: State, pending: Pending) -> HeadVerdict:
    """Return the result of one cycle for *pending*, which is still pending."""
    if pending.route.queue is None:
        return HeadVerdict(reason=_unrouted_condition(pending), code=_unrouted_code(state, pending))
    queue, cls = _class_of(state, pending)
    if queue.barrier is not None:
        return HeadVerdict(reason=Condition.SUSPENDED, code=HeadCode.CLUSTER_QUEUE_INACTIVE)
    if pending.route.problem is not None:
        return HeadVerdict(reason=Condition.MISCONFIGURED, code=HeadCode.WRONG_NAMESPACE)
    waiting = queue.preemptors.get(pending.workload.id)
    if waiting is not None:
        found = waiting.nomination
        assert isinstance(found, QuotaNomination)
        code = HeadCode.PREEMPTING if found.targets else HeadCode.WAITS_FOR_OTHERS
        return HeadVerdict(
            reason=Condition.WAITING_FOR_PREEMPTED_WORKLOADS,
            code=code,
            victims=len(found.targets) or None,
            pod_sets=reasons_by_pod_set(found.result),
        )
    verdict = _own_verdict(queue, cls, pending)
    if verdict is None or cls is None:
        return HeadVerdict(reason=Condition.PENDING_EVALUATION, code=HeadCode.NOT_EVALUATED)
    reason = _condition_of(verdict)
    if queue.pending.is_inadmissible(cls) and cls.head is not pending:
        return HeadVerdict(reason=reason, code=HeadCode.SAME_AS_PARKED)
    found = verdict.nomination
    assert isinstance(found, QuotaNomination)
    if verdict.turn is not None:
        return HeadVerdict(reason=reason, code=_TURNS[verdict.turn.verdict])
    code = HeadCode.NO_ROOM if found.result.no_fit is not None else HeadCode.NO_VICTIMS
    return HeadVerdict(reason=reason, code=code, pod_sets=reasons_by_pod_set(found.result))


def _condition(state: State, pending: Pending) -> Condition:
    problem = pending.route.problem
    if pending.route.queue is None:
        assert problem is not None, "a workload without a queue has a reason"
        return _CONDITIONS[problem]
    queue, cls = _class_of(state, pending)
    # An inactive queue takes precedence over a namespace that it does not accept (Kueue).
    if queue.barrier is not None:
        return _CONDITIONS[queue.barrier]
    if problem is not None:
        return _CONDITIONS[problem]
    verdict = _own_verdict(queue, cls, pending)
    if verdict is None:
        return Condition.PENDING_EVALUATION
    return _condition_of(verdict)


def _condition_of(verdict: Verdict) -> Condition:
    """Return the condition of *verdict*; like in Kueue, it refers to the full request."""
    found = verdict.nomination
    if isinstance(found, QuotaNomination) and found.smallest is not None and verdict.turn is None:
        return no_fit_condition(found.result.no_fit) or Condition.WAITING_FOR_QUOTA
    return _CONDITIONS[verdict.reason]


def _class_of(state: State, pending: Pending) -> tuple[QuotaQueue, PendingClass | None]:
    queue = state.queues[pending.route.queue or ""]
    return queue, queue.pending.classes.get(pending.class_key)


def _own_verdict(queue: QuotaQueue, cls: PendingClass | None, pending: Pending) -> Verdict | None:
    """Return the verdict of a cycle on this workload, or on an inadmissible one of its class."""
    if (
        cls is None
        or cls.verdict is None
        or (not queue.pending.is_inadmissible(cls) and cls.head is not pending)
    ):
        return None
    return cls.verdict


def _unrouted_condition(pending: Pending) -> Condition:
    step = pending.route.local_queue
    stopped = step is not None and step.verdict is LocalQueueVerdict.STOPPED
    return Condition.SUSPENDED if stopped else Condition.MISCONFIGURED


def _unrouted_code(state: State, pending: Pending) -> HeadCode:
    step = pending.route.local_queue
    assert step is not None
    if step.verdict is LocalQueueVerdict.STOPPED:
        return HeadCode.LOCAL_QUEUE_STOPPED
    if step.verdict is LocalQueueVerdict.QUEUE_MISSING:
        return HeadCode.CLUSTER_QUEUE_MISSING
    return HeadCode.LOCAL_QUEUE_MISSING
