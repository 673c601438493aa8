"""Trials: checks and proofs of changes for one pending workload, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from console.engine.counterfactual.proof import Proof, Started
from console.engine.disciplines import load_discipline
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.live.snapshot import Snapshot, SnapshotBase
from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.model.common_reasons import BEHIND_OTHERS, WAITING_FOR_PREEMPTED
from console.engine.model.inventory import Inventory
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending, min_requests_of
from console.engine.routing.router import Router
from console.engine.state import State

#: Members of a class on a snapshot; the proof is repeated with more members if all of them start.
_MEMBERS = (8, 128, 4_096)

#: Cost of a proof in evaluations: about as many checks take the same time.
PROOF = 5

_COULD = frozenset({BEHIND_OTHERS, WAITING_FOR_PREEMPTED})


class BudgetSpent(Exception):
    """The budget of evaluations is exhausted."""


class Stopped(Exception):
    """The caller has stopped the search; the present trial has no result."""


@dataclass(slots=True)
class Budget:
    """The evaluations that are left, which trials may share."""

    left: int


class Trials:
    """
    Checks and proofs of changes for one pending workload.

    A changed workload counts as submitted again: it is behind all others of its priority.
    A trial raises BudgetSpent when *budget* is exhausted, and Stopped when *should_stop*, which
    is called before each check and each turn of a proof, returns True.
    """

    def __init__(
        self,
        state: State,
        pending: Pending,
        budget: int,
        known: Collection[str] | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        is_thorough: bool = False,
        beside: Trials | None = None,
    ) -> None:
        """Prepare trials; with *beside*, they use up the budget of those instead of their own."""
        self.state = state
        self._known = state.queues.keys() if known is None else known
        self.policy = state.policy
        self.pending = pending
        self.uid = pending.workload.id
        self.budget: Budget = Budget(budget) if beside is None else beside.budget
        self._should_stop = should_stop
        #: Whether all candidates of a kind are tried.
        self._is_thorough = is_thorough
        self._router = Router(state.policy)
        self.discipline = load_discipline(state.policy.discipline)
        self.judge = self.discipline.eligibility(state.policy)
        self._bases: dict[LiveTree, SnapshotBase] = {}
        #: A snapshot for checks, on which no cycle runs.
        self._scratch: Snapshot | None = None
        self._unblocked: dict[LiveTree, frozenset[str]] = {}

    @property
    def left(self) -> int:
        """The evaluations that are left."""
        return self.budget.left

    def alone(self) -> Trials | None:
        """
        Return trials as if nothing else ran or was pending; None if it would start then.

        They have the same config, nodes and budget.
        """
        state = State(self.policy, now=self.state.now, is_sparse=True)
        state.change_inventory(self.state.inventory)
        state.submit(self.workload)
        state.settle()
        pending = state.pending.get(self.uid)
        if pending is None or pending.route.queue is None:
            return None
        return Trials(
            state,
            pending,
            0,
            self.policy.queues.keys(),
            self._should_stop,
            is_thorough=self._is_thorough,
            beside=self,
        )

    @property
    def workload(self) -> Workload:
        """The unchanged workload."""
        return self.pending.workload

    @property
    def queue(self) -> AnyQueue:
        """The queue of the workload; there has to be one."""
        return self.state.queues[self.pending.route.queue or ""]

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*."""
        return self._router.route(workload)

    def most(self, candidates: int) -> int | None:
        """Return the number of candidates of a kind to try: *candidates*, or None for all."""
        return None if self._is_thorough else candidates

    # Checks

    def could_start(self, workload: Workload, state: State | None = None) -> bool:
        """
        Return whether *workload* would start or preempt if it had the next turn.

        A cheap check on *state* (None: the live state), without turns of other workloads.
        """
        self._spend()
        candidate = self._as_pending(workload)
        if candidate is None:
            return False
        found = self.nominate(candidate, state)
        return found is not None and found.pending_reason in _COULD

    def could_start_under(self, policy: Policy) -> bool:
        """Return `could_start` of the unchanged workload under another *policy*."""
        with self.scratch.under(policy):
            return self.could_start(self.workload, self.scratch)

    @property
    def scratch(self) -> Snapshot:
        """A snapshot for checks: callers undo all changes on it, and run no cycle."""
        if self._scratch is None:
            self._scratch = self.snapshot()
        return self._scratch

    def fits(self, state: State, gone: Iterable[str] = ()) -> bool:
        """
        Return whether the workload would start on *state* without preemption in the next turn.

        *gone* has running workloads that the ledger of *state* no longer counts.
        """
        self._spend()
        if self.discipline.has_no_room(
            state.queues[self.queue.name], min_requests_of(self.workload)
        ):
            return False
        candidate = self._as_pending(self.workload)
        found = self.nominate(candidate, state, gone) if candidate is not None else None
        return found is not None and found.pending_reason is BEHIND_OTHERS

    def nominate(
        self, candidate: Pending, state: State | None = None, gone: Iterable[str] = ()
    ) -> Nomination | None:
        """Return the nomination of *candidate* now, or None if its queue gives no turns."""
        target_state = state or self.state
        queue = target_state.queues.get(candidate.route.queue or "")
        if queue is None or queue.barrier is not None or not self.discipline.is_limited(queue):
            return None
        return self.discipline.nominate(target_state, queue, candidate, without=frozenset(gone))

    def short(self) -> dict[FlavorResource, int]:
        """Return the shortage by flavor-resource, in all flavors that accept the workload."""
        queue = self.queue
        missing: dict[FlavorResource, int] = {}
        for key, amount in self.requests().items():
            available = queue.account.available(key)
            if not isinstance(available, Unlimited) and amount > available:
                missing[key] = amount - available
        return missing

    def requests(self) -> dict[FlavorResource, int]:
        """Return its requests in every flavor that accepts it, in thousandths."""
        assert self.queue.policy is not None
        obstacles = self.judge.obstacles(self.workload, self.queue.policy)
        return self.discipline.requested(self.queue, self.workload, obstacles)

    # Proofs

    def snapshot(self, policy: Policy | None = None, queue: str | None = None) -> Snapshot:
        """Return a snapshot of the tree of the workload, or of the tree of *queue*."""
        name = queue or self.queue.name
        tree = self.state.queues[name].tree
        base = self._bases.get(tree)
        if base is None:
            base = SnapshotBase(
                self.state,
                name,
                router=self._router,
                judge=self.judge,
                before_turn=self.check_stopped,
            )
            self._bases[tree] = base
        return base.snapshot(policy)

    def starts(
        self,
        *,
        workload: Workload | None = None,
        policy: Policy | None = None,
        inventory: Inventory | None = None,
        ends: Iterable[str] = (),
        resume: bool = False,
    ) -> Started | None:
        """
        Return the effects if the workload starts after the given changes, or None.

        *workload* replaces it, *inventory* replaces clusters and nodes, *ends* are running
        workloads that end, and *resume* resumes its queue. Victims stop.
        """
        gone = tuple(ends)
        for members in _MEMBERS:
            self._spend(PROOF)
            proof = Proof(self, workload, policy, members, inventory=inventory)
            found = proof.start(gone, resume=resume)
            if not proof.was_cut:
                return found
        return None

    def starts_after_stopping(self, stopping: Iterable[str]) -> bool:
        """Return whether the workload starts after *stopping* have stopped."""
        self._spend(PROOF)
        proof = Proof(self, None, None, _MEMBERS[1])
        return proof.start_after_stopping(stopping)

    def unblocked_preemptors(self, queue: str) -> frozenset[str]:
        """
        Return the preempting workloads in the tree of *queue* that would start without a change.

        They start after their victims have stopped.
        """
        tree = self.state.queues[queue].tree
        if tree not in self._unblocked:
            self._unblocked[tree] = frozenset()
            if any(each.preemptors for each in tree.queues):
                self._unblocked[tree] = Proof(
                    self, None, None, _MEMBERS[0], queue
                ).unblocked_preemptors()
        return self._unblocked[tree]

    def check_stopped(self) -> None:
        """Raise Stopped if the caller has stopped the search."""
        if self._should_stop():
            raise Stopped

    def _spend(self, evaluations: int = 1) -> None:
        self.check_stopped()
        if self.left < evaluations:
            raise BudgetSpent
        self.budget.left -= evaluations

    def _as_pending(self, workload: Workload) -> Pending | None:
        route = self.route(workload)
        if route.queue is None or route.queue not in self._known or route.problem is not None:
            return None
        queue = self.policy.queue(route.queue)
        assert queue is not None
        found = self.judge.judge(workload, queue)
        if found.rejection is not None:
            return None
        return Pending(workload, route, found)
