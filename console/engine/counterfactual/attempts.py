"""
Attempts: the single changes of one kind that may be tried, and how far that has come.

The kinds take turns, one attempt each, so that of every kind the most promising is tried before
evaluations or time run out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import BudgetSpent, Stopped, Trials

#: Tries one candidate; None: it does not start the workload, or need not be told.
Attempt: TypeAlias = Callable[[], Change | None]


class Attempts:
    """The attempts of one kind, the most promising first."""

    def __init__(
        self, kind: ChangeKind, attempts: Iterable[Attempt], *, tried: int | None, told: int
    ) -> None:
        """Take at most *tried* of *attempts*, or all if None, until *told* changes are found."""
        self.kind = kind
        self.found: list[Change] = []
        #: Attempts that came to an end, and those that were not made for want of a limit.
        self.tried = self.left = 0
        #: Whether some candidate was looked at, rather than known to be nothing.
        self._asked = False
        self._told = told
        every = list(attempts)
        self._attempts = every[:tried]
        self._beyond = len(every) - len(self._attempts)
        self._is_cut = False

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to try."""
        return self._is_cut or not self._to_come or len(self.found) >= self._told

    @property
    def is_in_vain(self) -> bool:
        """Whether every candidate was tried, some were looked at, and none helps."""
        return self.is_over and self._asked and not self.found and not self.untried

    @property
    def untried(self) -> int:
        """How many candidates are neither proven nor refuted, and would have been tried."""
        if len(self.found) >= self._told:
            return 0
        return self._to_come + self._beyond

    @property
    def _to_come(self) -> int:
        return len(self._attempts) - self.tried

    def step(self, trials: Trials) -> None:
        """Make the next attempt; one for which evaluations run out is the last. Raises Stopped."""
        left = trials.left
        try:
            change = self._attempts[self.tried]()
        except BudgetSpent:
            self._is_cut = True
            return
        except Stopped:
            self._is_cut = True
            raise
        finally:
            self._asked = self._asked or trials.left < left
        self.tried += 1
        if change is not None:
            self.found.append(change)
