"""
Attempts: the search for changes of one kind, candidate by candidate.

The kinds take turns, one candidate each, so that the most promising candidates of every kind are
tried before the budget or the time is used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import BudgetSpent, Stopped, Trials

#: Tries one candidate; None: it does not start the workload, or is not worth returning.
Attempt: TypeAlias = Callable[[], Change | None]


class Attempts:
    """The search for changes of one kind, the most promising candidates first."""

    def __init__(
        self, kind: ChangeKind, attempts: Iterable[Attempt], *, tried: int | None, told: int
    ) -> None:
        """Try at most *tried* of *attempts* (None: all), until *told* changes are found."""
        self.kind = kind
        self.found: list[Change] = []
        #: Number of completed attempts.
        self.tried = 0
        #: Whether any candidate was evaluated.
        self._asked = False
        self._told = told
        every = list(attempts)
        self._attempts = every[:tried]
        self._beyond = len(every) - len(self._attempts)
        self._is_cut = False

    @property
    def is_over(self) -> bool:
        """Whether the search has ended."""
        return self._is_cut or not self._to_come or len(self.found) >= self._told

    @property
    def is_in_vain(self) -> bool:
        """Whether every candidate was tried, some were evaluated, and none starts the workload."""
        return self.is_over and self._asked and not self.found and not self.untried

    @property
    def untried(self) -> int:
        """The number of candidates without a result; 0 once enough changes are found."""
        if len(self.found) >= self._told:
            return 0
        return self._to_come + self._beyond

    @property
    def _to_come(self) -> int:
        return len(self._attempts) - self.tried

    def step(self, trials: Trials) -> None:
        """Try the next candidate; the search ends if the budget is exhausted. Raises Stopped."""
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
