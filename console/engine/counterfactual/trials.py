"""Trials: would it start if? Looked at on the live state, and proven on a fork; all are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from console.engine.amounts import Unlimited
from console.engine.decision import Outcome, Reason
from console.engine.disciplines import Nomination, load_discipline
from console.engine.disciplines.quota.outlook import has_no_room, surely_fails
from console.engine.fork import Fork, Ground
from console.engine.ledger import FlavorResource
from console.engine.line import Line
from console.engine.matching import Matcher
from console.engine.pending import Pending, PendingClass, least_of
from console.engine.policy import Policy, Undeclared
from console.engine.routing import Route, Router, flavor_rejection
from console.engine.state import State
from console.engine.tree import QueueState, Tree
from console.engine.workload import PODS, Workload

#: Classes up to which a fork takes in everybody as they are. Where more wait, it takes in
#: so many at once of those that could perhaps start after the change: those of its own queue
#: first, then by priority and submission, and of every other queue the first stand for all.
_RIVALS = 32
_OF_OTHERS = 2

#: Members of a class that a fork begins with; more where all of them start.
_MEMBERS = (8, 128, 4_096)

#: Times that it may tell others to stop before it is given up.
_ROUNDS = 3

#: Evaluations that a proof counts as: about as many looks take as long.
PROOF = 5

#: Comes behind everybody in the order of submission.
_LATER = 2**62

_COULD = frozenset({Reason.BEHIND_OTHERS, Reason.WAITING_FOR_PREEMPTED})


class BudgetSpent(Exception):
    """All evaluations are used up."""


@dataclass(frozen=True, slots=True)
class Started:
    """It starts; and who pays for it."""

    who_loses: tuple[str, ...] = ()
    who_waits: tuple[str, ...] = ()


class Trials:
    """
    One workload that waits in a queue, and what is tried for it.

    A workload that asks for something else is handed in again: it stands behind
    everybody of its priority. Raises BudgetSpent from any trial beyond *budget*, less
    what is in `reserve` for later ones.
    """

    def __init__(
        self, state: State, pending: Pending, budget: int, known: Collection[str] | None = None
    ) -> None:
        self.state = state
        self._known = state.queues.keys() if known is None else known
        self.policy = state.policy
        self.pending = pending
        self.uid = pending.workload.id
        self.left = budget
        self.reserve = 0
        self._router = Router(state.policy)
        self._matcher = Matcher(state.policy)
        self._discipline = load_discipline(state.policy.discipline)
        self._grounds: dict[Tree, Ground] = {}
        self._saved: dict[Tree, frozenset[str]] = {}

    @property
    def workload(self) -> Workload:
        """The workload as it is."""
        return self.pending.workload

    @property
    def queue(self) -> QueueState:
        """The queue it waits in; there has to be one."""
        return self.state.queues[self.pending.route.queue or ""]

    def route(self, workload: Workload) -> Route:
        """Return where *workload* would go."""
        return self._router.route(workload)

    # Looked at

    def could_start(self, workload: Workload, state: State | None = None) -> bool:
        """
        Say whether *workload* would start or make others stop if it were its turn.

        A quick look, on *state* or the live one, that no other workload has a part in.
        """
        self._spend()
        candidate = self._as_pending(workload)
        if candidate is None:
            return False
        found = self.nominate(candidate, state)
        return found is not None and found.pending_reason in _COULD

    def fits(self, state: State, gone: Iterable[str] = ()) -> bool:
        """
        Say whether it would start on *state* without stopping anybody, if it were its turn.

        *gone* are running workloads that the ledger of *state* does not count any more.
        """
        self._spend()
        if has_no_room(state.queues[self.queue.name], least_of(self.workload)):
            return False
        candidate = self._as_pending(self.workload)
        found = self.nominate(candidate, state, gone) if candidate is not None else None
        return found is not None and found.pending_reason is Reason.BEHIND_OTHERS

    def nominate(
        self, candidate: Pending, state: State | None = None, gone: Iterable[str] = ()
    ) -> Nomination | None:
        """Return what would happen to *candidate* now; None: nobody of its queue has a turn."""
        looked_at = state or self.state
        queue = looked_at.queues.get(candidate.route.queue or "")
        if queue is None or queue.barrier is not None or not queue.covers:
            return None
        return self._discipline.nominate(looked_at, queue, candidate, without=frozenset(gone))

    def short(self) -> dict[FlavorResource, int]:
        """Return what is missing by flavor-resource, over all flavors that accept it."""
        queue = self.queue
        missing: dict[FlavorResource, int] = {}
        for key, amount in self.asked().items():
            available = queue.node.available(key)
            if not isinstance(available, Unlimited) and amount > available:
                missing[key] = amount - available
        return missing

    def asked(self) -> dict[FlavorResource, int]:
        """Return what it would ask of every flavor that accepts it, in thousandths."""
        queue = self.queue
        asked: dict[FlavorResource, int] = {}
        assert queue.policy is not None
        for pod_set, obstacles in zip(
            self.workload.pod_sets, self._obstacles(self.pending), strict=True
        ):
            wanted = pod_set.total() | (
                {PODS: pod_set.count * 1000} if PODS in queue.covers else {}
            )
            for resource, amount in wanted.items():
                index = queue.covers.get(resource)
                if index is None:
                    continue
                flavors = queue.policy.groups[index].flavors
                for entry, obstacle in zip(flavors, obstacles[index], strict=True):
                    if obstacle is None:
                        key = (entry.flavor, resource)
                        asked[key] = asked.get(key, 0) + amount
        return asked

    # Proven

    def fork(self, policy: Policy | None = None, queue: str | None = None) -> Fork:
        """Return a fork of the tree in which it waits, or of that of *queue*."""
        name = queue or self.queue.name
        tree = self.state.queues[name].tree
        ground = self._grounds.get(tree)
        if ground is None:
            ground = Ground(self.state, name, router=self._router, matcher=self._matcher)
            self._grounds[tree] = ground
        return ground.fork(policy)

    def starts(
        self,
        *,
        workload: Workload | None = None,
        policy: Policy | None = None,
        ends: Iterable[str] = (),
        resume: bool = False,
    ) -> Started | None:
        """
        Say whether it starts, and at whose cost, when this is done and whoever is told stops.

        *workload* is what is handed in in its place, *ends* are running workloads
        that end.
        """
        gone = tuple(ends)
        for members in _MEMBERS:
            self._spend(PROOF)
            run = _Run(self, workload, policy, members)
            found = run.try_it(gone, resume=resume)
            if not run.was_cut:
                return found
        return None

    def starts_after_stopping(self, stopping: Iterable[str]) -> bool:
        """Say whether waiting is enough: it starts once *stopping* have stopped."""
        self._spend(PROOF)
        run = _Run(self, None, None, _MEMBERS[1])
        return run.after_stopping(stopping)

    def saved(self, queue: str) -> frozenset[str]:
        """
        Return those in the tree of *queue* for whom others are stopping.

        Only those who would start if nothing but that happened.
        """
        tree = self.state.queues[queue].tree
        if tree not in self._saved:
            self._saved[tree] = frozenset()
            if any(each.preemptors for each in tree.queues):
                self._saved[tree] = _Run(self, None, None, _MEMBERS[0], queue).saved()
        return self._saved[tree]

    def _spend(self, evaluations: int = 1) -> None:
        if self.left - self.reserve < evaluations:
            raise BudgetSpent
        self.left -= evaluations

    def _as_pending(self, workload: Workload) -> Pending | None:
        route = self.route(workload)
        if route.queue is None or route.queue not in self._known or route.problem is not None:
            return None
        queue = self.policy.queues[route.queue]
        if self.policy.settings.undeclared is Undeclared.IGNORE and flavor_rejection(
            route, queue, workload.total()
        ):
            return None
        return Pending(workload, route, self._matcher.obstacles(workload, queue))

    def _obstacles(self, pending: Pending) -> tuple[tuple[tuple[object, ...], ...], ...]:
        assert self.queue.policy is not None
        return self._matcher.obstacles(pending.workload, self.queue.policy)


class _Run:
    """One trial on a fork."""

    def __init__(
        self,
        trials: Trials,
        workload: Workload | None,
        policy: Policy | None,
        members: int,
        queue: str | None = None,
    ) -> None:
        self._trials = trials
        self._uid = trials.uid
        self._workload = workload
        self._settings = (policy or trials.policy).settings
        self._members = members
        self._brought: dict[tuple[str, str], bool] = {}
        target = queue or trials.route(workload or trials.workload).queue
        assert target is not None, "only what leads to a queue is tried"
        self._target = target
        self.fork = trials.fork(policy, target)
        self._stopping = frozenset(self.fork.departing)
        self._told: dict[str, None] = {}
        self._changed_policy = policy is not None
        theirs = trials.state.queues[target].tree.queues
        if sum(len(each.line.classes) for each in theirs) <= _RIVALS:
            for each in theirs:
                for cls in each.line.in_order():
                    self._bring_class(each.name, cls, at_rest=True)

    @property
    def was_cut(self) -> bool:
        """Whether all members of a class started of which there are more."""
        return any(
            cut and self.fork.pending_class(queue, key) is None
            for (queue, key), cut in self._brought.items()
        )

    def try_it(self, ends: tuple[str, ...], *, resume: bool) -> Started | None:
        fork = self.fork
        for each in ends:
            fork.finish(each)
        if resume:
            fork.resume(self._trials.queue.name)
        self._arrive()
        if ends or resume or self._changed_policy:
            self._bring_rivals()
        else:
            self._bring_strict()
        for _ in range(_ROUNDS):
            self._settle()
            if self._uid in fork.running:
                if self._uid in fork.departing:
                    # Somebody else stops it at once.
                    return None
                return Started(self._losers(), self._waiters())
            victims = self._victims()
            if not victims:
                return None
            for each in victims:
                self._lose(each)
                fork.release(each)
            self._bring_rivals()
        return None

    def after_stopping(self, stopping: Iterable[str]) -> bool:
        self._arrive()
        for each in stopping:
            self.fork.release(each)
        self._bring_rivals()
        self._settle()
        return self._uid in self.fork.running and self._uid not in self.fork.departing

    def saved(self) -> frozenset[str]:
        waiting = self._wait_here()
        self._stop_all()
        return frozenset(each for each in waiting if each in self.fork.running)

    # Who is there

    def _arrive(self) -> None:
        fork, changed = self.fork, self._workload
        if changed is None:
            if self._uid not in fork.pending:
                self._bring_class(self._trials.queue.name, self._own_class())
            return
        fork.finish(self._uid)
        fork.submit(replace(changed, sequence=changed.sequence + _LATER))

    def _own_class(self) -> PendingClass | None:
        """Return the class it stands in; one for which others are stopping is outside of all."""
        queue = self._trials.queue
        if self._uid in queue.preemptors:
            return None
        return queue.line.classes.get(self._trials.pending.class_key)

    def _bring_class(self, queue: str, cls: PendingClass | None, *, at_rest: bool = False) -> None:
        """Take in the first members of a class, and of its own class everybody before it."""
        assert cls is not None, "whoever waits in a queue is in a class or outside of the line"
        if (queue, cls.key) in self._brought:
            return
        others = (each for each in cls if each.workload.id != self._uid)
        if cls is self._own_class() and self._workload is None:
            before = self._trials.workload.sequence
            first = [
                each for each in islice(others, self._members) if each.workload.sequence < before
            ]
            # Those behind it are alike, and it goes first.
            members = [*first, self._trials.pending]
            is_cut = len(first) == self._members
        else:
            members = list(islice(others, self._members))
            is_cut = len(cls) > len(members) + 1
        self._brought[queue, cls.key] = is_cut
        self.fork.bring(queue, members, at_rest=at_rest)

    def _bring_strict(self) -> None:
        """Take in the first of every strict queue: nobody of it passes them."""
        for theirs in self._trials.state.queues[self._target].tree.queues:
            if self.fork.queues[theirs.name].line.is_strict:
                for cls in theirs.line.classes.values():
                    self._bring_class(theirs.name, cls)

    def _bring_rivals(self) -> None:
        """Take in whoever could perhaps start now, those with the first turns before others."""
        self._bring_strict()
        queues = self._trials.state.queues[self._target].tree.queues
        rivals: list[PendingClass] = []
        for theirs in queues:
            queue = self.fork.queues[theirs.name]
            if queue.barrier is None and queue.covers:
                most = _RIVALS if theirs.name == self._target else _OF_OTHERS
                rivals += islice(self._rivals_in(queue, theirs.line), most)
        rivals.sort(key=lambda cls: (cls.queue != self._target, *_place(cls)))
        for cls in rivals[:_RIVALS]:
            self._bring_class(cls.queue, cls)

    def _rivals_in(self, queue: QueueState, line: Line) -> Iterator[PendingClass]:
        highest = line.highest
        if highest is None or all(
            surely_fails(queue, self._settings, each, highest) for each in line.least.each()
        ):
            return
        for cls in line.in_order():
            if (queue.name, cls.key) not in self._brought and not surely_fails(
                queue, self._settings, cls.least, cls.priority
            ):
                yield cls

    # What happens

    def _settle(self) -> None:
        for decision in self.fork.settle():
            if decision.outcome is Outcome.PREEMPTED and decision.workload not in self._stopping:
                self._lose(decision.workload)

    def _lose(self, uid: str) -> None:
        """Note one that has to stop; who started only after the change loses nothing."""
        if uid in self._trials.state.running:
            self._told[uid] = None

    def _victims(self) -> list[str]:
        for queue in self.fork.queues.values():
            waiting = queue.preemptors.get(self._uid)
            if waiting is not None:
                return sorted(waiting.victims)
        return []

    def _losers(self) -> tuple[str, ...]:
        return tuple(sorted(self._told))

    def _waiters(self) -> tuple[str, ...]:
        saved = self._trials.saved(self._target)
        if not saved:
            return ()
        self._stop_all()
        return tuple(sorted(each for each in saved if each not in self.fork.running))

    def _wait_here(self) -> frozenset[str]:
        """Return those for whom others are stopping, but itself."""
        queues = self.fork.queues.values()
        return frozenset(uid for queue in queues for uid in queue.preemptors) - {self._uid}

    def _stop_all(self) -> None:
        """Let everybody stop who was told to before the trial."""
        for each in sorted(self._stopping):
            self.fork.release(each)
        self._bring_rivals()
        self.fork.settle()


def _place(cls: PendingClass) -> tuple[int, int]:
    return -cls.priority, cls.head.workload.sequence


def least(low: int, high: int, works: Callable[[int], bool]) -> int:
    """Return the least number above *low*, which does not work, up to *high*, which does."""
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def least_start(
    low: int, high: int, started: Started, starts: Callable[[int], Started | None]
) -> tuple[int, Started]:
    """Return the least number above *low*, which does not start it, up to *high*, as proven."""
    while high - low > 1:
        middle = (low + high) // 2
        found = starts(middle)
        if found is None:
            low = middle
        else:
            high, started = middle, found
    return high, started


#: What amounts are asked for in: Gi and Mi of bytes, whole units, thousandths.
UNITS = (2**30 * 1000, 2**20 * 1000, 1000, 1)


def units_of(amount: int) -> Iterator[int]:
    """Yield the units of which *amount* is a multiple, the largest first."""
    yield from (unit for unit in UNITS if amount and amount % unit == 0)
