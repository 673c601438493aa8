"""One tree of queues as one pending workload meets it: a state without what cannot matter to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import F, Q, QuerySet

from console.chunks import chunks
from console.engine.decision import Reason
from console.engine.disciplines.quota.report import LISTED
from console.engine.ledger import FlavorResource
from console.engine.policy import PreemptionRule
from console.engine.state import State
from console.engine.tree import QueueState
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.models import QueueCount, QueueHold, Usage, Workload
from console.workloads.services.load_state import (
    COLUMNS,
    adopt_running,
    engine_workload,
    engine_workloads,
    load_policy,
)

#: How many running workloads of one queue are read one by one: those that would be stopped
#: first. A search for room by preemption that needs more of one queue is not found here.
_READ = 300

#: How many of those that are stopping are read, in the whole tree.
_STOPPING = 1000


def load_tree(org: Organization, workload: Workload, config_version: int) -> State | None:
    """
    Return a state in which *workload* waits, or None when its queue is not of the policy.

    One that waits in no queue is alone in it: what keeps it off is in the policy. Else,
    of those that run in its tree, it has one by one only those that might be
    stopped for it, and as many others as an explanation lists; the rest is charged as a
    sum. Of those that wait, it has those for whom others are stopping, and those that
    this one has to let go first. The cost does not grow with how many run or wait.
    """
    state = State(load_policy(org, config_version))
    if workload.queue is None:
        _submit(state, Workload.objects.filter(pk=workload.pk))
        state.take_in_arrivals()
        return state
    queue = state.queues.get(workload.queue)
    if queue is None or queue.policy is None:
        return None
    names = [each.name for each in queue.tree.queues]
    used = _used(org, names)
    for name in QueueHold.objects.filter(org=org).values_list("queue", flat=True):
        if name in names:
            state.hold(name)
    # What the tree holds decides who is over nominal, and so who has to be read.
    for name, usage in used.items():
        state.charge(name, usage)
    keys = list(dict.fromkeys(_one_by_one(org, state, queue, workload)))
    for name, usage in used.items():
        state.charge(name, {key: -amount for key, amount in usage.items()})
    for some in chunks(keys):
        rows = Workload.objects.filter(org=org, pk__in=some)
        adopt_running(state, rows, config_version)
    for name, usage in used.items():
        adopted = state.usage(name)
        # The worker may have written between the two reads: never less than nothing.
        rest = {key: max(0, amount - adopted.get(key, 0)) for key, amount in usage.items()}
        state.charge(name, rest)
    for name, running in _counts(org, names):
        there = state.queues[name]
        there.summed_up = max(0, running - len(there.running))
    _wait(state, org, names)
    _submit(state, _ahead(org, queue, workload))
    if not state.knows(workload.uid):
        for each in engine_workloads(Workload.objects.filter(pk=workload.pk)):
            state.resubmit(each, None, yields_to=workload.preemptor)
    state.take_in_arrivals()
    return state


def _used(org: Organization, names: list[str]) -> dict[str, dict[FlavorResource, int]]:
    used: dict[str, dict[FlavorResource, int]] = {}
    for some in chunks(names):
        rows = Usage.objects.filter(org=org, queue__in=some)
        for name, flavor, resource, amount in rows.values_list(
            "queue", "flavor", "resource", "used"
        ):
            used.setdefault(name, {})[flavor, resource] = amount
    return used


def _one_by_one(
    org: Organization, state: State, queue: QueueState, workload: Workload
) -> Iterator[int]:
    assert queue.policy is not None
    rules, priority = queue.policy.preemption, workload.priority or 0
    everywhere = Workload.objects.filter(org=org, queue__in=[q.name for q in queue.tree.queues])
    # Who waits for them goes on claiming their room.
    yield from _first_to_stop(everywhere.filter(state=models.State.PREEMPTING), _STOPPING)
    running = Workload.objects.filter(org=org, state=models.State.ADMITTED)
    for rule, place in (
        (rules.within_queue, [queue]),
        (rules.reclaim_within_cohort, [each for each in queue.tree.queues if each is not queue]),
    ):
        if rule is PreemptionRule.NEVER:
            continue
        allowed = _allowed(rule, priority)
        at_rest = 0
        for each in place:
            theirs = running.filter(queue=each.name)
            if each is queue or any(cell.over for cell in each.node.cells.values()):
                yield from _first_to_stop(theirs.filter(allowed), _READ)
                yield from _first_to_stop(theirs.exclude(allowed), LISTED)
            elif at_rest < LISTED:
                # An explanation names somebody of each, and that its queue keeps to its quota.
                at_rest += 1
                yield from _first_to_stop(theirs, LISTED)


def _allowed(rule: PreemptionRule, priority: int) -> Q:
    match rule:
        case PreemptionRule.LOWER_PRIORITY:
            return Q(priority__lt=priority)
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            return Q(priority__lte=priority)
    return Q(pk__isnull=False)


def _first_to_stop(rows: QuerySet[Workload], most: int) -> Iterable[int]:
    ordered = rows.order_by("priority", F("reservation").desc())
    return ordered.values_list("pk", flat=True)[:most]


def _counts(org: Organization, names: list[str]) -> Iterator[tuple[str, int]]:
    for some in chunks(names):
        rows = QueueCount.objects.filter(org=org, queue__in=some)
        yield from rows.values_list("queue", "running")


def _wait(state: State, org: Organization, names: list[str]) -> None:
    # Those for whom others are stopping go on claiming room. They are few, in all queues
    # together, so the reason alone is asked for: it leads to the shortest index range.
    waiting = Workload.objects.filter(org=org, reason=Reason.WAITING_FOR_PREEMPTED)
    columns = ("queue", "priority", "rule_index", "pending_class", "state", "victims")
    for row in waiting.order_by("pk").values_list(*COLUMNS, *columns):
        queue, priority, rule, pending_class, phase, victims = row[len(COLUMNS) :]
        if queue in names and phase == models.State.PENDING and victims:
            state.resubmit(engine_workload(row), (queue, priority, rule, pending_class), victims)


def _ahead(org: Organization, queue: QueueState, workload: Workload) -> QuerySet[Workload]:
    """Return whom *workload* yields to, and who is first in its line if that has to start first."""
    pending = Workload.objects.filter(org=org, state=models.State.PENDING)
    others = [workload.preemptor] if workload.preemptor else []
    if queue.line.is_strict:
        in_order = pending.filter(queue=queue.name).order_by("-priority", "pk")
        others += in_order.values_list("uid", flat=True)[:1]
    return pending.filter(uid__in=others).exclude(pk=workload.pk)


def _submit(state: State, rows: QuerySet[Workload]) -> None:
    for each in engine_workloads(rows):
        if not state.knows(each.id):
            state.submit(each)
