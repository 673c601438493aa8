"""The ways in which a world admits: one folder each, found by the name a policy gives."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from console.engine.decision import Reason
    from console.engine.ledger import FlavorResource
    from console.engine.pending import Pending
    from console.engine.state import State
    from console.engine.trace import GroupStep, PreemptionStep, TurnStep
    from console.engine.tree import QueueState, Tree


class Progress(Enum):
    """What one cycle of a tree came to."""

    #: Somebody was admitted or told to stop.
    DECIDED = "decided"
    #: Nobody was, and the lines have others in front now, or other flavors to try.
    MOVED = "moved"
    #: Everybody stands where they stood.
    NOTHING = "nothing"


class Nomination(Protocol):
    """What a discipline found for one workload, without having changed anything."""

    @property
    def groups(self) -> tuple[GroupStep, ...]:
        """The walks over the flavors."""

    @property
    def preemption(self) -> PreemptionStep | None:
        """The search for workloads to stop; None when none was needed."""

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """What the workload would take of the best flavors, in thousandths."""

    @property
    def undeclared(self) -> str | None:
        """The requested resource that no group covers, where that keeps it out."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many pods of each pod set it would start with."""

    @property
    def is_lasting(self) -> bool:
        """Whether it would find the same for as long as there is too little room."""

    @property
    def pending_reason(self) -> Reason:
        """Why it cannot be admitted now; meaningless when it can."""


class Report(Nomination, Protocol):
    """A nomination as of one moment, with everything that a person wants to know of it."""

    @property
    def turn(self) -> TurnStep | None:
        """Who keeps the workload from what was found for it; None: nobody that is known."""


class Discipline(Protocol):
    """How a world admits. It reads the state and moves it by the state's own verbs."""

    def cycle(self, state: State, tree: Tree, *, skipping: bool) -> Progress:
        """
        Give the first of every queue of *tree* its turn.

        *skipping* lets turns pass that are sure to come to nothing; the decisions are
        the same.
        """

    def last_look(self, state: State, tree: Tree) -> bool:
        """
        Start whoever could start in a tree that has come to rest; say whether anybody did.

        The order of turns can leave one parked who fits.
        """

    def nominate(
        self,
        state: State,
        queue: QueueState,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Nomination:
        """
        Return what would happen to a workload now, without changing anything.

        *without* are ids of running workloads that the ledger does not count any more.
        """

    def report(self, state: State, queue: QueueState, pending: Pending) -> Report:
        """Return the same in full, for those who ask why."""


def load_discipline(name: str) -> Discipline:
    """Return the discipline in the folder *name*, which the dialect guarantees to exist."""
    discipline: Discipline = import_module(f"{__name__}.{name}").DISCIPLINE
    return discipline
