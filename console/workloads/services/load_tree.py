"""Trees of queues as some pending workloads meet them: without what cannot matter to those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import F, Q, QuerySet

from console.chunks import chunks
from console.engine.decision import Reason
from console.engine.disciplines.quota.report import LISTED
from console.engine.policy import PreemptionRule
from console.engine.state import State
from console.engine.tree import QueueState
from console.orgs.models import Organization
from console.unions import united
from console.workloads import models
from console.workloads.keyed import keyed
from console.workloads.models import QueueCount, QueueHold, Workload
from console.workloads.queries.used import used_of
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

#: How many of those that are stopping are read, in all the trees.
_STOPPING = 1000


def load_trees(org: Organization, workloads: Sequence[Workload], config_version: int) -> State:
    """
    Return a state in which *workloads* wait, but those whose queue is not of the policy.

    One that waits in no queue needs nobody else there: what keeps it off is in the policy.
    For any other, of those that run in its tree, it has one by one only those that might be
    stopped for it, and as many others as an explanation lists; the rest is charged as a
    sum. Of those that wait, it has those for whom others are stopping, and those that
    this one has to let go first. The cost does not grow with how many run or wait, and how
    many statements it takes neither with the queues of a tree nor with *workloads*.
    """
    state = State(load_policy(org, config_version), is_sparse=True)
    here = {each.pk: _queue_of(state, each) for each in workloads if each.queue is not None}
    in_queues = [(queue, each) for each in workloads if (queue := here.get(each.pk)) is not None]
    trees = dict.fromkeys(queue.tree for queue, _ in in_queues)
    names = [each.name for tree in trees for each in tree.queues]
    if names:
        _run(state, org, names, in_queues, config_version)
        _wait(state, org, names)
        _submit(state, _ahead(org, in_queues))
    told = {each.pk: each for each in workloads if each.queue is None or here[each.pk] is not None}
    for some in chunks(told):
        for each in engine_workloads(Workload.objects.filter(pk__in=some)):
            if state.knows(each.id):
                continue
            row = told[each.sequence]
            if row.queue is None:
                state.submit(each)
            else:
                state.resubmit(each, None, yields_to=row.preemptor)
    state.take_in_arrivals()
    return state


def _queue_of(state: State, workload: Workload) -> QueueState | None:
    queue = state.queue(workload.queue or "")
    return queue if queue.policy is not None else None


def _run(
    state: State,
    org: Organization,
    names: Sequence[str],
    waiting: Sequence[tuple[QueueState, Workload]],
    config_version: int,
) -> None:
    """Let in *state* run what runs in the queues *names*, as those who are *waiting* meet it."""
    used = used_of(org, names)
    for name in QueueHold.objects.filter(org=org).values_list("queue", flat=True):
        if name in names:
            state.hold(name)
    # What the trees hold decides who is over nominal, and so who has to be read.
    for name, usage in used.items():
        state.charge(name, usage)
    lists = list(_one_by_one(org, names, waiting))
    for name, usage in used.items():
        state.charge(name, {key: -amount for key, amount in usage.items()})
    adopt_running(state, united(lists), config_version)
    for name, usage in used.items():
        adopted = state.usage(name)
        # The worker may have written between the two reads: never less than nothing.
        rest = {key: max(0, amount - adopted.get(key, 0)) for key, amount in usage.items()}
        state.charge(name, rest)
    for name, running in _counts(org, names):
        there = state.queues[name]
        there.summed_up = max(0, running - len(there.running))


def _one_by_one(
    org: Organization, names: Sequence[str], waiting: Iterable[tuple[QueueState, Workload]]
) -> Iterator[QuerySet[Workload]]:
    for some in chunks(names):
        # Who waits for them goes on claiming their room.
        everywhere = Workload.objects.filter(org=org, queue__in=some)
        yield _first_to_stop(everywhere.filter(state=models.State.PREEMPTING), _STOPPING)
    # Those alike in what they may do meet the same.
    kinds = {(queue.name, workload.priority or 0): queue for queue, workload in waiting}
    for (_, priority), queue in kinds.items():
        yield from _within_reach(org, queue, priority)


def _within_reach(
    org: Organization, queue: QueueState, priority: int
) -> Iterator[QuerySet[Workload]]:
    assert queue.policy is not None
    rules = queue.policy.preemption
    running = Workload.objects.filter(org=org, state=models.State.ADMITTED)
    for rule, place in (
        (rules.within_queue, [queue]),
        (rules.reclaim_within_cohort, [each for each in queue.tree.queues if each is not queue]),
    ):
        if rule is PreemptionRule.NEVER:
            continue
        at_rest = 0
        for each in place:
            theirs = running.filter(queue=each.name)
            if each is queue or any(cell.over for cell in each.node.cells.values()):
                yield from _allowed_and_others(theirs, rule, priority)
            elif at_rest < LISTED:
                # An explanation names somebody of each, and that its queue keeps to its quota.
                at_rest += 1
                yield _first_to_stop(theirs, LISTED)


def _allowed_and_others(
    rows: QuerySet[Workload], rule: PreemptionRule, priority: int
) -> Iterator[QuerySet[Workload]]:
    match rule:
        case PreemptionRule.LOWER_PRIORITY:
            allowed = Q(priority__lt=priority)
        case PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY:
            allowed = Q(priority__lte=priority)
        case _:
            yield _first_to_stop(rows, _READ)
            return
    yield _first_to_stop(rows.filter(allowed), _READ)
    yield _first_to_stop(rows.exclude(allowed), LISTED)


def _first_to_stop(rows: QuerySet[Workload], most: int) -> QuerySet[Workload]:
    return rows.order_by("priority", F("reservation").desc())[:most]


def _counts(org: Organization, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    for some in chunks(names):
        rows = QueueCount.objects.filter(org=org, queue__in=some)
        yield from rows.values_list("queue", "running")


def _wait(state: State, org: Organization, names: Sequence[str]) -> None:
    # Those for whom others are stopping go on claiming room. They are few, in all queues
    # together, so the reason alone is asked for: it leads to the shortest index range.
    waiting = Workload.objects.filter(org=org, reason=Reason.WAITING_FOR_PREEMPTED)
    columns = ("queue", "priority", "rule_index", "pending_class", "state", "victims")
    for row in waiting.order_by("pk").values_list(*COLUMNS, *columns):
        queue, priority, rule, pending_class, phase, victims = row[len(COLUMNS) :]
        if queue in names and phase == models.State.PENDING and victims:
            state.resubmit(engine_workload(row), (queue, priority, rule, pending_class), victims)


def _ahead(
    org: Organization, waiting: Sequence[tuple[QueueState, Workload]]
) -> Iterator[QuerySet[Workload]]:
    """Yield whom those *waiting* yield to, and who is first in their lines if that is strict."""
    pending = Workload.objects.filter(org=org, state=models.State.PENDING)
    preemptors = [workload.preemptor for _, workload in waiting if workload.preemptor]
    lists = [
        keyed(Workload.objects.filter(uid__in=some, state=models.State.PENDING), org)
        for some in chunks(preemptors)
    ]
    strict = dict.fromkeys(queue.name for queue, _ in waiting if queue.line.is_strict)
    lists += [pending.filter(queue=name).order_by("-priority", "pk")[:1] for name in strict]
    own = [workload.pk for _, workload in waiting]
    for rows in united(lists):
        yield rows.exclude(pk__in=own)


def _submit(state: State, parts: Iterable[QuerySet[Workload]]) -> None:
    for rows in parts:
        for each in engine_workloads(rows):
            if not state.knows(each.id):
                state.submit(each)
