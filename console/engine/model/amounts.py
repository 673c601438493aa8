"""Exact amounts: integer thousandths of a resource's unit, and UNLIMITED."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any, Final, TypeAlias

SCALE: Final = 1000

#: A fair share weight of 1, in billionths.
WEIGHT_ONE = 1_000_000_000

#: (flavor, resource): the pair for which quota is counted.
FlavorResource: TypeAlias = tuple[str, str]

#: Amounts by flavor-resource, in thousandths.
Usage: TypeAlias = Mapping[FlavorResource, int]

#: Raises instead of rounding, so that no digit beyond the precision is lost.
_EXACT: Final = Context(prec=40, traps=[Inexact])


class Unlimited:
    """
    The amount above every other amount; adding to it or subtracting from it returns it.

    `UNLIMITED` is the only instance; compare with ``is``.

    >>> UNLIMITED > 10**30, UNLIMITED - 5 is UNLIMITED, min(7, UNLIMITED)
    (True, True, 7)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNLIMITED"

    def __reduce__(self) -> str:
        # Copies and pickles must return the only instance, or comparison by `is` fails.
        return "UNLIMITED"

    def __add__(self, other: Amount) -> Unlimited:
        return self

    __radd__ = __add__
    __sub__ = __add__

    def __gt__(self, other: Amount) -> bool:
        return other is not self

    def __lt__(self, other: Amount) -> bool:
        return False

    def __ge__(self, other: Amount) -> bool:
        return True

    def __le__(self, other: Amount) -> bool:
        return other is self


UNLIMITED: Final = Unlimited()

#: Thousandths of a unit, or UNLIMITED.
Amount: TypeAlias = int | Unlimited


def parse_amount(text: str) -> int:
    """
    Return the thousandths of a plain decimal number with at most three decimals.

    Raises ValueError with one sentence when *text* is not such a number.

    >>> parse_amount("1.5"), parse_amount("24")
    (1500, 24000)
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    if not number.is_finite():
        raise ValueError(f"{text!r} is not a finite number")
    if number.adjusted() > 15:
        raise ValueError(f"{text} is too large; the largest amount is 1e15")
    try:
        thousandths = _EXACT.multiply(number, SCALE)
    except Inexact:
        raise ValueError(f"{text} has more than three decimals") from None
    if thousandths != thousandths.to_integral_value():
        raise ValueError(f"{text} has more than three decimals")
    return int(thousandths)


def format_amount(amount: Amount) -> str:
    """
    Return an amount in its unit as text, without trailing zeros.

    >>> format_amount(1500), format_amount(24000), format_amount(UNLIMITED)
    ('1.5', '24', 'unlimited')
    """
    if isinstance(amount, Unlimited):
        return "unlimited"
    whole, rest = divmod(abs(amount), SCALE)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{rest:03d}".rstrip("0") if rest else f"{sign}{whole}"


def amount_to_number(amount: Amount) -> int | float | None:
    """Return the JSON number for an amount in its unit; None stands for UNLIMITED."""
    if isinstance(amount, Unlimited):
        return None
    whole, rest = divmod(amount, SCALE)
    return whole if not rest else amount / SCALE


def encode_amount(amount: Amount) -> int | str:
    """Return the stored form of an amount: thousandths, or the word ``unlimited``."""
    return "unlimited" if isinstance(amount, Unlimited) else amount


def decode_amount(stored: Any) -> Amount:
    """Return the amount that `encode_amount` wrote as *stored*."""
    return UNLIMITED if stored == "unlimited" else int(stored)
