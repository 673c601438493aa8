"""
A fork: a private copy of one tree of queues, on which something can be tried.

It costs about what the queues of the tree cost, and hardly what runs or waits there:

* Running workloads are shared, and so are the lines they stand in until somebody starts
  or stops. One that is told to stop on the fork is copied first.
* The ledger is copied, and only what another policy says otherwise is measured anew.
* Of those who wait, it begins with the workloads for which others are stopping, for
  they claim room. `bring` takes in others, a class at a time with its first members, for
  the members of a class are alike: all classes where they are few, else those who perhaps
  could start after the change, for anybody else is at rest.

Nothing that happens on a fork is seen by the state it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from console.engine.disciplines import Nomination, load_discipline
from console.engine.judgment import Judgments
from console.engine.matching import Matcher
from console.engine.pending import Pending
from console.engine.policy import Policy
from console.engine.routing import Router
from console.engine.running import Running
from console.engine.state import State
from console.engine.trace import TurnStep
from console.engine.tree import Preemptor, QueueState, Target, Tree


class Ground:
    """What all forks of one tree begin with; the state it belongs to rests, and stays as it is."""

    def __init__(
        self,
        state: State,
        queue: str,
        *,
        router: Router | None = None,
        matcher: Matcher | None = None,
        going_on: Callable[[], None] | None = None,
    ) -> None:
        """
        Prepare forks of the tree of *queue*.

        *router* and *matcher* of the state's policy save judging labels again. *going_on* is
        called before each turn on a fork; it may raise to give the fork up.
        """
        self.state = state
        self.going_on = going_on or state.going_on
        self.tree = state.queues[queue].tree
        self.router = router or Router(state.policy)
        self.matcher = matcher or Matcher(state.policy)
        self.running = {
            each.workload.id: each for theirs in self.tree.queues for each in theirs.running
        }
        self.departing = state.departing & self.running.keys()

    def fork(self, policy: Policy | None = None) -> Fork:
        """
        Return a private copy of the tree.

        With another *policy* the same workloads run, and everybody is judged by it
        anew. It has the same queues, cohorts and flavors, and routes alike.
        """
        return Fork(self, policy or self.state.policy)


class Fork(State):
    """One tree of another state, on its own. Made by `Ground.fork`."""

    def __init__(self, ground: Ground, policy: Policy) -> None:
        self._ground = ground
        self._source = ground.tree
        super().__init__(policy)
        self.going_on = ground.going_on
        source = ground.state
        self.next_reservation = source.next_reservation
        self.running = ground.running.copy()
        self.departing = set(ground.departing)
        for theirs in self._source.queues:
            for waiting in theirs.preemptors.values():
                pending = _copy(waiting.pending)
                self.pending[pending.workload.id] = pending
                self._wait_outside(
                    self.queues[theirs.name], Preemptor(pending, None, set(waiting.victims))
                )
        own = self.tree
        own.seen = set(self._source.seen)
        if policy is source.policy:
            # It was at rest: nobody has to be looked at again before something happens.
            own.looked_at = own.version
        else:
            own.looked_at = -1
            self._stir(own.queues[0])

    def _take_policy(self, policy: Policy) -> None:
        """Copy the tree, and change in the ledger what the policy of the source says otherwise."""
        ground, source = self._ground, self._ground.state
        self.policy = policy
        # The rules may lead to queues that are not here, and judge the same in any case.
        self._router, self._matcher = ground.router, ground.matcher
        self._judgments = Judgments(policy, ground.matcher)
        self._discipline = load_discipline(policy.discipline)
        self.ledger = source.ledger.copy(ground.tree.root)
        for theirs in ground.tree.queues:
            mine = self.queues[theirs.name] = QueueState(theirs.name)
            mine.follow(policy)
            mine.node = self.ledger.queue(theirs.name)
            mine.running = theirs.running.copy()
            mine.held = theirs.held
            assert mine.policy is not None, "whoever waits waits in a queue of the policy"
            if mine.policy is not source.policy.queues[theirs.name]:
                self.ledger.change(mine.node, mine.policy.groups, mine.policy.fair_weight)
        for name, cohort in policy.cohorts.items():
            if cohort is not source.policy.cohorts[name]:
                self.ledger.change(self.ledger.cohort(name), cohort.groups, cohort.fair_weight)
        tree = Tree(self.ledger.queue(ground.tree.queues[0].name).root, self.queues.values())
        tree.share_held(ground.tree)

    @property
    def tree(self) -> Tree:
        """The tree that was copied."""
        return self.queues[self._source.queues[0].name].tree

    @contextmanager
    def under(self, policy: Policy) -> Iterator[None]:
        """
        Have queues and cohorts the settings that *policy* gives them, for a look.

        It costs less than a fork with that policy. Nothing may be decided meanwhile, and
        no candidate is judged anew.
        """
        before = self.policy
        self._swap(before, policy)
        try:
            yield
        finally:
            self._swap(policy, before)

    def _swap(self, before: Policy, after: Policy) -> None:
        for name, queue in self.queues.items():
            settings = after.queues[name]
            if settings is not before.queues[name]:
                queue.follow(after)
                self.ledger.change(queue.node, settings.groups, settings.fair_weight)
        for name, cohort in after.cohorts.items():
            if cohort is not before.cohorts[name]:
                self.ledger.change(self.ledger.cohort(name), cohort.groups, cohort.fair_weight)

    def bring(self, queue: str, members: Iterable[Pending], *, at_rest: bool = False) -> None:
        """
        Let *members* of one class of *queue* wait here too; they have their turn in order.

        *at_rest* leaves them as they are, before anything has happened here: they have a
        turn when it would give them one there.
        """
        state = self.queues[queue]
        line = self._ground.state.queues[queue].line
        for each in members:
            pending = _copy(each)
            self.pending[pending.workload.id] = pending
            cls = state.line.join(pending)
            if pending.yields_to is not None:
                state.tree.yielding[pending.workload.id] = pending
            if pending.yields_to is not None or (
                at_rest and line.is_parked(line.classes[each.class_key])
            ):
                state.line.park(cls)
        if not at_rest:
            self._stir(state)

    def preempt(
        self,
        queue: QueueState,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
        others: Iterable[str],
        turn: TurnStep | None,
    ) -> bool:
        """Tell copies of *targets* to stop: those that run are the source's own."""
        mine = tuple(replace(target, running=self._own(target)) for target in targets)
        return super().preempt(queue, pending, nomination, mine, others, turn)

    def release(self, workload_id: str) -> bool:
        """Take back a stopped workload's quota; one that belongs elsewhere is gone."""
        running = self.running.get(workload_id)
        if running is not None and self._router.route(running.workload).queue not in self.queues:
            return self.finish(workload_id)
        return super().release(workload_id)

    def _own(self, target: Target) -> Running:
        running = target.running
        if not running.departing:
            running = replace(running)
            self.running[running.workload.id] = running
            target.queue.running.replace(running)
        return running


def _copy(pending: Pending) -> Pending:
    return replace(pending, scan=None)
