"""The disciplines: how workloads are admitted, one folder each, named by the policy."""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from console.engine.live.accounts import QueueLedger
    from console.engine.live.live_tree import AnyQueue, LiveTree
    from console.engine.model.nomination import Nomination, Report
    from console.engine.model.policy import Policy
    from console.engine.pending.pending_class import Pending
    from console.engine.state import State


class Progress(Enum):
    """The result of one cycle of a tree."""

    #: A workload was admitted or preempted.
    DECIDED = "decided"
    #: No decision, but queues have another head now, or other flavors to try.
    MOVED = "moved"
    #: Nothing changed.
    NOTHING = "nothing"


class Discipline(Protocol):
    """How workloads are admitted. It reads the state and changes it through the state's methods."""

    def ledger(self, policy: Policy) -> QueueLedger:
        """Return the accounts of all queues of *policy*, with nothing charged."""

    def cycle(self, state: State, tree: LiveTree, *, skipping: bool) -> Progress:
        """
        Give the head of every queue of *tree* its turn.

        *skipping* passes over turns that cannot succeed; the decisions are the same.
        """

    def last_look(self, state: State, tree: LiveTree) -> bool:
        """
        Admit what fits in a tree that has come to rest; return whether anything was admitted.

        The order of turns can leave a workload inadmissible although it fits.
        """

    def nominate(
        self,
        state: State,
        queue: AnyQueue,
        pending: Pending,
        *,
        without: frozenset[str] = frozenset(),
    ) -> Nomination:
        """
        Return what would happen to a workload now, without changing anything.

        *without* are ids of running workloads that the ledger no longer counts.
        """

    def report(self, state: State, queue: AnyQueue, pending: Pending) -> Report:
        """Return the nomination in full, for an explanation."""


def load_discipline(name: str) -> Discipline:
    """Return the discipline in the folder *name*, which the dialect guarantees to exist."""
    discipline: Discipline = import_module(f"{__name__}.{name}.discipline").DISCIPLINE
    return discipline
