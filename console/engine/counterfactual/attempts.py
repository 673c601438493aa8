"""
Attempts: the search for changes of one kind, candidate by candidate.

The kinds take turns, one candidate each, so that the most promising candidates of every kind are
tried before the budget or the time is used up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import BudgetSpent, Stopped, Trials

#: Tries one candidate; None: it does not start the workload, or is not worth returning.
Attempt: TypeAlias = Callable[[], Change | None]


class Attempts:
    """The search for changes of one kind, the most promising candidates first."""

    def __init__(
        self,
        kind: ChangeKind,
        attempts: Iterable[Attempt],
        *,
        most_tried: int | None,
        most_found: int,
    ) -> None:
        """Try at most *most_tried* of *attempts* (None: all), up to *most_found* changes."""
        self.kind = kind
        self.found: list[Change] = []
        #: Number of completed attempts.
        self.tried = 0
        #: Whether any candidate was evaluated.
        self._was_evaluated = False
        self._most_found = most_found
        every = list(attempts)
        self._attempts = every[:most_tried]
        self._not_considered = len(every) - len(self._attempts)
        self._is_cut = False

    def with_change(self, changed: Callable[[Change], Change]) -> Attempts:
        """Return the same search, whose found changes are *changed*."""
        self._attempts = [partial(_changed, each, changed) for each in self._attempts]
        return self

    @property
    def is_over(self) -> bool:
        """Whether the search has ended."""
        return self._is_cut or not self._remaining or len(self.found) >= self._most_found

    @property
    def has_failed(self) -> bool:
        """Whether every candidate was tried, some were evaluated, and none starts the workload."""
        return self.is_over and self._was_evaluated and not self.found and not self.untried

    @property
    def untried(self) -> int:
        """The number of candidates without a result; 0 once enough changes are found."""
        if len(self.found) >= self._most_found:
            return 0
        return self._remaining + self._not_considered

    @property
    def _remaining(self) -> int:
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
            self._was_evaluated = self._was_evaluated or trials.left < left
        self.tried += 1
        if change is not None:
            self.found.append(change)


def _changed(attempt: Attempt, changed: Callable[[Change], Change]) -> Change | None:
    found = attempt()
    return None if found is None else changed(found)
