"""
Amounts of several resources, and how they are compared.

An amount is a mapping from resource to an integer: thousandths of a core for ``vcore``, and units
as stated for all others. A resource that a mapping does not have is 0 in usage, and without limit
in a maximum; each comparison says which of both it means. None stands for a maximum or guarantee
that is not set.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

Resources: TypeAlias = Mapping[str, int]

#: The resource that is counted in thousandths.
VCORE: Final = "vcore"
MEMORY: Final = "memory"

NOTHING: Final[Resources] = {}


def fits(maximum: Resources | None, amount: Resources) -> bool:
    """Return whether *amount* fits; what *maximum* does not have is without limit."""
    if maximum is None:
        return True
    return all(value <= max(0, maximum[name]) for name, value in amount.items() if name in maximum)


def fits_strictly(room: Resources, amount: Resources) -> bool:
    """Return whether *amount* fits into *room*; what *room* does not have counts as 0."""
    return all(value <= max(0, room.get(name, 0)) for name, value in amount.items())


def fits_exactly(maximum: Resources | None, amount: Resources) -> bool:
    """Return whether *amount* fits as in `fits`, but nothing fits into a negative maximum."""
    if maximum is None:
        return True
    return all(value <= maximum[name] for name, value in amount.items() if name in maximum)


def least(one: Resources | None, other: Resources | None) -> Resources | None:
    """Return the smaller amount of each resource; one that a side does not have is the other's."""
    if one is None or other is None:
        return other if one is None else one
    found = dict(one)
    for name, value in other.items():
        known = found.get(name)
        if known is None or value < known:
            found[name] = value
    return found


def least_of_first(one: Resources, other: Resources | None) -> Resources:
    """Return the smaller amount of each resource of the first mapping."""
    if other is None:
        return one
    return {name: min(value, other.get(name, value)) for name, value in one.items()}


def plus(one: Resources, other: Resources) -> dict[str, int]:
    """Return the sum, over the resources of both."""
    found = dict(one)
    for name, value in other.items():
        found[name] = found.get(name, 0) + value
    return found


def minus(one: Resources, other: Resources) -> dict[str, int]:
    """Return the difference, over the resources of both; it may be negative."""
    found = dict(one)
    for name, value in other.items():
        found[name] = found.get(name, 0) - value
    return found


def times(amount: Resources, count: int) -> dict[str, int]:
    """Return *count* times an amount."""
    return {name: value * count for name, value in amount.items()}


def remaining(maximum: Resources, used: Resources) -> dict[str, int]:
    """Return what is left of each resource of *maximum*; it may be negative."""
    return {name: value - used.get(name, 0) for name, value in maximum.items()}


def is_zero(amount: Resources | None) -> bool:
    """Return whether nothing is set, or every amount is 0."""
    return not amount or not any(amount.values())


def is_positive(amount: Resources | None) -> bool:
    """Return whether an amount is above 0, and none is below."""
    if not amount:
        return False
    values = amount.values()
    return min(values) >= 0 and max(values) > 0


def is_larger(one: Resources, other: Resources) -> bool:
    """Return whether no amount of *one* is smaller, and one of them is larger."""
    differs = False
    for name in one.keys() | other.keys():
        difference = one.get(name, 0) - other.get(name, 0)
        if difference < 0:
            return False
        differs |= difference > 0
    return differs


def without_zeros(amount: Resources) -> dict[str, int]:
    """Return the amounts other than 0."""
    return {name: value for name, value in amount.items() if value}
