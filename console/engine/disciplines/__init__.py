"""The ways in which a world admits: one folder each, found by the name a policy gives."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from console.engine.decision import Reason
    from console.engine.ledger import FlavorResource
    from console.engine.pending import Pending
    from console.engine.policy import Queue
    from console.engine.state import QueueState, State
    from console.engine.trace import GroupStep, PreemptionStep


class Nomination(Protocol):
    """What a discipline found for one workload, without having changed anything."""

    @property
    def groups(self) -> tuple[GroupStep, ...]:
        """The walk over the flavors."""

    @property
    def preemption(self) -> PreemptionStep | None:
        """The search for workloads to stop; None when none was needed."""

    @property
    def asks(self) -> Mapping[FlavorResource, int]:
        """What the workload would take of the best flavors, in thousandths."""

    @property
    def pending_reason(self) -> Reason:
        """Why it cannot be admitted now; meaningless when it can."""


class Discipline(Protocol):
    """How a world admits. It reads the state and moves it by the state's own verbs."""

    def wants(self, queue: Queue, pending: Pending) -> frozenset[FlavorResource]:
        """Return every flavor-resource of *queue* whose change may let *pending* fit."""

    def nominate(self, state: State, queue: QueueState, pending: Pending) -> Nomination:
        """Return what would happen to a workload now, without changing anything."""

    def settle_queue(self, state: State, queue: QueueState) -> None:
        """Admit, preempt or park until no class of *queue* is awake or the budget is used."""


def load_discipline(name: str) -> Discipline:
    """Return the discipline in the folder *name*, which the dialect guarantees to exist."""
    discipline: Discipline = import_module(f"{__name__}.{name}").DISCIPLINE
    return discipline
