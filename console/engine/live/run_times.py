"""The times at which running workloads have run for as long as they may."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush

from console.engine.live.running import Running
from console.engine.model.policy import Policy
from console.engine.model.run_time import max_run_time


def run_time_end(policy: Policy, running: Running) -> int | None:
    """
    Return when *running* has to stop, in milliseconds since 1970 in UTC.

    None: it may run without limit, or its start is not known.
    """
    limit = max_run_time(policy, running.workload)
    if limit is None or running.started is None:
        return None
    return running.started + max(limit - running.workload.past_run_time, 0)


class RunTimes:
    """The ends of the run times of running workloads, the earliest first."""

    def __init__(self) -> None:
        #: (end, workload id). Entries of workloads that have stopped are discarded when they are
        #: the first.
        self._ends: list[tuple[int, str]] = []

    def add(self, policy: Policy, running: Running) -> None:
        """Add *running*, unless it may run without limit or stops already."""
        end = None if running.evicting else run_time_end(policy, running)
        if end is not None:
            heappush(self._ends, (end, running.workload.id))

    def first(self, policy: Policy, running: Mapping[str, Running]) -> tuple[int, Running] | None:
        """Return the first end of a workload that is still *running*, with the workload."""
        while self._ends:
            end, uid = self._ends[0]
            found = running.get(uid)
            is_current = found is not None and not found.evicting
            if found is not None and is_current and run_time_end(policy, found) == end:
                return end, found
            heappop(self._ends)
        return None
