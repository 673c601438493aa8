"""Numbers that SkyShift also accepts as texts: weights, replicas and amounts."""

from __future__ import annotations

import re

from console.dialects.numbers import NumberProblem, read_amount, read_int32
from console.dialects.skyshift.codes import BAD_WEIGHT
from console.engine.disciplines.placement.read_placement import is_weight
from console.engine.disciplines.placement.spec import MAX_WEIGHT, MIN_WEIGHT

_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", re.ASCII)
#: A whole number with a point, which SkyShift takes for the whole number.
_POINT_ZERO = re.compile(r"(-?[0-9]+)\.0+", re.ASCII)


def read_number(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return an amount in thousandths, or the problem; quotes do not matter.

    >>> read_number("0.5", plain=True), read_number("1", plain=False)
    (500, 1000)
    """
    return read_amount(text, plain=plain or _is_number(text))


def read_whole(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a whole number, or the problem; quotes do not matter.

    >>> [read_whole(text, plain=False) for text in ("3", "3.0")]
    [3, 3]
    """
    whole = _POINT_ZERO.fullmatch(text) if len(text) < 20 else None
    number = whole[1] if whole else text
    return read_int32(number, plain=plain or _is_number(number))


def read_weight(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a weight, or the problem.

    >>> read_weight("50", plain=False), read_weight("101", plain=True).instead
    (50, ('100',))
    """
    number = read_whole(text, plain=plain)
    if isinstance(number, NumberProblem) or is_weight(number):
        return number
    nearest = MIN_WEIGHT if number < MIN_WEIGHT else MAX_WEIGHT
    return NumberProblem(
        BAD_WEIGHT,
        f"{number} is not a weight; it is a whole number from {MIN_WEIGHT} to {MAX_WEIGHT}",
        instead=(str(nearest),),
    )


def _is_number(text: str) -> bool:
    return len(text) < 20 and _NUMBER.fullmatch(text) is not None
