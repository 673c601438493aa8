"""The admission cycle: the next class in order is admitted, makes room, or is parked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from console.engine.decision import Reason
from console.engine.disciplines.quota.flavors import (
    Books,
    FlavorAssignment,
    assign_flavors,
    wanted,
)
from console.engine.disciplines.quota.preemption import Preemptor, describe_search, find_targets
from console.engine.ledger import FlavorResource
from console.engine.pending import Pending, Verdict
from console.engine.policy import Queue
from console.engine.running import Running
from console.engine.trace import FlavorVerdict, GroupStep, PreemptionStep

if TYPE_CHECKING:
    from console.engine.state import QueueState, State


@dataclass(frozen=True, slots=True)
class QuotaNomination:
    """What would happen to a workload now: the flavors it would take and who would have to stop."""

    found: FlavorAssignment
    targets: tuple[Running, ...]
    preemption: PreemptionStep | None

    @property
    def groups(self) -> tuple[GroupStep, ...]:
        """The walk over the flavors."""
        return self.found.groups

    @property
    def fits(self) -> bool:
        """Whether it can be admitted at once."""
        return self.found.verdict is FlavorVerdict.FITS

    @property
    def waits(self) -> bool:
        """Whether it can be admitted once workloads that were told to stop have stopped."""
        return self.found.verdict is FlavorVerdict.WAITS_FOR_PREEMPTED

    @property
    def asks(self) -> Mapping[FlavorResource, int]:
        """What the workload would take of the best flavors, in thousandths."""
        return self.found.usage

    @property
    def pending_reason(self) -> Reason:
        """Why it cannot be admitted now: the most lasting reason of all its groups."""
        if self.found.verdict is FlavorVerdict.EXCEEDS_MAX:
            return Reason.EXCEEDS_MAX_QUOTA
        if self.targets or self.waits:
            return Reason.WAITING_FOR_PREEMPTED
        if self.found.fits_without_promises:
            return Reason.BEHIND_OTHERS
        return Reason.WAITING_FOR_QUOTA


class QuotaDiscipline:
    """Admits by quota, flavors in listed order, and preempts where the queue says so."""

    def wants(self, queue: Queue, pending: Pending) -> frozenset[FlavorResource]:
        """Return every flavor-resource that *pending* could take."""
        return frozenset(wanted(queue, pending.route.matches, pending.requests))

    def settle_queue(self, state: State, queue: QueueState) -> None:
        """
        Look at the awake classes of *queue* in order until none is left.

        A class that fits is admitted member by member; one that fits after
        others stopped, by its own doing or not, gets a promise of their room;
        any other is parked, and later classes may overtake it (best effort).
        """
        while state.has_budget:
            cls = queue.line.next()
            if cls is None:
                return
            nomination = self.nominate(state, queue, cls.head)
            if nomination.fits:
                state.admit(cls.head, nomination, nomination.found.assignment)
            elif nomination.targets or nomination.waits:
                state.preempt(cls.head, nomination, nomination.targets, nomination.found.usage)
            else:
                state.park(cls, Verdict(nomination.pending_reason, nomination.asks, nomination))

    def nominate(self, state: State, queue: QueueState, pending: Pending) -> QuotaNomination:
        """Return what would happen to *pending* now, without changing anything."""
        books = Books(state.ledger, state.expected)
        policy, priority = queue.policy, pending.route.priority
        assert policy is not None
        assert priority is not None

        def could_make_room(key: FlavorResource, amount: int) -> bool:
            alone = Preemptor(policy, priority, {key: amount}, frozenset((key,)))
            return bool(find_targets(books, queue.running, alone))

        found = assign_flavors(
            books, policy, pending.route.matches, pending.requests, could_make_room
        )
        if found.verdict not in (FlavorVerdict.PREEMPT, FlavorVerdict.NO_CANDIDATES):
            return QuotaNomination(found, (), None)
        return self._search(books, policy, queue, priority, found)

    def _search(
        self,
        books: Books,
        policy: Queue,
        queue: QueueState,
        priority: int,
        found: FlavorAssignment,
    ) -> QuotaNomination:
        preemptor = Preemptor(policy, priority, found.usage, found.short)
        targets = find_targets(books, queue.running, preemptor)
        step = describe_search(queue.running, preemptor, targets)
        return QuotaNomination(found, targets, step)
