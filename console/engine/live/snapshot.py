"""
Snapshot: a private copy of one tree of queues, on which a change can be tried.

Its cost grows with the number of queues, and hardly with the number of workloads:

* Running workloads are shared, and so are their sets until one starts or stops. A workload
  that is evicted on the snapshot is copied first.
* The ledger is copied, and only the settings that another policy changes are recomputed.
* At first, the only pending workloads are the preempting ones, because they claim quota.
  `add_pending` adds others, class by class. The first members represent a class. Callers add all
  classes if there are few, otherwise those that the change could let start, because all others
  stay inadmissible.

A snapshot never changes the state from which it was copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from console.engine.disciplines import load_discipline
from console.engine.live.decision_builder import DecisionBuilder
from console.engine.live.live_tree import AnyQueue, LiveTree, Preemptor, QueueState, Target
from console.engine.live.running import Running
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy
from console.engine.model.trace import TurnStep
from console.engine.pending.eligibility import Judge
from console.engine.pending.eligibility_cache import EligibilityCache
from console.engine.pending.pending_class import Pending
from console.engine.routing.router import Router
from console.engine.state import State


class SnapshotBase:
    """The shared data of all snapshots of one tree; the state must be settled and not change."""

    def __init__(
        self,
        state: State,
        queue: str,
        *,
        router: Router | None = None,
        judge: Judge | None = None,
        before_turn: Callable[[], None] | None = None,
    ) -> None:
        """
        Prepare snapshots of the tree of *queue*.

        *router* and *judge* of the state's policy may be given, because they cache evaluations of
        labels. *before_turn* is called before each turn on a snapshot; it may raise to stop.
        """
        self.state = state
        self.before_turn = before_turn or state.before_turn
        self.tree = state.queues[queue].tree
        self.router = router or Router(state.policy)
        discipline = load_discipline(state.policy.discipline)
        self.judge = judge or discipline.eligibility(state.policy)
        self.running = {
            each.workload.id: each for theirs in self.tree.queues for each in theirs.running
        }
        self.evicting = state.evicting & self.running.keys()

    def snapshot(self, policy: Policy | None = None) -> Snapshot:
        """
        Return a private copy of the tree.

        Under another *policy* the same workloads run, and every pending workload is evaluated
        again. It must have the same queues, cohorts and flavors, and the same routing.
        """
        return Snapshot(self, policy or self.state.policy)


class Snapshot(State):
    """A copy of one tree of another state, created by `SnapshotBase.snapshot`."""

    def __init__(self, base: SnapshotBase, policy: Policy) -> None:
        self._base = base
        self._source = base.tree
        super().__init__(policy, now=base.state.now)
        self.inventory = base.state.inventory
        self.usage_history = base.state.usage_history
        self.node_usage = base.state.node_usage.copy()
        self.before_turn = base.before_turn
        source = base.state
        self.next_reservation = source.next_reservation
        self.running = base.running.copy()
        self.evicting = set(base.evicting)
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
            # The source is settled: no class needs a turn before a change.
            own.evaluated_at = own.version
        else:
            own.evaluated_at = -1
            self.schedule_requeue(own.queues[0])

    def _take_policy(self, policy: Policy) -> None:
        """Copy the tree, and apply the differences to the source's policy to the ledger."""
        base, source = self._base, self._base.state
        self.policy = policy
        self.derived = None
        # Rules may route to queues outside this copy; routing is the same under both policies.
        self._router, self._judge = base.router, base.judge.under(policy)
        self._eligibility = EligibilityCache(self._judge)
        self._discipline = load_discipline(policy.discipline)
        self._is_lost = self._discipline.is_lost
        self._shares_by_request = self._discipline.shares_by_request
        self._builder = DecisionBuilder(policy, self._discipline)
        self.ledger = source.ledger.copy(base.tree.root)
        for theirs in base.tree.queues:
            mine = self.queues[theirs.name] = QueueState(theirs.name)
            mine.apply_policy(policy)
            mine.account = self.ledger.queue(theirs.name)
            mine.running = theirs.running.copy()
            mine.held = theirs.held
            mine.unrestored = theirs.unrestored
        self.ledger.adapt(source.policy, policy, self.queues)
        tree = LiveTree(self.ledger.queue(base.tree.queues[0].name).root, self.queues.values())
        tree.copy_usage_by_priority(base.tree)

    @property
    def tree(self) -> LiveTree:
        """The copied tree."""
        return self.queues[self._source.queues[0].name].tree

    @contextmanager
    def under(self, policy: Policy) -> Iterator[None]:
        """
        Apply the settings of *policy* to queues and cohorts within the context.

        It costs less than a snapshot under that policy. Within the context, nothing may be
        decided, and no workload is evaluated again.
        """
        before = self.policy
        self._swap(before, policy)
        try:
            yield
        finally:
            self._swap(policy, before)

    def _swap(self, before: Policy, after: Policy) -> None:
        for name, queue in self.queues.items():
            if after.queues[name] is not before.queues[name]:
                queue.apply_policy(after)
        self.ledger.adapt(before, after, self.queues)

    def add_pending(
        self, queue: str, members: Iterable[Pending], *, keep_inadmissible: bool = False
    ) -> None:
        """
        Add *members* of one class of *queue* as pending workloads, with turns in order.

        With *keep_inadmissible*, classes that are inadmissible in the source stay so, and get a
        turn after the same events as in the source. Use it only before any change here.
        """
        state = self.queues[queue]
        pending_queue = self._base.state.queues[queue].pending
        for each in members:
            pending = _copy(each)
            self.pending[pending.workload.id] = pending
            cls = state.pending.join(pending)
            if pending.yields_to is not None:
                state.tree.yielding[pending.workload.id] = pending
            gets_no_turn = pending.yields_to is not None or pending.workload.inactive is not None
            if gets_no_turn or (
                keep_inadmissible
                and pending_queue.is_inadmissible(pending_queue.classes[each.class_key])
            ):
                state.pending.set_inadmissible(cls)
        if not keep_inadmissible:
            self.schedule_requeue(state)

    def preempt(
        self,
        queue: AnyQueue,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
        others: Iterable[str],
        turn: TurnStep | None,
    ) -> bool:
        """Evict copies of *targets*, because the originals belong to the source."""
        mine = tuple(replace(target, running=self._own(target)) for target in targets)
        return super().preempt(queue, pending, nomination, mine, others, turn)

    def release(self, workload_id: str) -> bool:
        """Release the quota of a stopped workload; finish it if its route is in another tree."""
        running = self.running.get(workload_id)
        if running is not None and self._router.route(running.workload).queue not in self.queues:
            return self.finish(workload_id)
        return super().release(workload_id)

    def _own(self, target: Target) -> Running:
        running = target.running
        if not running.evicting:
            running = replace(running)
            self.running[running.workload.id] = running
            target.queue.running.replace(running)
        return running


def _copy(pending: Pending) -> Pending:
    return replace(pending, scan=None)
