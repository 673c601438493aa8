"""How long a workload runs before it may be preempted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.disciplines.fairshare.spec import FairQueue, ReclaimMethod, Settings
from console.engine.disciplines.fairshare.tree import QueueTree


@dataclass(frozen=True, slots=True, kw_only=True)
class MinRuntimes:
    """The minimum runtimes of a policy, in milliseconds."""

    tree: QueueTree[FairQueue]
    settings: Settings

    @property
    def limit_reclaim(self) -> bool:
        """Whether any workload is protected from others of other queues for some time."""
        return self.settings.reclaim_min_runtime > 0 or any(
            each.reclaim_min_runtime for each in self.tree.queues.values()
        )

    def all_of(self, victim: str) -> set[int]:
        """Return every runtime that may protect a workload of *victim*, without 0."""
        found = {self.settings.preempt_min_runtime, self.settings.reclaim_min_runtime}
        for each in self.tree.path(victim):
            queue = self.tree.queues[each]
            found |= {queue.preempt_min_runtime or 0, queue.reclaim_min_runtime or 0}
        return found - {0}

    def within_queue(self, victim: str) -> int:
        """Return the runtime before a workload of the same queue may preempt one of *victim*."""
        stated = (self.tree.queues[each].preempt_min_runtime for each in self.tree.path(victim))
        return _first(stated, self.settings.preempt_min_runtime)

    def across_queues(self, reclaiming: str, victim: str) -> int:
        """Return the runtime before a workload of *reclaiming* may preempt one of *victim*."""
        path = self.tree.path(victim)
        if self.settings.reclaim_method is ReclaimMethod.COMMON_ANCESTOR:
            branches = self.tree.branches(reclaiming, victim)
            if branches is not None:
                path = path[path.index(branches[1]) :]
        stated = (self.tree.queues[each].reclaim_min_runtime for each in path)
        return _first(stated, self.settings.reclaim_min_runtime)


def is_protected(started: int | None, min_runtime: int, now: int) -> bool:
    """
    Return whether a workload that *started* has not run for *min_runtime* yet.

    Times in milliseconds since 1970 in UTC. A workload whose start is not known is not protected.
    """
    return started is not None and now < started + min_runtime


def may_be_considered(running: int, minimum: int, *, protected: bool) -> bool:
    """Return whether a workload may lose any pod: a protected one, only above its minimum."""
    return not protected or running > minimum


def may_lose(running: int, lost: int, minimum: int, *, protected: bool) -> bool:
    """Return whether a workload may lose pods of a group: a protected one keeps its minimum."""
    return not protected or running - lost >= minimum


def _first(stated: Iterable[int | None], default: int) -> int:
    return next((each for each in stated if each is not None), default)
