"""Readers of the parts of a case: queues, amounts and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from console.dialects.conformance.parts import MalformedCase, objects_in, part
from console.engine.disciplines.fairshare.resources import RESOURCES, Amounts, Bounds, PerResource
from console.engine.disciplines.fairshare.spec import DEFAULT_PRIORITY, FairQueue, FairshareSpec
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, Unlimited

#: The word for no bound in cases.
NO_BOUND: Final = -1

#: Thousandths in a unit of cases: millicores, bytes, devices.
UNITS: Final = PerResource(1, SCALE, SCALE)

#: The same where cases have megabytes.
MEGABYTE_UNITS: Final = PerResource(1, SCALE * 10**6, SCALE)


def read_spec(case: Mapping[str, Any], units: PerResource[int] = UNITS) -> FairshareSpec:
    """Return the queues of a case that lists them."""
    queues = {}
    for each in objects_in(case, "queues"):
        name = part(each, "name", str)
        queues[name] = FairQueue(
            name=name,
            parent=each.get("parent") or None,
            priority=part(each, "priority", int, DEFAULT_PRIORITY),
            created=part(each, "created", int, 0),
            quota=bounds_of(each, "quota", units),
            limit=bounds_of(each, "limit", units),
            weight=PerResource(
                *(float(part(each, "weight", dict, {}).get(name, 0)) for name in RESOURCES)
            ),
            preempt_min_runtime=milliseconds(each.get("preempt_min_runtime_s")),
            reclaim_min_runtime=milliseconds(each.get("reclaim_min_runtime_s")),
        )
    return FairshareSpec(queues=queues)


def read_standings(case: Mapping[str, Any]) -> dict[str, Standing]:
    """Return the queues of a case that states how they stand, by name."""
    return {part(each, "name", str): read_standing(each) for each in objects_in(case, "queues")}


def read_standing(values: Mapping[str, Any]) -> Standing:
    """Return how one queue stands."""
    return Standing(
        name=part(values, "name", str),
        priority=part(values, "priority", int, DEFAULT_PRIORITY),
        created=part(values, "created", int, 0),
        quota=bounds_of(values, "quota"),
        limit=bounds_of(values, "limit"),
        fair_share=bounds_of(values, "fair_share"),
        used=amounts_of(values, "allocated"),
        used_non_preemptible=amounts_of(values, "allocated_np"),
    )


def named_standing(standings: Mapping[str, Standing], name: str) -> Standing:
    """Return the queue *name*; raises MalformedCase if there is none."""
    if name not in standings:
        raise MalformedCase(f"queues has no {name!r}")
    return standings[name]


def amounts_of(values: Mapping[str, Any], name: str) -> Amounts:
    """Return the amounts of the part *name*; missing ones are 0."""
    return read_vector(part(values, name, dict, {}), UNITS)


def read_vector(values: Mapping[str, float], units: PerResource[int]) -> Amounts:
    """Return amounts of a case; missing ones are 0."""
    return PerResource(
        *(
            thousandths(values.get(each, 0), unit)
            for each, unit in zip(RESOURCES, units, strict=True)
        )
    )


def bounds_of(values: Mapping[str, Any], name: str, units: PerResource[int] = UNITS) -> Bounds:
    """Return the amounts of the part *name*, which may be unlimited; missing ones are 0."""
    found = part(values, name, dict, {})
    return PerResource(
        *(read_bound(found.get(each, 0), unit) for each, unit in zip(RESOURCES, units, strict=True))
    )


def read_bound(value: float, unit: int) -> Amount:
    """Return an amount that may be unlimited."""
    return UNLIMITED if value == NO_BOUND else thousandths(value, unit)


def thousandths(value: float, unit: int) -> int:
    """Return *value* in thousandths; a case may have more decimals, which are rounded."""
    return round(Fraction(str(value)) * unit)


def milliseconds(seconds: float | None) -> int | None:
    """Return seconds of a case in milliseconds; None stays None."""
    return None if seconds is None else round(seconds * 1000)


def as_number(amount: Amount, unit: int) -> float:
    """Return an amount as a case writes it."""
    return NO_BOUND if isinstance(amount, Unlimited) else amount / unit


def as_numbers(amounts: Bounds) -> dict[str, float]:
    """Return amounts as a case writes them, by resource."""
    return {
        name: as_number(amount, unit)
        for name, amount, unit in zip(RESOURCES, amounts, UNITS, strict=True)
    }
