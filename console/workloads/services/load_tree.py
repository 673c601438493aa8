"""Load trees of queues for the evaluation of some pending workloads, without irrelevant rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import QuerySet

from console.chunks import chunks
from console.engine.disciplines import load_discipline
from console.engine.live.live_tree import AnyQueue
from console.engine.live.running import Running
from console.engine.model.common_reasons import WAITING_FOR_PREEMPTED
from console.engine.model.load_plan import RowsToLoad
from console.engine.model.workload import Workload as EngineWorkload
from console.engine.pending.pending_class import min_requests_of
from console.engine.state import State
from console.orgs.models import Organization
from console.unions import union_querysets
from console.workloads import models
from console.workloads.models import QueueCount, QueueHold, Workload
from console.workloads.org_filter import in_org
from console.workloads.services.charged_ledger import ChargedLedger, FirstRunning, first_to_stop
from console.workloads.services.keep_usage_history import load_usage_history
from console.workloads.services.load_nodes import load_nodes
from console.workloads.services.load_requests import load_requests
from console.workloads.services.load_state import (
    COLUMNS,
    engine_workload,
    engine_workloads,
    restore_running,
)
from console.workloads.stored_pod_sets import decode_pod_sets


def load_trees(
    org: Organization,
    workloads: Sequence[Workload],
    config_version: int,
    charged: ChargedLedger,
    *,
    now: int = 0,
) -> State:
    """
    Return a state at *now* with pending *workloads*, except those whose queue is not in the policy.

    Its ledger is that of *charged*, with the usage of queues under *config_version*.

    A workload without a queue needs no other workloads, because the policy rules it out. For any
    other one, the state contains the running workloads of its tree that might be preempted for it,
    and as many others as an explanation lists; the usage of the rest is charged as a sum. Of the
    pending ones, it contains those with preempted workloads that are stopping, and those to which
    this one yields. The cost does not grow with the number of running or pending workloads, and
    the number of statements does not grow with the queues of a tree or with *workloads*.
    """
    state = State(charged.policy, is_sparse=True, ledger=charged.ledger, now=now)
    create_queues(state, org)
    here = {each.pk: _queue_of(state, each) for each in workloads if each.queue is not None}
    in_queues = [(queue, each) for each in workloads if (queue := here.get(each.pk)) is not None]
    trees = dict.fromkeys(queue.tree for queue, _ in in_queues)
    names = [each.name for tree in trees for each in tree.queues]
    if names:
        _restore_trees(state, org, names, in_queues, config_version, charged)
        _resubmit_preemptors(state, org, names)
        _submit(state, _workloads_ahead(org, in_queues))
        load_nodes(state, org)
        load_usage_history(state, org)
    requested = {
        each.pk: each for each in workloads if each.queue is None or here[each.pk] is not None
    }
    for some in chunks(requested):
        for each in engine_workloads(Workload.objects.filter(pk__in=some)):
            if state.has_workload(each.id):
                continue
            row = requested[each.sequence]
            if row.queue is None:
                state.submit(each)
            else:
                state.resubmit(each, None, yields_to=row.preemptor)
    state.take_in_arrivals()
    load_requests(state, org)
    return state


def create_queues(state: State, org: Organization) -> None:
    """Create the queues of *org* that placement rules have created for workloads."""
    policy = state.policy
    if not policy.spec.creates_queues:
        return
    counts = QueueCount.objects.filter(org=org).exclude(running=0, pending=0)
    for name in counts.order_by("queue").values_list("queue", flat=True):
        if name not in policy.queues and policy.queue(name) is not None:
            state.queue(name)


def _queue_of(state: State, workload: Workload) -> AnyQueue | None:
    queue = state.queue(workload.queue or "")
    return queue if queue.policy is not None else None


def _restore_trees(
    state: State,
    org: Organization,
    names: Sequence[str],
    waiting: Sequence[tuple[AnyQueue, Workload]],
    config_version: int,
    charged: ChargedLedger,
) -> None:
    """Restore the running workloads of the queues *names* that matter for those *waiting*."""
    for name in QueueHold.objects.filter(org=org).values_list("queue", flat=True):
        if name in names:
            state.hold(name)
    # The usage shows which queues are over nominal quota, and so which workloads to read.
    charged.charge(org, names)
    named: dict[FirstRunning, None] = {}
    lists = list(_running_rows(state, org, waiting, named))
    # Stopping workloads, because the workloads that wait for them claim their quota.
    keys = [*charged.stopping(org, names), *charged.first_to_stop(org, named)]
    lists += [Workload.objects.filter(pk__in=some) for some in chunks(keys)]
    restore_running(state, union_querysets(lists), config_version)
    restored: dict[str, list[Running]] = {}
    for each in state.running.values():
        restored.setdefault(each.queue or "", []).append(each)
    for name, some in restored.items():
        charged.remove_double_charges(name, some)
    for name in names:
        there = state.queues[name]
        there.summed_up = max(0, charged.running[name] - len(there.running))


def _running_rows(
    state: State,
    org: Organization,
    waiting: Sequence[tuple[AnyQueue, Workload]],
    named: dict[FirstRunning, None],
) -> Iterator[QuerySet[Workload]]:
    """
    Yield the running workloads that the discipline needs for those *waiting*.

    Queues of which the first few workloads are enough are added to *named*.
    """
    # Workloads of the same queue and priority have the same load plan.
    kinds: dict[tuple[str, int], tuple[AnyQueue, list[Workload]]] = {}
    for queue, workload in waiting:
        key = queue.name, workload.priority or 0
        kinds.setdefault(key, (queue, []))[1].append(workload)
    lowest = _lowest(org, {name for name, _ in kinds})
    running = Workload.objects.filter(org=org, state=models.State.ADMITTED)
    discipline = load_discipline(state.policy.discipline)
    for (name, priority), (queue, alike) in kinds.items():
        requests = [min_requests_of(_with_requests(each)) for each in alike]
        plan = discipline.load_plan(state.policy, queue, requests, priority, lowest.get(name))
        named.update(dict.fromkeys(plan.first.items()))
        for rows in plan.rows:
            for some in chunks(rows.queues):
                yield first_to_stop(_planned_rows(running, rows, some), rows.most)


def _planned_rows(
    running: QuerySet[Workload], rows: RowsToLoad, queues: Sequence[str]
) -> QuerySet[Workload]:
    found = (
        running.filter(queue=queues[0]) if len(queues) == 1 else running.filter(queue__in=queues)
    )
    if rows.below is not None:
        found = found.filter(priority__lt=rows.below)
    if rows.not_below is not None:
        found = found.exclude(priority__lt=rows.not_below)
    return found


def _lowest(org: Organization, names: Iterable[str]) -> dict[str, int]:
    """Return the lowest priority of running workloads in each of the queues *names*, if any."""
    running = Workload.objects.filter(org=org, state=models.State.ADMITTED)
    firsts = (running.filter(queue=name).order_by("priority")[:1] for name in sorted(names))
    return {
        queue: priority or 0
        for rows in union_querysets(firsts)
        for queue, priority in rows.values_list("queue", "priority")
        if queue is not None
    }


def _with_requests(workload: Workload) -> EngineWorkload:
    """Return the engine's workload with only the requests of *workload*."""
    pod_sets = decode_pod_sets(workload.pod_sets, workload.requests)
    return EngineWorkload(id=workload.uid, sequence=workload.pk, pod_sets=pod_sets)


def _resubmit_preemptors(state: State, org: Organization, names: Sequence[str]) -> None:
    # Pending workloads with preempted ones that are stopping, because they claim quota. There are
    # few in all queues, so the reason is the only condition: it selects the shortest index range.
    waiting = Workload.objects.filter(org=org, reason=WAITING_FOR_PREEMPTED)
    columns = ("queue", "priority", "rule_index", "pending_class", "state", "victims")
    for row in waiting.order_by("pk").values_list(*COLUMNS, *columns):
        queue, priority, rule, pending_class, phase, victims = row[len(COLUMNS) :]
        if queue in names and phase == models.State.PENDING and victims:
            state.resubmit(engine_workload(row), (queue, priority, rule, pending_class), victims)


def _workloads_ahead(
    org: Organization, waiting: Sequence[tuple[AnyQueue, Workload]]
) -> Iterator[QuerySet[Workload]]:
    """Yield the workloads to which those *waiting* yield, and the heads of their strict queues."""
    pending = Workload.objects.filter(org=org, state=models.State.PENDING)
    preemptors = [workload.preemptor for _, workload in waiting if workload.preemptor]
    lists = [
        in_org(Workload.objects.filter(uid__in=some, state=models.State.PENDING), org)
        for some in chunks(preemptors)
    ]
    strict = dict.fromkeys(queue.name for queue, _ in waiting if queue.pending.is_strict)
    lists += [pending.filter(queue=name).order_by("-priority", "pk")[:1] for name in strict]
    own = [workload.pk for _, workload in waiting]
    for rows in union_querysets(lists):
        yield rows.exclude(pk__in=own)


def _submit(state: State, parts: Iterable[QuerySet[Workload]]) -> None:
    for rows in parts:
        for each in engine_workloads(rows):
            if not state.has_workload(each.id):
                state.submit(each)
