"""The three resources that queues divide, always in the order CPU, memory, GPU."""

from __future__ import annotations

from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from console.engine.model.amounts import SCALE, UNLIMITED, Amount

Value_co = TypeVar("Value_co", covariant=True)


class PerResource(NamedTuple, Generic[Value_co]):
    """A value for each resource."""

    cpu: Value_co
    memory: Value_co
    gpu: Value_co


#: Thousandths of a core, a byte and a device.
Amounts: TypeAlias = PerResource[int]

#: As `Amounts`, where `UNLIMITED` is allowed.
Bounds: TypeAlias = PerResource[Amount]

RESOURCES: Final = PerResource("cpu", "memory", "gpu")

NOTHING: Final[Amounts] = PerResource(0, 0, 0)

#: Weights of a queue that gets none of the surplus.
NO_WEIGHT: Final[PerResource[float]] = PerResource(0.0, 0.0, 0.0)

EVERYTHING: Final[Bounds] = PerResource(UNLIMITED, UNLIMITED, UNLIMITED)

#: The thousandths in the smallest amount that fair shares are divided into: one thousandth of a
#: core, one byte, one device.
DIVISION_UNITS: Final[Amounts] = PerResource(1, SCALE, SCALE)


def plus(left: Amounts, right: Amounts) -> Amounts:
    """Return the sums."""
    return PerResource(left[0] + right[0], left[1] + right[1], left[2] + right[2])


def minus(left: Amounts, right: Amounts) -> Amounts:
    """Return the differences, which may be negative."""
    return PerResource(left[0] - right[0], left[1] - right[1], left[2] - right[2])


def times(amounts: Amounts, count: int) -> Amounts:
    """Return the amounts of *count* of them."""
    return PerResource(amounts[0] * count, amounts[1] * count, amounts[2] * count)


def fits(amounts: Bounds, bounds: Bounds) -> bool:
    """
    Return whether no amount is above its bound.

    >>> fits(PerResource(2, 0, 1), PerResource(2, UNLIMITED, 1)), fits(EVERYTHING, NOTHING)
    (True, False)
    """
    return amounts[0] <= bounds[0] and amounts[1] <= bounds[1] and amounts[2] <= bounds[2]
