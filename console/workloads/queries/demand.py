"""Demand: what pending workloads ask for, those that can never run counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.reasons import Shortage, reason_of, registered_reasons


def cannot_run_reasons() -> tuple[str, ...]:
    """Return the reasons for which a pending workload can never run, as rows have them."""
    return tuple(sorted(reason for reason in registered_reasons() if reason.cannot_run))


def short_of_quota_reasons() -> tuple[str, ...]:
    """Return the reasons for which a workload waits until quota is released, as rows have them."""
    found = (reason for reason in registered_reasons() if reason.shortage is Shortage.NOW)
    return tuple(sorted(found))


def is_short_of_quota(reasons: Mapping[str, int]) -> bool:
    """Say whether any of the workloads that wait for *reasons* waits until quota is released."""
    return any(reasons.get(reason) for reason in short_of_quota_reasons())


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
        amounts = self.cannot_run if reason_of(reason).cannot_run else self.wanted
        for resource, amount in requests.items():
            amounts[resource] += amount * count


def cannot_run_count(reasons: Mapping[str, int]) -> int:
    """Return how many of the workloads that wait for *reasons* can never run."""
    return sum(count for reason, count in reasons.items() if reason_of(reason).cannot_run)
