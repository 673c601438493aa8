"""The order of the workloads of one queue, and which of them cannot be preempted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.fairshare.gangs import Elasticity

#: Workloads of this priority and above are not preempted, unless they state that they may be.
NON_PREEMPTIBLE_PRIORITY: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedence:
    """What the order of a workload in its queue depends on."""

    priority: int
    elasticity: Elasticity
    created: int
    id: str

    def key(self) -> tuple[int, int, int, str]:
        """
        Return the sort key: workloads with smaller ones get their turns earlier.

        Victims are taken in the opposite order.
        """
        return -self.priority, self.elasticity, self.created, self.id


def is_preemptible(priority: int, stated: bool | None) -> bool:
    """Return whether a workload may be preempted; *stated*: as it states itself, if it does."""
    return priority < NON_PREEMPTIBLE_PRIORITY if stated is None else stated


def may_preempt(priority: int, victim: int, *, is_victim_preemptible: bool) -> bool:
    """Return whether a workload may preempt another one of its queue, by their priorities."""
    return is_victim_preemptible and victim < priority
