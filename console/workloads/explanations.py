"""Explanations of pending, running and ended workloads, from rows instead of a full state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q, Sum
from django.utils import timezone

from console.engine.explain import Explanation, explain, mentioned
from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.engine.model.trace import OrderStep, OutcomeStep, PodSetStep, Trace
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.ledger_cache import cached_ledger
from console.workloads.models import Decision, Engine, PendingClass, Workload
from console.workloads.queries.demand import cannot_run_reasons, reasons_without_position
from console.workloads.queries.workloads import earlier_in_queue
from console.workloads.services.load_tree import load_trees
from console.workloads.stored_decisions import traces_of
from console.workloads.stored_pod_sets import decode_pod_sets
from console.workloads.tree_cache import cached_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An explanation, its trace, and the time and config version of the evaluation."""

    explanation: Explanation
    trace: Trace
    #: Config version that the origins refer to; 0 if none was applied.
    config_version: int
    evaluated_at: datetime
    #: Whether the workload was evaluated now on the live state, instead of by a stored decision.
    live: bool
    #: Display names of the workloads in the trace, by id.
    names: Mapping[str, str]
    #: Ids of workloads whose names the reader may not see; *names* has a replacement for each.
    hidden: frozenset[str] = frozenset()


def explain_workload(org: Organization, workload: Workload) -> Explained:
    """
    Return why *workload* is in its current state.

    A pending workload is evaluated again under the current config and with the running workloads
    of its tree. For any other one, the explanation is that of the decision that led to its state.
    """
    (explained,) = explain_workloads(org, [workload])
    return explained


def explain_workloads(org: Organization, workloads: Sequence[Workload]) -> list[Explained]:
    """Return `explain_workload` of each of *workloads*, all evaluated on one state."""
    live = _explain_live(org, [each for each in workloads if _is_evaluated(each)])
    return [live.get(each.uid) or _explain_last(org, each) for each in workloads]


def _is_evaluated(workload: Workload) -> bool:
    return workload.state == models.State.PENDING and workload.reason != NOT_EVALUATED


def _explain_last(org: Organization, workload: Workload) -> Explained:
    decided = workload.decisions.exclude(outcome=Outcome.PENDING).order_by("-pk").first()
    if workload.state == models.State.PENDING or decided is None:
        decided = workload.decisions.order_by("-pk").first()
    return explain_decision(org, decided) if decided is not None else _explain_unevaluated(workload)


def explain_decision(org: Organization, decision: Decision) -> Explained:
    """Return the explanation of one stored decision."""
    (explained,) = explain_decisions(org, [decision])
    return explained


def explain_decisions(org: Organization, decisions: Iterable[Decision]) -> list[Explained]:
    """Return explanations of stored decisions of *org*; each config version is read once."""
    return explain_traces(traces_of(org, decisions))


def explain_traces(traces: Iterable[tuple[Decision, Trace]]) -> list[Explained]:
    """Return explanations of the decisions and traces that `traces_of` yields."""
    return [
        _explained(trace, each.config_version, evaluated_at=each.created_at, live=False)
        for each, trace in traces
    ]


def _explain_live(org: Organization, workloads: Sequence[Workload]) -> dict[str, Explained]:
    """Return live explanations of pending *workloads* by id, except where rows are outdated."""
    if not workloads:
        return {}
    engine = Engine.objects.get(org=org)
    version = engine.config_version
    traces = _live_traces(org, engine, workloads)
    now = timezone.now()
    return {
        trace.workload: _explained(trace, version, evaluated_at=now, live=True)
        for trace in traces
        if trace is not None
    }


def _live_traces(
    org: Organization, engine: Engine, workloads: Sequence[Workload]
) -> list[Trace | None]:
    if len(workloads) == 1:
        # If a search has just read the whole tree, no rows have to be read.
        with cached_tree(org, workloads[0], engine, may_load=False) as kept:
            if kept is not None:
                return [_live_trace(org, kept[0], workloads[0])]
    with cached_ledger(org, engine) as charged:
        now = engine.advanced_to or 0
        state = load_trees(org, workloads, engine.config_version, charged, now=now)
        return [_live_trace(org, state, each) for each in workloads]


def _live_trace(org: Organization, state: State, workload: Workload) -> Trace | None:
    if workload.uid not in state.pending or state.queue_of(workload.uid) != workload.queue:
        # The rows are outdated: the worker is about to move the workload.
        return None
    trace = state.explain(workload.uid)
    if workload.victims and not trace.outcome.victims:
        # The last victim has stopped, and the worker is about to admit the workload.
        return None
    if trace.order is None:
        return trace
    return replace(trace, order=_order(org, workload, trace.order))


def _order(org: Organization, workload: Workload, found: OrderStep) -> OrderStep:
    """Return *found* with counts from rows, because the sparse queue lacks most workloads."""
    no_position = Q(reason__in=reasons_without_position())
    counted = PendingClass.objects.filter(org=org, queue=workload.queue).aggregate(
        never=Sum("count", filter=Q(reason__in=cannot_run_reasons())),
        out=Sum("count", filter=no_position),
        above=Sum("count", filter=Q(priority__gt=workload.priority) & ~no_position),
        alike=Sum("count", filter=Q(key=workload.pending_class)),
    )
    out, position = counted["out"] or 0, None
    if found.position is not None:
        position = (counted["above"] or 0) + earlier_in_queue(workload).count() + 1
    count = models.QueueCount.objects.filter(org=org, queue=workload.queue).first()
    return replace(
        found,
        position=position,
        pending=max(count.pending - out if count else 0, position or 0),
        alike=counted["alike"] or 1,
        cannot_run=counted["never"] or 0,
    )


def _explain_unevaluated(workload: Workload) -> Explained:
    trace = Trace(
        workload=workload.uid,
        labels=workload.label_set.labels,
        requests=workload.requests,
        requested_priority=workload.requested_priority,
        namespace=workload.namespace,
        pod_sets=_pod_sets(workload),
        outcome=OutcomeStep(outcome=Outcome.PENDING, reason=NOT_EVALUATED),
    )
    return _explained(trace, 0, evaluated_at=workload.submitted_at, live=False)


def _pod_sets(workload: Workload) -> tuple[PodSetStep, ...]:
    if not workload.pod_sets:
        return ()
    return tuple(
        PodSetStep(
            name=pod_set.name,
            count=pod_set.count,
            requests=pod_set.requests,
            min_count=pod_set.min_count,
        )
        for pod_set in decode_pod_sets(workload.pod_sets, workload.requests)
    )


def _explained(trace: Trace, version: int, *, evaluated_at: datetime, live: bool) -> Explained:
    rows = Workload.objects.filter(uid__in=mentioned(trace)).values_list("uid", "name")
    names = dict(rows)
    return Explained(
        explanation=explain(trace, names, has_config=version > 0),
        trace=trace,
        config_version=version,
        evaluated_at=evaluated_at,
        live=live,
        names=names,
    )
