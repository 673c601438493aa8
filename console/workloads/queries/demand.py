"""Demand: what pending workloads ask for, those that can never run counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.model.decision import CANNOT_RUN

#: The reasons of `CANNOT_RUN` as rows have them.
CANNOT_RUN_REASONS: Final = tuple(sorted(reason.value for reason in CANNOT_RUN))


@dataclass(slots=True)
class Demand:
    """
    What the pending workloads of one queue ask for, by resource, in thousandths.

    *wanted* and *cannot_run* together are what all of them ask for. What can never run under
    the active config is no demand: no quota that becomes free lets it start.
    """

    wanted: Counter[str] = field(default_factory=Counter)
    cannot_run: Counter[str] = field(default_factory=Counter)
    #: How many workloads wait for each reason.
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str, requests: Mapping[str, int], count: int) -> None:
        """Count as many workloads as *count*, each of which asks for *requests*."""
        self.reasons[reason] += count
        amounts = self.cannot_run if reason in CANNOT_RUN else self.wanted
        for resource, amount in requests.items():
            amounts[resource] += amount * count


def cannot_run_count(reasons: Mapping[str, int]) -> int:
    """Return how many of the workloads that wait for *reasons* can never run."""
    return sum(count for reason, count in reasons.items() if reason in CANNOT_RUN)
