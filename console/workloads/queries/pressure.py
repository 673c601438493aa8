"""Pressure: the demand of a queue in relation to its available quota."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.model.amounts import Amount, Unlimited
from console.engine.model.capacity_node import CapacityNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """The resource of a queue with the highest pressure, summed over flavors, in thousandths."""

    #: Empty without demand.
    resource: str = ""
    wanted: int = 0
    #: Quota that is available now, including quota of the cohort.
    free: Amount = 0
    #: Nominal quota.
    nominal: Amount = 0

    @property
    def is_exhausted(self) -> bool:
        """Whether there is demand and no available quota."""
        return self.wanted > 0 and self.free == 0

    @property
    def ratio(self) -> float:
        """Return demand divided by available quota; if there is none, by nominal quota."""
        below = self.nominal if self.is_exhausted else self.free
        if isinstance(below, Unlimited) or not self.wanted:
            return 0.0
        return self.wanted / below if below else float("inf")

    @property
    def rank(self) -> tuple[bool, float]:
        """Sort key, the highest pressure last; queues without available quota have the highest."""
        return self.is_exhausted, self.ratio


def pressure_of(usages: Iterable[CapacityNode]) -> Pressure:
    """Return the pressure of a queue with *usages*."""
    wanted: dict[str, int] = {}
    free: dict[str, Amount] = {}
    nominal: dict[str, Amount] = {}
    for usage in usages:
        wanted[usage.resource] = wanted.get(usage.resource, 0) + usage.demand
        free[usage.resource] = free.get(usage.resource, 0) + usage.available
        nominal[usage.resource] = nominal.get(usage.resource, 0) + usage.guaranteed
    found = [
        Pressure(resource=resource, wanted=amount, free=free[resource], nominal=nominal[resource])
        for resource, amount in wanted.items()
        if amount
    ]
    return max(found, key=lambda pressure: pressure.rank, default=Pressure())


def utilization_of(usages: Iterable[CapacityNode]) -> float:
    """Return the largest ratio of usage to nominal quota of a flavor-resource."""
    return max(
        (
            usage.used / usage.guaranteed if usage.guaranteed else float("inf")
            for usage in usages
            if usage.used and isinstance(usage.guaranteed, int)
        ),
        default=0.0,
    )
