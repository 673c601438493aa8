"""Trials: would it start if? Looked at on the live state, and proven on a fork; all are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from console.engine.counterfactual.proof import Proof, Started
from console.engine.disciplines import load_discipline
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.live.snapshot import Snapshot, SnapshotBase
from console.engine.model.amounts import FlavorResource, Unlimited
from console.engine.model.common_reasons import BEHIND_OTHERS, WAITING_FOR_PREEMPTED
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.workload import Workload
from console.engine.pending.pending_class import Pending, min_requests_of
from console.engine.routing.router import Router
from console.engine.state import State

#: Members of a class that a fork begins with; more where all of them start.
_MEMBERS = (8, 128, 4_096)

#: Evaluations that a proof counts as: about as many looks take as long.
PROOF = 5

_COULD = frozenset({BEHIND_OTHERS, WAITING_FOR_PREEMPTED})


class BudgetSpent(Exception):
    """All evaluations are used up."""


class Stopped(Exception):
    """The caller wants no more trials; the one under way says nothing."""


class Trials:
    """
    One workload that waits in a queue, and what is tried for it.

    A workload that asks for something else is handed in again: it stands behind
    everybody of its priority. Raises BudgetSpent from any trial beyond *budget*, and Stopped
    once *should_stop*, which is asked before each look and each turn of a proof, says so.
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
    ) -> None:
        self.state = state
        self._known = state.queues.keys() if known is None else known
        self.policy = state.policy
        self.pending = pending
        self.uid = pending.workload.id
        self.left = budget
        self._should_stop = should_stop
        #: Whether every candidate of a kind is tried, however many there are.
        self._is_thorough = is_thorough
        self._router = Router(state.policy)
        self.discipline = load_discipline(state.policy.discipline)
        self.judge = self.discipline.eligibility(state.policy)
        self._grounds: dict[LiveTree, SnapshotBase] = {}
        #: A fork on which nothing is ever decided.
        self._look_out: Snapshot | None = None
        self._saved: dict[LiveTree, frozenset[str]] = {}

    @property
    def workload(self) -> Workload:
        """The workload as it is."""
        return self.pending.workload

    @property
    def queue(self) -> AnyQueue:
        """The queue it waits in; there has to be one."""
        return self.state.queues[self.pending.route.queue or ""]

    def route(self, workload: Workload) -> Route:
        """Return where *workload* would go."""
        return self._router.route(workload)

    def most(self, candidates: int) -> int | None:
        """Return how many candidates of a kind are tried, usually *candidates*; None: all."""
        return None if self._is_thorough else candidates

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

    def could_start_under(self, policy: Policy) -> bool:
        """Say the same of the workload as it is, under another *policy*."""
        with self.look_out.under(policy):
            return self.could_start(self.workload, self.look_out)

    @property
    def look_out(self) -> Snapshot:
        """A fork for looks: whatever is changed on it is undone, and nothing is decided."""
        if self._look_out is None:
            self._look_out = self.snapshot()
        return self._look_out

    def fits(self, state: State, gone: Iterable[str] = ()) -> bool:
        """
        Say whether it would start on *state* without stopping anybody, if it were its turn.

        *gone* are running workloads that the ledger of *state* does not count any more.
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
        """Return what would happen to *candidate* now; None: nobody of its queue has a turn."""
        looked_at = state or self.state
        queue = looked_at.queues.get(candidate.route.queue or "")
        if queue is None or queue.barrier is not None or not self.discipline.is_limited(queue):
            return None
        return self.discipline.nominate(looked_at, queue, candidate, without=frozenset(gone))

    def short(self) -> dict[FlavorResource, int]:
        """Return what is missing by flavor-resource, over all flavors that accept it."""
        queue = self.queue
        missing: dict[FlavorResource, int] = {}
        for key, amount in self.asked().items():
            available = queue.account.available(key)
            if not isinstance(available, Unlimited) and amount > available:
                missing[key] = amount - available
        return missing

    def asked(self) -> dict[FlavorResource, int]:
        """Return what it would ask of every flavor that accepts it, in thousandths."""
        assert self.queue.policy is not None
        obstacles = self.judge.obstacles(self.workload, self.queue.policy)
        return self.discipline.requested(self.queue, self.workload, obstacles)

    # Proven

    def snapshot(self, policy: Policy | None = None, queue: str | None = None) -> Snapshot:
        """Return a fork of the tree in which it waits, or of that of *queue*."""
        name = queue or self.queue.name
        tree = self.state.queues[name].tree
        ground = self._grounds.get(tree)
        if ground is None:
            ground = SnapshotBase(
                self.state,
                name,
                router=self._router,
                judge=self.judge,
                going_on=self.go_on,
            )
            self._grounds[tree] = ground
        return ground.snapshot(policy)

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
            proof = Proof(self, workload, policy, members)
            found = proof.start(gone, resume=resume)
            if not proof.was_cut:
                return found
        return None

    def starts_after_stopping(self, stopping: Iterable[str]) -> bool:
        """Say whether waiting is enough: it starts once *stopping* have stopped."""
        self._spend(PROOF)
        proof = Proof(self, None, None, _MEMBERS[1])
        return proof.start_after_stopping(stopping)

    def saved(self, queue: str) -> frozenset[str]:
        """
        Return those in the tree of *queue* for whom others are stopping.

        Only those who would start if nothing but that happened.
        """
        tree = self.state.queues[queue].tree
        if tree not in self._saved:
            self._saved[tree] = frozenset()
            if any(each.preemptors for each in tree.queues):
                self._saved[tree] = Proof(self, None, None, _MEMBERS[0], queue).saved()
        return self._saved[tree]

    def go_on(self) -> None:
        """Raise Stopped when no more is to be tried."""
        if self._should_stop():
            raise Stopped

    def _spend(self, evaluations: int = 1) -> None:
        self.go_on()
        if self.left < evaluations:
            raise BudgetSpent
        self.left -= evaluations

    def _as_pending(self, workload: Workload) -> Pending | None:
        route = self.route(workload)
        if route.queue is None or route.queue not in self._known or route.problem is not None:
            return None
        found = self.judge.judge(workload, self.policy.queues[route.queue])
        if found.rejection is not None:
            return None
        return Pending(workload, route, found.obstacles, found.alike)
