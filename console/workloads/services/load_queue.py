"""One queue as one pending workload meets it: a state without what cannot matter to it."""

from __future__ import annotations

from django.db.models import QuerySet

from console.engine.decision import Reason
from console.engine.disciplines.quota.preemption import LISTED
from console.engine.ledger import FlavorResource
from console.engine.policy import PreemptionRule
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import QueueHold, Usage, Workload
from console.workloads.services.load_state import (
    COLUMNS,
    adopt_running,
    engine_workload,
    load_policy,
)


def load_queue(org: Organization, workload: Workload, config_version: int) -> State | None:
    """
    Return a state in which *workload* waits, or None when the policy no longer has its queue.

    Of those that run, it has one by one only those that might be stopped for it,
    those that are stopping, and as many others as a trace lists; the rest is
    charged as a sum. The cost does not grow with how many run.
    """
    state = State(load_policy(org, config_version))
    queue = workload.queue
    if queue is None or queue not in state.policy.queues:
        return None
    if QueueHold.objects.filter(org=org, queue=queue).exists():
        state.hold(queue)
    rows = Workload.objects.filter(org=org)
    adopt_running(state, _one_by_one(state, rows, workload), config_version)
    _charge_the_rest(state, org, queue)
    _promise(state, rows, queue)
    if not state.knows(workload.uid):
        own = rows.filter(pk=workload.pk).values_list(*COLUMNS).first()
        if own is None:
            return None
        state.submit(engine_workload(own))
    state.settle()
    return state


def _one_by_one(state: State, rows: QuerySet[Workload], workload: Workload) -> QuerySet[Workload]:
    queue = state.policy.queues[workload.queue or ""]
    here = rows.filter(queue=queue.name).values_list("pk", flat=True)
    keys = list(here.filter(state=models.State.PREEMPTING))
    if queue.preemption.within_queue is not PreemptionRule.NEVER:
        admitted = here.filter(state=models.State.ADMITTED)
        keys += admitted.filter(priority__lt=workload.priority)
        # In the order of the index, the nearest in priority first.
        others = admitted.filter(priority__gte=workload.priority).order_by("priority", "-pk")
        keys += others[:LISTED]
    return rows.filter(pk__in=keys)


def _charge_the_rest(state: State, org: Organization, queue: str) -> None:
    rest: dict[FlavorResource, int] = {}
    adopted = state.usage(queue)
    rows = Usage.objects.filter(org=org, queue=queue).values_list("flavor", "resource", "used")
    for flavor, resource, used in rows:
        # The worker may have written between the two reads: never less than nothing.
        rest[flavor, resource] = max(0, used - adopted.get((flavor, resource), 0))
    state.charge(queue, rest)


def _promise(state: State, rows: QuerySet[Workload], queue: str) -> None:
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
