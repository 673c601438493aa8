"""Numbers of queues: quotas and limits in the units of KAI, and weights."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from console.dialects.kai.codes import BAD_BOUND, BAD_DURATION, FRACTION_OF_MILLICORE, UNIT
from console.dialects.kai.durations import read_duration
from console.dialects.numbers import NumberProblem, read_amount
from console.dialects.quantity import parse_quantity
from console.dialects.wording import shorten
from console.engine.disciplines.fairshare.resources import RESOURCES
from console.engine.model.amounts import SCALE, UNLIMITED, Amount, Unlimited, format_amount

#: The nouns for the units of quotas and limits.
UNITS: Final = {
    RESOURCES.cpu: "thousandths of a core",
    RESOURCES.memory: "MB",
    RESOURCES.gpu: "devices",
}
#: Billionths of the base unit of a quantity in one unit of a quota.
_NANOS_OF_UNIT: Final = {
    RESOURCES.cpu: 10**6,
    RESOURCES.memory: 10**15,
    RESOURCES.gpu: 10**9,
}
#: Thousandths of an amount in a thousandth of a unit of a quota, as (multiply, divide).
_FACTORS: Final = {
    RESOURCES.cpu: (1, SCALE),
    RESOURCES.memory: (10**6, 1),
    RESOURCES.gpu: (1, 1),
}
_UNLIMITED: Final = ("-1", "-1.0")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?")
#: A quantity in a unit, that is, not a mere number.
_IN_UNITS = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?:m|k|[KMGTPE]i|[MGTPE])")


def bound_reader(resource: str) -> Callable[..., Amount | NumberProblem]:
    """Return the reader of a quota or a limit of *resource*; -1 is UNLIMITED."""

    def read(text: str, *, plain: bool) -> Amount | NumberProblem:
        return read_bound(text, resource, plain=plain)

    return read


def read_bound(text: str, resource: str, *, plain: bool) -> Amount | NumberProblem:
    """
    Return a quota or a limit, or the problem.

    >>> read_bound("1500", "cpu", plain=True), read_bound("-1", "gpu", plain=True)
    (1500, UNLIMITED)
    >>> read_bound("4Gi", "memory", plain=False).instead
    ('4294.968',)
    """
    if plain and text in _UNLIMITED:
        return UNLIMITED
    if plain and text.startswith("-") and _NUMBER.fullmatch(text) and text.strip("-0."):
        return NumberProblem(
            BAD_BOUND,
            f"{shorten(text)} is negative, and only -1 has a meaning: unlimited",
            "Write -1 for unlimited, or 0 for nothing.",
            ("-1", "0"),
        )
    if _IN_UNITS.fullmatch(text):
        return _without_unit(text, resource)
    number = read_amount(text, plain=plain)
    if isinstance(number, NumberProblem):
        return number
    multiply, divide = _FACTORS[resource]
    if number % divide:
        return NumberProblem(
            FRACTION_OF_MILLICORE,
            f"{text} is not a whole number of thousandths of a core",
            instead=(str(-(-number // divide)),),
        )
    return number * multiply // divide


def _without_unit(text: str, resource: str) -> NumberProblem:
    unit = UNITS[resource]
    # Rounded up, so that a request of the same size fits.
    thousandths = -(-parse_quantity(text).nanos * SCALE // _NANOS_OF_UNIT[resource])
    instead: tuple[str, ...] = ()
    if resource == RESOURCES.cpu:
        thousandths = -(-thousandths // SCALE) * SCALE
    if thousandths:
        instead = (format_amount(thousandths),)
    return NumberProblem(
        UNIT,
        f"{shorten(text)} has a unit; {resource} is a number of {unit}",
        f"Write {instead[0]}." if instead else f"Write it in {unit}.",
        instead,
    )


def bound_text(amount: Amount, resource: str) -> str:
    """
    Return a quota or limit as it is written.

    >>> bound_text(1500, "cpu"), bound_text(4096 * 10**9, "memory"), bound_text(UNLIMITED, "gpu")
    ('1500', '4096', '-1')
    """
    if isinstance(amount, Unlimited):
        return "-1"
    multiply, divide = _FACTORS[resource]
    return format_amount(amount * divide // multiply)


def read_weight(text: str, *, plain: bool) -> float | NumberProblem:
    """
    Return a weight or another number of 0 or more, or the problem.

    >>> read_weight("1.5", plain=True)
    1.5
    """
    number = read_amount(text, plain=plain)
    return number if isinstance(number, NumberProblem) else number / SCALE


def read_quoted_amount(text: str, *, plain: bool) -> int | NumberProblem:
    """Return a number of 0 or more in thousandths, in quotes or not, or the problem."""
    return read_amount(text, plain=True)


def read_runtime(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a duration in milliseconds that is not negative, or the problem.

    >>> read_runtime("1h30m", plain=True), read_runtime("5", plain=True).message
    (5400000, '"5" is not a duration')
    """
    found = read_duration(text)
    if found is None:
        instead = (f"{text}s", f"{text}m") if text.isascii() and text.isdigit() else ()
        if len(text) > 9:
            instead = ()
        hint = "Write it like 90s, 30m or 1h30m."
        return NumberProblem(BAD_DURATION, f'"{shorten(text)}" is not a duration', hint, instead)
    if found < 0:
        return NumberProblem(BAD_DURATION, f"{shorten(text)} is negative; it must be 0 or more")
    return found
