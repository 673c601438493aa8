"""One admission cycle: heads are nominated on one snapshot, then processed in order (spec 4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from console.engine.disciplines.quota.spec import Cohort, PreemptionRule, QueueSpec, spec_of
from console.engine.model.decision import PodSetAssignment
from console.engine.model.policy import Strategy
from tests.engine.reference_model.candidates import Target
from tests.engine.reference_model.flavors import Choices, Mode, Walker
from tests.engine.reference_model.nomination import Nominated, Nominator
from tests.engine.reference_model.shares import Share, share
from tests.engine.reference_model.tree import Node, Tree
from tests.engine.reference_model.world import (
    PreemptionRequest,
    Running,
    Scan,
    Usage,
    Verdict,
    Waiting,
    World,
)


class Ending(StrEnum):
    """What became of a head in its cycle, in the codes of the vector files."""

    ADMITTED = "Admitted"
    NO_ROOM = "NoRoom"
    NO_VICTIMS = "NoVictims"
    PREEMPTING = "Preempting"
    WAITS_FOR_OTHERS = "WaitsForOthers"
    OVERTAKEN = "Overtaken"
    WRONG_NAMESPACE = "WrongNamespace"


#: Endings after which even a BestEffortFIFO queue requeues the workload (spec 3.4).
TURN_AGAIN = (Ending.PREEMPTING, Ending.WAITS_FOR_OTHERS, Ending.OVERTAKEN)
#: Endings that apply to all workloads with an equal request (spec 3.5).
SHARED = (Ending.NO_ROOM, Ending.NO_VICTIMS)
#: Endings after which the next evaluation of flavors starts from the first one (spec 6.6).
STARTS_AFRESH = (Ending.PREEMPTING, Ending.WAITS_FOR_OTHERS, Ending.WRONG_NAMESPACE)


@dataclass(eq=False, kw_only=True)
class Entry:
    """A nominated head."""

    waiting: Waiting
    queue: QueueSpec
    nominated: Nominated
    ending: Ending | None = None
    #: Whether the head was nominated again after the victims of other heads were known.
    is_recomputed: bool = False

    @property
    def choices(self) -> Choices:
        """The flavor assignment."""
        return self.nominated.choices

    @property
    def targets(self) -> tuple[Target, ...]:
        """The workloads to preempt for this head."""
        return self.nominated.targets


@dataclass(kw_only=True)
class CycleResult:
    """The decisions of one cycle, which have already changed the world."""

    entries: list[Entry] = field(default_factory=list)
    admitted: list[Running] = field(default_factory=list)
    #: Preemptor -> victim -> reason.
    preempted: dict[str, dict[str, str]] = field(default_factory=dict)
    #: Queue name -> heads with targets that were skipped.
    skipped_preemptions: dict[str, int] = field(default_factory=dict)


def run_cycle(world: World, *, may_shrink: bool = True) -> CycleResult:
    """Run one cycle and change *world*: admit, preempt, and park heads as inadmissible."""
    world.cycle += 1
    result = CycleResult()
    active = [name for name in world.policy.queues if world.is_active(name)]
    tree = Tree(world.policy, world.running, active)
    for name in active:
        head = _head(world, name)
        if head is None:
            continue
        if not world.is_namespace_allowed(head):
            _after(world, head, Ending.WRONG_NAMESPACE, None)
            continue
        queue = world.policy.queues[name]
        nominator = Nominator(
            tree=tree,
            running=[each for each in world.running if world.may_preempt_again(head, each)],
            queue=queue,
            workload=head.workload,
            priority=head.priority,
            scan=_valid_scan(world, head),
            may_shrink=may_shrink,
        )
        entry = Entry(waiting=head, queue=queue, nominated=nominator.nominate())
        result.entries.append(entry)
    _Processing(world, tree, result, may_shrink=may_shrink).run()
    for entry in result.entries:
        assert entry.ending is not None
        if entry.ending is not Ending.ADMITTED:
            _after(world, entry.waiting, entry.ending, entry)
    tries_again = [
        entry.waiting
        for entry in result.entries
        if entry.ending is not Ending.ADMITTED
        and (entry.ending in TURN_AGAIN or entry.waiting.scan is not None)
    ]
    world.release_yielding({each.id for each in tries_again})
    return result


def _head(world: World, queue: str) -> Waiting | None:
    """Return the head of a queue: the sticky preemptor, else the first in order (spec 3.2)."""
    line = [each for each in world.waiting if each.queue == queue and world.can_be_nominated(each)]
    strategy = world.policy.queues[queue].strategy
    sticky = world.sticky.get(queue) if strategy is Strategy.BEST_EFFORT_FIFO else None
    return min(line, key=lambda each: (each.id != sticky, each.rank), default=None)


def _valid_scan(world: World, waiting: Waiting) -> Scan | None:
    """Return the saved flavor position if it is still valid (spec 6.6)."""
    scan = waiting.scan
    if scan is None or world.cycle - scan.cycle <= 1:
        return scan
    return scan if scan.generation == world.generation[waiting.queue] else None


class _Processing:
    """The second phase of a cycle: process entries in order against a growing usage (spec 4.4)."""

    def __init__(self, world: World, tree: Tree, result: CycleResult, *, may_shrink: bool) -> None:
        self.world = world
        self.result = result
        self.may_shrink = may_shrink
        #: Usage with everything admitted, claimed and reserved in this cycle.
        self.tree = tree.copy()
        #: Usage with admissions only, that is, the real usage until victims have stopped.
        self.held = tree.copy()
        #: Workloads preempted in this cycle.
        self.victims: list[Running] = []

    def run(self) -> None:
        """Process all entries."""
        fair = bool(spec_of(self.world.policy).settings.fair_sharing)
        entries = list(self.result.entries)
        while entries:
            entry = _fair_winner(self.tree, entries) if fair else min(entries, key=_classical_key)
            entries.remove(entry)
            entry.ending = self._process(entry)

    def _process(self, entry: Entry) -> Ending:
        if any(each.running in self.victims for each in entry.targets):
            self._recompute(entry)
            if entry.choices.is_fit:
                self.tree.add(entry.queue.name, entry.choices.usage)
                return Ending.WAITS_FOR_OTHERS
        usage = entry.choices.usage
        if entry.choices.is_no_fit:
            return Ending.NO_ROOM
        if not entry.choices.is_fit and not entry.targets:
            self.tree.add(entry.queue.name, self._reserved_usage(entry))
            return Ending.NO_VICTIMS
        gone = {each.id: each for each in self.victims}
        gone |= {each.running.id: each.running for each in entry.targets}
        has_room = self.tree.without(gone.values()).has_room(entry.queue, usage)
        if entry.choices.is_fit and self.world.reserves_victim_quota:
            has_room = has_room and self.held.has_room(entry.queue, usage)
        if not has_room:
            if entry.targets:
                skipped = self.result.skipped_preemptions
                skipped[entry.queue.name] = skipped.get(entry.queue.name, 0) + 1
            return Ending.OVERTAKEN
        self.tree.add(entry.queue.name, usage)
        if entry.targets:
            self._evict(entry)
            return Ending.PREEMPTING
        self.held.add(entry.queue.name, usage)
        self._admit(entry)
        return Ending.ADMITTED

    def _recompute(self, entry: Entry) -> None:
        """Nominate again without the victims of other heads, limited to the same flavors."""
        entry.is_recomputed = True
        entry.nominated = Nominator(
            tree=self.tree.without(self.victims),
            running=[
                each
                for each in self.world.running
                if each not in self.victims and self.world.may_preempt_again(entry.waiting, each)
            ],
            queue=entry.queue,
            workload=entry.waiting.workload,
            priority=entry.waiting.priority,
            nomination=entry.choices.nomination,
            may_shrink=self.may_shrink,
        ).nominate()

    def _reserved_usage(self, entry: Entry) -> Usage:
        """Return the quota that a head without targets reserves in this cycle (spec 4.5)."""
        queue = entry.queue
        if queue.preemption.reclaim_within_cohort is PreemptionRule.ANY:
            return {}
        kept: Usage = {}
        for pair, amount in entry.choices.usage.items():
            nominal, used = self.tree.nominal(queue, pair), self.tree.usage(queue, pair)
            limit = self.tree.borrowing_limit(queue, pair)
            if entry.choices.level == 0:
                kept[pair] = max(0, min(amount, nominal - used))
            else:
                kept[pair] = amount if limit is None else min(amount, nominal + limit - used)
        return kept

    def _evict(self, entry: Entry) -> None:
        reasons = {}
        ask = self._preemption_request(entry)
        for target in entry.targets:
            self.victims.append(target.running)
            if target.running.is_evicted:
                continue
            target.running.is_evicted = True
            reasons[target.running.id] = target.reason
            if self.world.ends_loops:
                target.running.stopped_for.setdefault(entry.waiting.id, []).append(ask)
                target.running.preemptor = entry.waiting.id
        self.result.preempted[entry.waiting.id] = reasons

    def _preemption_request(self, entry: Entry) -> PreemptionRequest:
        """Return the request of *entry* in a form that detects repetitions."""
        known = {each.id for each in (*self.world.running, *self.world.waiting)}
        return (
            tuple(sorted(entry.choices.usage.items())),
            tuple(
                (each.id, tuple(sorted(each.usage.items())))
                for each in sorted((t.running for t in entry.targets), key=lambda each: each.id)
            ),
            tuple(
                (name, min(len(asks), 2))
                for name, asks in sorted(entry.waiting.stopped_for.items())
                if name in known
            ),
        )

    def _admit(self, entry: Entry) -> None:
        world = self.world
        latest = max((each.reservation for each in world.running), default=0)
        running = Running(
            workload=entry.waiting.workload,
            queue=entry.queue.name,
            priority=entry.waiting.priority,
            assignment=assignment_of(entry.choices),
            reservation=latest + 1,
            stopped_for=entry.waiting.stopped_for,
        )
        world.running.append(running)
        world.waiting.remove(entry.waiting)
        world.generation[entry.queue.name] += 1
        if world.sticky.get(entry.queue.name) == entry.waiting.id:
            del world.sticky[entry.queue.name]
        self.result.admitted.append(running)


def assignment_of(choices: Choices) -> tuple[PodSetAssignment, ...]:
    """Return the assignment recorded when *choices* are admitted."""
    return tuple(
        PodSetAssignment(
            name=part.name,
            count=part.count,
            flavors={resource: choice.flavor for resource, choice in part.choices.items()},
        )
        for part in choices.pod_sets
    )


# Order of entries


def _classical_key(entry: Entry) -> tuple[int, int, int]:
    return (entry.choices.level, *entry.waiting.rank)


def _fair_winner(tree: Tree, entries: list[Entry]) -> Entry:
    """Return the next entry: the tournament winner in the tree of the first entry."""
    root = tree.root(entries[0].queue)
    if isinstance(root, QueueSpec):
        return entries[0]
    winner = _tournament(tree, root, entries)
    assert winner is not None
    return winner


def _tournament(tree: Tree, cohort: Cohort, entries: list[Entry]) -> Entry | None:
    contenders: list[tuple[Entry, Node]] = [
        (entry, entry.queue) for entry in entries if entry.queue.parent == cohort.name
    ]
    for child in tree.cohorts_of(cohort):
        winner = _tournament(tree, child, entries)
        if winner is not None:
            contenders.append((winner, child))
    if not contenders:
        return None
    return min(contenders, key=lambda each: _fair_key(tree, *each))[0]


def _fair_key(tree: Tree, entry: Entry, child: Node) -> tuple[bool, Share, int, int]:
    """Return the sort key of *entry* among the entries below the parent of *child*."""
    usage = entry.choices.usage
    after = tree.copy()
    after.add(entry.queue.name, usage)
    asked = [pair for pair, amount in usage.items() if amount > 0]
    would_borrow = not after.is_within_nominal(child, asked)
    return (would_borrow, share(after, child), *entry.waiting.rank)


# Requeueing


def _after(world: World, waiting: Waiting, ending: Ending, entry: Entry | None) -> None:
    """Record the outcome of a head, and requeue it or park it as inadmissible."""
    waiting.verdict = _verdict(ending, entry)
    keeps_scan = entry is not None and not entry.is_recomputed and ending not in STARTS_AFRESH
    scan = None
    if entry is not None and keeps_scan:
        scan = Scan(
            tried=entry.choices.tried,
            cycle=world.cycle,
            generation=world.generation[waiting.queue],
        )
    waiting.scan = scan if scan is not None and scan.has_more else None
    if ending in (Ending.PREEMPTING, Ending.WAITS_FOR_OTHERS):
        world.sticky[waiting.queue] = waiting.id
    is_strict = world.policy.queues[waiting.queue].strategy is Strategy.STRICT_FIFO
    if (
        (is_strict and ending is not Ending.WRONG_NAMESPACE)
        or ending in TURN_AGAIN
        or waiting.scan is not None
    ):
        return
    waiting.is_inadmissible = True
    if not is_strict and ending in SHARED:
        for other in world.waiting:
            if not other.is_inadmissible and is_alike(world, other, waiting):
                other.is_inadmissible = True
                other.verdict = replace(waiting.verdict, code="SameAsParked")


def is_alike(world: World, left: Waiting, right: Waiting) -> bool:
    """Return whether two workloads get the same answer (spec 3.5): equal request, equal queue."""
    return (left.queue, left.priority, _shape(world, left)) == (
        right.queue,
        right.priority,
        _shape(world, right),
    )


def _shape(world: World, waiting: Waiting) -> list[tuple[object, ...]]:
    """Return the request of each pod set, and the flavors of the queue that it may use."""
    queue = world.policy.queues[waiting.queue]
    walker = Walker(
        tree=Tree(world.policy),
        queue=queue,
        workload=waiting.workload,
        oracle=lambda _, __: (Mode.NO_CANDIDATES, 0),
    )
    return [
        (
            each.name,
            each.count,
            each.min_count,
            each.group,
            dict(each.requests),
            [walker.accepts(entry.flavor, each) for g in queue.groups for entry in g.flavors],
        )
        for each in waiting.workload.pod_sets
    ]


def _verdict(ending: Ending, entry: Entry | None) -> Verdict:
    match ending:
        case Ending.NO_ROOM:
            assert entry is not None
            reason = entry.choices.no_fit_reason
        case Ending.PREEMPTING | Ending.WAITS_FOR_OTHERS:
            reason = "WaitingForPreemptedWorkloads"
        case Ending.WRONG_NAMESPACE:
            reason = "Misconfigured"
        case _:
            reason = "WaitingForQuota"
    complaints = {}
    if entry is not None:
        complaints = {
            part.name: tuple(part.complaints) for part in entry.choices.pod_sets if part.complaints
        }
    victims = len(entry.targets) if entry is not None and ending is Ending.PREEMPTING else 0
    return Verdict(code=ending.value, reason=reason, complaints=complaints, victims=victims)
