"""Quota usage over time, from the times that the product reports for admissions and ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from console.bench.workload_tracker import InvariantViolation


class QuotaUsageLog:
    """The runs of all workloads, from the admitting decision until the product records the end."""

    def __init__(self) -> None:
        self._admitted: dict[str, list[datetime]] = defaultdict(list)
        self._amounts: dict[str, int] = {}

    def admitted(self, uid: str, amount: int, at: str) -> None:
        """Record that *uid* uses *amount* from *at* on, an ISO time."""
        self._admitted[uid].append(datetime.fromisoformat(at))
        self._amounts[uid] = amount

    def amount_seconds(self, ends: Mapping[str, str], releases: Iterable[tuple[str, str]]) -> float:
        """
        Return the used amounts times seconds: *ends* of final runs, *releases* of preempted runs.

        Raise InvariantViolation if their numbers do not match the admissions.
        """
        stops: dict[str, list[datetime]] = defaultdict(list)
        for uid, at in releases:
            stops[uid].append(datetime.fromisoformat(at))
        total = 0.0
        for uid, begins in self._admitted.items():
            last = [datetime.fromisoformat(ends[uid])] if uid in ends else []
            until = [*sorted(stops[uid]), *last]
            if len(until) != len(begins):
                raise InvariantViolation(
                    f"{uid} was admitted {len(begins)} times,"
                    f" and its runs ended {len(until)} times."
                )
            for begin, end in zip(begins, until, strict=True):
                total += self._amounts[uid] * (end - begin).total_seconds()
        return total
