"""Why a workload is where it is: from rows to an explanation, without the whole world."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet, Sum
from django.utils import timezone

from console.engine.decision import Outcome, Reason
from console.engine.explain import Explanation, explain, mentioned
from console.engine.state import State
from console.engine.trace import OrderStep, OutcomeStep, Trace, trace_from_json
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import Decision, Engine, PendingClass, QueueHold, Workload
from console.workloads.services.load_state import (
    COLUMNS,
    adopt_running,
    engine_workload,
    load_policy,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An explanation, the facts it words, and what it was judged on."""

    explanation: Explanation
    trace: Trace
    #: Version whose lines the origins point at; 0 when none was applied.
    config_version: int
    evaluated_at: datetime
    #: Whether it was judged just now, on the live state, or when it was decided.
    live: bool
    #: Display names of the workloads that the trace speaks of, by id.
    names: dict[str, str]


def explain_workload(org: Organization, workload: Workload) -> Explained:
    """
    Return why *workload* is where it is.

    A pending one is judged anew, on what runs in its queue at this moment; any
    other shows the decision that put it where it is. One whose room is being
    made shows the decision to make it, and who has yet to stop.
    """
    if workload.state == models.State.PENDING and workload.assignment:
        return _explain_promise(workload)
    if workload.state == models.State.PENDING and workload.reason != Reason.NOT_EVALUATED:
        live = _explain_live(org, workload)
        if live is not None:
            return live
    decided = workload.decisions.exclude(outcome=Outcome.PENDING).order_by("-pk").first()
    if workload.state == models.State.PENDING or decided is None:
        decided = workload.decisions.order_by("-pk").first()
    return explain_decision(decided) if decided is not None else _unseen(workload)


def explain_decision(decision: Decision) -> Explained:
    """Return one stored decision in words."""
    trace = trace_from_json(decision.trace)
    return _worded(trace, decision.config_version, evaluated_at=decision.created_at, live=False)


def _explain_promise(workload: Workload) -> Explained:
    decision = workload.decisions.order_by("-pk")[0]
    trace = trace_from_json(decision.trace)
    stopping = Workload.objects.filter(
        uid__in=workload.victims, state=models.State.PREEMPTING
    ).values_list("uid", flat=True)
    outcome = replace(trace.outcome, victims=tuple(sorted(stopping)))
    return _worded(
        replace(trace, outcome=outcome),
        decision.config_version,
        evaluated_at=timezone.now(),
        live=True,
    )


def _explain_live(org: Organization, workload: Workload) -> Explained | None:
    version = Engine.objects.values_list("config_version", flat=True).get(org=org)
    state = State(load_policy(org, version))
    rows = Workload.objects.filter(org=org)
    queue = workload.queue
    if queue is None or queue not in state.policy.queues:
        return None
    if QueueHold.objects.filter(org=org, queue=queue).exists():
        state.hold(queue)
    adopt_running(state, rows.filter(queue=queue), version)
    waiting = rows.filter(queue=queue, state=models.State.PENDING)
    # Those whose room is being made have a claim on it. They are few, in all queues
    # together, so the reason alone is asked for: it leads to the shortest index range.
    promised = rows.filter(reason=Reason.WAITING_FOR_PREEMPTED)
    columns = ("queue", "priority", "state", "assignment", "victims")
    for row in promised.order_by("pk").values_list(*COLUMNS, *columns):
        where, priority, phase, assignment, victims = row[len(COLUMNS) :]
        if where == queue and phase == models.State.PENDING and assignment:
            state.promise(
                engine_workload(row),
                queue=where,
                priority=priority,
                assignment=assignment,
                victims=victims,
            )
    uid = workload.uid
    if not state.knows(uid):
        own = rows.filter(pk=workload.pk).values_list(*COLUMNS).first()
        if own is None:
            return None
        state.submit(engine_workload(own))
    state.settle()
    if uid not in state.pending:
        # The worker is about to admit it: the rows have moved on.
        return None
    trace = state.explain(uid)
    if trace.order is not None:
        trace = replace(trace, order=_order(org, workload, waiting))
    return _worded(trace, version, evaluated_at=timezone.now(), live=True)


def _order(org: Organization, workload: Workload, waiting: QuerySet[Workload]) -> OrderStep:
    classes = PendingClass.objects.filter(org=org, queue=workload.queue)
    higher = classes.filter(priority__gt=workload.priority).aggregate(n=Sum("count"))["n"] or 0
    earlier = waiting.filter(priority=workload.priority, pk__lt=workload.pk).count()
    count = models.QueueCount.objects.filter(org=org, queue=workload.queue).first()
    own = classes.filter(key=workload.pending_class).first()
    return OrderStep(
        position=higher + earlier + 1,
        pending=max(count.pending if count else 1, higher + earlier + 1),
        alike=own.count if own else 1,
    )


def _unseen(workload: Workload) -> Explained:
    trace = Trace(
        workload=workload.uid,
        labels=workload.label_set.labels,
        requests=workload.requests,
        requested_priority=workload.requested_priority,
        outcome=OutcomeStep(outcome=Outcome.PENDING, reason=Reason.NOT_EVALUATED, assignment={}),
    )
    return _worded(trace, 0, evaluated_at=workload.submitted_at, live=False)


def _worded(trace: Trace, version: int, *, evaluated_at: datetime, live: bool) -> Explained:
    rows = Workload.objects.filter(uid__in=mentioned(trace)).values_list("uid", "name")
    names = dict(rows)
    return Explained(
        explanation=explain(trace, names),
        trace=trace,
        config_version=version,
        evaluated_at=evaluated_at,
        live=live,
        names=names,
    )
