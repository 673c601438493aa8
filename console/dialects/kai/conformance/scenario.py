"""The queues of a scenario, with their fair shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.parts import objects_in, part
from console.dialects.kai.conformance.case_values import NO_BOUND, UNITS, read_bound, thousandths
from console.engine.disciplines.fairshare.fair_share import FairShares, FairShareTree
from console.engine.disciplines.fairshare.resources import Amounts, Bounds, PerResource
from console.engine.disciplines.fairshare.spec import DEFAULT_PRIORITY, FairQueue, FairshareSpec

#: Names of the resources in scenarios.
_NAMES: Final = PerResource("cpu", "mem", "gpu")

#: A queue of a scenario without a block for a resource.
_DEFAULTS: Final = {"quota": NO_BOUND, "limit": NO_BOUND, "weight": 1, "request": 0}


def read_scenario(scenario: Mapping[str, Any]) -> tuple[FairshareSpec, FairShares]:
    """Return the queues of a scenario and their fair shares."""
    queues, requests, usage = {}, {}, {}
    for each in objects_in(scenario, "queues"):
        name = part(each, "id", str)
        queues[name] = FairQueue(
            name=name,
            parent=each.get("parent") or None,
            priority=part(each, "prio", int, DEFAULT_PRIORITY),
            created=part(each, "created", int),
            quota=_bounds(column(each, "quota")),
            limit=_bounds(column(each, "limit")),
            weight=PerResource(*map(float, column(each, "weight").values())),
        )
        requests[name] = scenario_amounts(column(each, "request"))
        usage[name] = PerResource(*map(float, column(each, "usage").values()))
    spec = FairshareSpec(queues=queues)
    found = FairShareTree(spec.tree).compute(
        scenario_amounts(part(scenario, "total", dict)),
        requests,
        k_value=float(scenario["k"]),
        usage=usage,
    )
    return spec, found


def column(queue: Mapping[str, Any], name: str) -> dict[str, float]:
    """Return one number of each resource of a queue."""
    default = _DEFAULTS.get(name, 0)
    return {each: part(queue, each, dict, {}).get(name, default) for each in _NAMES}


def scenario_amounts(values: Mapping[str, float]) -> Amounts:
    """Return amounts of a scenario; missing ones are 0."""
    return PerResource(
        *(thousandths(values.get(each, 0), unit) for each, unit in zip(_NAMES, UNITS, strict=True))
    )


def _bounds(values: Mapping[str, float]) -> Bounds:
    return PerResource(
        *(read_bound(values[each], unit) for each, unit in zip(_NAMES, UNITS, strict=True))
    )
