"""The forms that objects of this protocol share: absent fields, times and amounts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from console.engine.disciplines.hierarchy.requests import in_queue_units
from console.engine.disciplines.hierarchy.resources import Resources
from console.engine.model.amounts import FlavorResource

_NANOSECONDS = 10**9


def present(**fields: Any) -> dict[str, Any]:
    """
    Return those of *fields* that are not empty: the protocol leaves out empty ones.

    >>> present(parent="", children=[], maxRunningApps=0, isLeaf=False, status="Active")
    {'status': 'Active'}
    """
    return {name: value for name, value in fields.items() if value}


def nanoseconds(moment: datetime | None) -> int:
    """Return a time as nanoseconds since 1970 in UTC; 0 for None."""
    if moment is None:
        return 0
    return int(moment.timestamp()) * _NANOSECONDS + moment.microsecond * 1000


def amounts_of_usage(usage: Mapping[FlavorResource, int]) -> Resources:
    """Return usage in the units of queues, over all flavors."""
    total: dict[str, int] = {}
    for (_, resource), amount in usage.items():
        total[resource] = total.get(resource, 0) + amount
    return in_queue_units(total)


def percentages(whole: Resources | None, used: Resources) -> Resources:
    """
    Return the used percentage of each resource that *whole* has, rounded down.

    >>> percentages({"vcore": 4000, "memory": 3}, {"vcore": 1000, "memory": 1, "gpu": 1})
    {'vcore': 25, 'memory': 33}
    """
    return {
        name: amount * 100 // whole[name]
        for name, amount in used.items()
        if whole is not None and whole.get(name, 0) > 0
    }
