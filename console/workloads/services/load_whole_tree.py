"""Load one tree of queues with all its running workloads and the first pending ones."""

from __future__ import annotations

from django.db.models import F, QuerySet

from console.engine.model.common_reasons import WAITING_FOR_PREEMPTED
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import QueueHold, Workload
from console.workloads.queries.used import counts_of_running, used_of
from console.workloads.services.keep_usage_history import load_usage_history
from console.workloads.services.load_nodes import load_nodes
from console.workloads.services.load_requests import load_requests
from console.workloads.services.load_state import (
    COLUMNS,
    engine_workload,
    load_policy,
    restore_running,
)
from console.workloads.services.load_tree import create_queues

#: Maximum number of running workloads that are read individually, the first in the order of
#: preemption; the usage of the rest is charged as a sum.
_RUNNING = 10_000

#: Maximum number of pending workloads that are read of the queue, and of the tree, in order.
_WAITING = 300


def load_whole_tree(
    org: Organization, workload: Workload, config_version: int, *, now: int = 0
) -> tuple[State, frozenset[str]] | None:
    """
    Return a state at *now* in which *workload* is pending, and the names of the queues in it.

    Any change can be tried on this state. For a workload without a queue, it contains all queues.
    None if its queue is not in the policy.
    """
    policy = load_policy(org, config_version)
    state = State(policy, is_sparse=workload.queue is not None, now=now)
    create_queues(state, org)
    if workload.queue is None:
        names = list(state.queues)
    elif policy.queue(workload.queue) is None:
        return None
    else:
        queue = state.queue(workload.queue)
        names = [each.name for each in queue.tree.queues]
    for name in QueueHold.objects.filter(org=org).values_list("queue", flat=True):
        if name in names:
            state.hold(name)
    here = Workload.objects.filter(org=org, queue__in=names)
    running = here.filter(state__in=(models.State.ADMITTED, models.State.PREEMPTING))
    first = running.order_by("priority", F("reservation").desc()).values("pk")[:_RUNNING]
    restore_running(state, [Workload.objects.filter(pk__in=first)], config_version)
    for name, usage in used_of(org, names).items():
        restored = state.usage(name)
        # The worker may have written between the two reads, so the difference may be negative.
        rest = {key: max(0, amount - restored.get(key, 0)) for key, amount in usage.items()}
        state.charge(name, rest)
    for name, running_there in counts_of_running(org, names):
        there = state.queues[name]
        there.summed_up = max(0, running_there - len(there.running))
    load_nodes(state, org)
    load_usage_history(state, org)
    waiting = here.filter(state=models.State.PENDING)
    _resubmit(state, waiting.filter(reason=WAITING_FOR_PREEMPTED))
    _resubmit(state, waiting.order_by("-priority", "pk")[:_WAITING])
    join_whole_tree(state, org, workload)
    return state, frozenset(names)


def join_whole_tree(state: State, org: Organization, workload: Workload) -> None:
    """Add *workload* and the first pending ones of its queue to a whole tree that lacks them."""
    if not state.has_workload(workload.uid):
        theirs = Workload.objects.filter(org=org, queue=workload.queue, state=models.State.PENDING)
        _resubmit(state, theirs.order_by("-priority", "pk")[:_WAITING])
        _resubmit(state, Workload.objects.filter(pk=workload.pk))
    state.take_in_arrivals()
    load_requests(state, org)


def _resubmit(state: State, rows: QuerySet[Workload]) -> None:
    columns = ("queue", "priority", "rule_index", "pending_class", "victims", "preemptor")
    for row in rows.values_list(*COLUMNS, *columns):
        queue, priority, rule, pending_class, victims, preemptor = row[len(COLUMNS) :]
        each = engine_workload(row)
        if not state.has_workload(each.id):
            announced = (queue, priority, rule, pending_class or "")
            state.resubmit(each, announced, victims, yields_to=preemptor)
