"""Demand: the total request of pending workloads, separated by whether they can ever run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.reasons import Shortage, reason_of, registered_reasons


def cannot_run_reasons() -> tuple[str, ...]:
    """Return the codes of reasons with which a pending workload can never run."""
    return tuple(sorted(reason for reason in registered_reasons() if reason.cannot_run))


def reasons_without_position() -> tuple[str, ...]:
    """Return the codes of reasons with which a pending workload has no position in its queue."""
    return tuple(sorted(reason for reason in registered_reasons() if not reason.has_position))


def short_of_quota_reasons() -> tuple[str, ...]:
    """Return the codes of reasons with which a workload waits for quota to be released."""
    found = (reason for reason in registered_reasons() if reason.shortage is Shortage.NOW)
    return tuple(sorted(found))


def is_short_of_quota(reasons: Mapping[str, int]) -> bool:
    """Return whether any workload with one of *reasons* waits for quota to be released."""
    return any(reasons.get(reason) for reason in short_of_quota_reasons())


@dataclass(slots=True)
class Demand:
    """
    The requests of the pending workloads of one queue, by resource, in thousandths.

    All requests are the sum of *wanted* and *cannot_run*, without those of deactivated workloads.
    Requests of workloads that can never run under the active config are no demand, because no
    released quota lets them start.
    """

    wanted: Counter[str] = field(default_factory=Counter)
    cannot_run: Counter[str] = field(default_factory=Counter)
    #: Number of pending workloads by reason.
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str, requests: Mapping[str, int], count: int) -> None:
        """Add *count* workloads with *reason*, each with *requests*."""
        self.reasons[reason] += count
        if reason_of(reason).is_deactivated:
            return
        amounts = self.cannot_run if reason_of(reason).cannot_run else self.wanted
        for resource, amount in requests.items():
            amounts[resource] += amount * count


def cannot_run_count(reasons: Mapping[str, int]) -> int:
    """Return the number of workloads in *reasons*, by reason, that can never run."""
    return sum(count for reason, count in reasons.items() if reason_of(reason).cannot_run)
