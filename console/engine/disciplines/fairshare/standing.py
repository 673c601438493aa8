"""What a queue is entitled to in a cycle, what it uses, and the share that follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.fairshare.resources import (
    DIVISION_UNITS,
    NOTHING,
    Amounts,
    Bounds,
    PerResource,
    minus,
    plus,
)
from console.engine.disciplines.fairshare.spec import DEFAULT_PRIORITY
from console.engine.model.amounts import Amount, Unlimited

#: A queue that may use none of a resource has this share for each unit of it.
_SHARE_OF_NONE: Final = 1000


def requestable(limit: Amount, requested: int) -> int:
    """Return the part of a request that the limit allows."""
    # An int is never above UNLIMITED, so that the result is an int.
    return requested if isinstance(limit, Unlimited) else min(limit, requested)


def allocatable(quota: Amount, limit: Amount, fair_share: Amount) -> Amount:
    """
    Return the larger one of quota and fair share, at most the limit.

    >>> from console.engine.model.amounts import UNLIMITED
    >>> allocatable(2000, UNLIMITED, 3000), allocatable(2000, 1000, 3000)
    (3000, 1000)
    >>> allocatable(UNLIMITED, 1000, 0)
    1000
    """
    return min(max(quota, fair_share), limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A queue at one moment; amounts are those of all workloads below it."""

    name: str
    priority: int = DEFAULT_PRIORITY
    created: int = 0
    quota: Bounds
    limit: Bounds
    fair_share: Bounds
    #: Used by running workloads.
    used: Amounts = NOTHING
    #: The part that workloads use that cannot be preempted.
    used_non_preemptible: Amounts = NOTHING
    allocatable: Bounds = field(init=False)

    def __post_init__(self) -> None:
        amounts = map(allocatable, self.quota, self.limit, self.fair_share)
        object.__setattr__(self, "allocatable", PerResource(*amounts))

    def with_usage(self, used: Amounts, used_non_preemptible: Amounts) -> Standing:
        """Return the standing of the queue with another usage."""
        # A session does this for every pod, so that it spares the constructor.
        other = object.__new__(Standing)
        put = object.__setattr__
        put(other, "name", self.name)
        put(other, "priority", self.priority)
        put(other, "created", self.created)
        put(other, "quota", self.quota)
        put(other, "limit", self.limit)
        put(other, "fair_share", self.fair_share)
        put(other, "allocatable", self.allocatable)
        put(other, "used", used)
        put(other, "used_non_preemptible", used_non_preemptible)
        return other


def dominant_share(
    standing: Standing, total: Amounts, added: Amounts = NOTHING, released: Amounts = NOTHING
) -> float:
    """
    Return the largest part, over the resources, of what a queue may use that is in use.

    *added* and *released* change what it uses. A queue that may use everything is compared with
    the *total* of the cluster.
    """
    used = minus(plus(standing.used, added), released)
    shares = []
    for place, bound in enumerate(standing.allocatable):
        most = total[place] if isinstance(bound, Unlimited) else bound
        if most == 0:
            shares.append(used[place] * _SHARE_OF_NONE / DIVISION_UNITS[place])
        else:
            shares.append(used[place] / most)
    return max(shares)
