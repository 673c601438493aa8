"""Pressure: what pending work of a queue wants against what the queue may still use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.model.amounts import Amount, Unlimited
from console.engine.model.capacity_node import CapacityNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """The resource of a queue that is most wanted, all its flavors together, in thousandths."""

    #: Empty when nothing is wanted.
    resource: str = ""
    wanted: int = 0
    #: What the queue may still use now, of its own quota and of its cohort's.
    free: Amount = 0
    #: What it owns.
    nominal: Amount = 0

    @property
    def is_without_room(self) -> bool:
        """Whether work waits and nothing at all is free."""
        return self.wanted > 0 and self.free == 0

    @property
    def ratio(self) -> float:
        """Return wanted divided by free; without room, by what the queue owns."""
        below = self.nominal if self.is_without_room else self.free
        if isinstance(below, Unlimited) or not self.wanted:
            return 0.0
        return self.wanted / below if below else float("inf")

    @property
    def rank(self) -> tuple[bool, float]:
        """Its place among others, the highest first: queues without any room lead."""
        return self.is_without_room, self.ratio


def pressure_of(usages: Iterable[CapacityNode]) -> Pressure:
    """Return the pressure of the queue that has *usages*."""
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
    """Return the largest share of its nominal quota that a queue uses of any flavor-resource."""
    return max(
        (
            usage.used / usage.guaranteed if usage.guaranteed else float("inf")
            for usage in usages
            if usage.used and isinstance(usage.guaranteed, int)
        ),
        default=0.0,
    )
