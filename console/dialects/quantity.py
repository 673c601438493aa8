"""Quantities of Kubernetes: parsed exactly, amount_of_quantity like Kueue, and formatted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from console.engine.model.amounts import SCALE, UNLIMITED, Amount, Unlimited

#: The largest signed 64-bit count. A quota of this size is unlimited.
INT64_MAX: Final = 2**63 - 1

_NANOS: Final = 10**9
_DECIMAL: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
SUFFIXES: Final = ("n", "u", "m", "k", "M", "G", "T", "P", "E", *_BINARY)
#: Sign, number, and a suffix or an exponent.
QUANTITY: Final = (
    r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:(n|u|m|k|[KMGTPE]i|[MGTPE])|[eE]([+-]?[0-9]+))?"
)
_QUANTITY = re.compile(QUANTITY)
#: Maximum length of a text that is parsed.
_MAX_LENGTH: Final = 100
#: A larger exponent is out of range on either side, for all digits before it.
_MAX_EXPONENT: Final = 2 * _MAX_LENGTH
#: Common misspellings of suffixes, in lower case -> the suffixes that may be meant.
_INTENDED: Final = {
    **{f"{letter.lower()}b": (letter,) for letter in "MGTPE"},
    **{f"{letter.lower()}ib": (f"{letter}i",) for letter in "KMGTPE"},
    **{f"{letter.lower()}i": (f"{letter}i",) for letter in "KMGTPE"},
    **{letter.lower(): (letter,) for letter in "GTP"},
    "k": ("k", "Ki"),
    "kb": ("k", "Ki"),
}


class Notation(Enum):
    """The family of suffixes of a quantity, which is kept when it is formatted."""

    DECIMAL = "decimal"
    BINARY = "binary"
    EXPONENT = "exponent"


@dataclass(frozen=True, slots=True)
class Quantity:
    """
    An exact number in billionths, and the notation in which it was written.

    Fractions of a billionth are rounded away from zero, and numbers above 2^63 - 1 are lowered to
    it, like in the API server (Kueue, spec 1.1).
    """

    nanos: int
    notation: Notation = Notation.DECIMAL

    def __str__(self) -> str:
        """
        Return the canonical form, which the API server stores.

        >>> [str(parse_quantity(text)) for text in ("12000m", "0.5", "2048Mi", "1.5G", "12E6")]
        ['12', '500m', '2Gi', '1500M', '12e6']
        """
        whole, rest = divmod(abs(self.nanos), _NANOS)
        if self.notation is Notation.BINARY and not rest and whole >= 1024:
            number, suffix = _binary(whole)
        else:
            number, exponent = _decimal(abs(self.nanos))
            suffix = _suffix(exponent, self.notation)
        return f"{'-' if self.nanos < 0 else ''}{number}{suffix}"


def parse_quantity(text: str) -> Quantity:
    """
    Parse a quantity in any notation of Kubernetes (Kueue, spec 1.1).

    Raises ValueError with one sentence if *text* is not a quantity.
    """
    found = _QUANTITY.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None:
        raise ValueError(f"{_shown(text)} is not a quantity")
    sign, number, suffix, exponent = found.groups()
    whole, _, decimals = number.partition(".")
    digits = int(whole + decimals)
    if suffix in _BINARY:
        notation, numerator, power = Notation.BINARY, digits << _BINARY[suffix], 9
    elif exponent is not None:
        notation, numerator, power = Notation.EXPONENT, digits, 9 + _bounded(exponent)
    else:
        notation, numerator, power = Notation.DECIMAL, digits, 9 + _DECIMAL[suffix or ""]
    power -= len(decimals)
    nanos = numerator * 10**power if power >= 0 else _divided_up(numerator, 10**-power)
    nanos = min(nanos, INT64_MAX * _NANOS)
    return Quantity(-nanos if sign == "-" else nanos, notation)


def amount_of(text: str, resource: str) -> Amount:
    """
    Return the amount of a resource that the quantity *text* stands for, in thousandths.

    ``cpu`` is rounded to thousandths and every other resource to whole units, away from zero; a
    count of 2^63 - 1 or more is UNLIMITED (Kueue, spec 1.1). Raises ValueError with one sentence
    if *text* is not a quantity.

    >>> amount_of("1500m", "cpu"), amount_of("100u", "cpu"), amount_of("100m", "gpu")
    (1500, 1, 1000)
    >>> amount_of("2Ki", "memory"), amount_of("9E", "memory"), amount_of("8Ei", "memory")
    (2048000, 9000000000000000000000, UNLIMITED)
    """
    return amount_of_quantity(parse_quantity(text), resource)


def amount_of_quantity(quantity: Quantity, resource: str) -> Amount:
    """Return the amount of a resource that a quantity stands for, like `amount_of`."""
    in_thousandths = resource == "cpu"
    count = _divided_up(abs(quantity.nanos), _NANOS // SCALE if in_thousandths else _NANOS)
    if count >= INT64_MAX and quantity.nanos > 0:
        return UNLIMITED
    amount = count if in_thousandths else count * SCALE
    return -amount if quantity.nanos < 0 else amount


def format_quantity(amount: Amount, resource: str) -> str:
    """
    Return the canonical quantity of an amount: binary suffixes for bytes, decimal ones otherwise.

    >>> format_quantity(1500, "cpu"), format_quantity(2**31 * 1000, "memory")
    ('1500m', '2Gi')
    >>> format_quantity(2000, "cpu"), format_quantity(1000_000, "pods")
    ('2', '1k')
    """
    if isinstance(amount, Unlimited):
        return "unlimited"
    in_bytes = resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-")
    notation = Notation.BINARY if in_bytes else Notation.DECIMAL
    return str(Quantity(amount * (_NANOS // SCALE), notation))


def suggest_quantities(text: str) -> tuple[str, ...]:
    """
    Return the quantities that may be meant by the invalid *text*, the most likely first.

    >>> suggest_quantities("16GB"), suggest_quantities("1,000 gib"), suggest_quantities("64K")
    (('16G',), ('1000Gi',), ('64k', '64Ki'))
    """
    found = re.fullmatch(r"([+-]?[0-9][0-9,_]*(?:\.[0-9]+)?)\s*([A-Za-z]*)", text.strip())
    if found is None or len(text) > _MAX_LENGTH:
        return ()
    number, suffix = re.sub("[,_]", "", found[1]), found[2]
    suffixes = (suffix,) if suffix in ("", *SUFFIXES) else _INTENDED.get(suffix.lower(), ())
    return tuple(number + candidate for candidate in suffixes if number + candidate != text)


def _bounded(exponent: str) -> int:
    if len(exponent) > 10:
        return -_MAX_EXPONENT if exponent.startswith("-") else _MAX_EXPONENT
    return max(-_MAX_EXPONENT, min(_MAX_EXPONENT, int(exponent)))


def _divided_up(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


def _binary(whole: int) -> tuple[int, str]:
    """Return a whole number divided by the power of 1024 of its suffix, and the suffix."""
    suffix = ""
    for candidate in _BINARY:
        if whole % 1024:
            break
        whole, suffix = whole // 1024, candidate
    return whole, suffix


def _decimal(nanos: int) -> tuple[int, int]:
    """Return a number without fraction, and its largest exponent that is a multiple of three."""
    if nanos == 0:
        return 0, 0
    exponent = -9
    while nanos % 1000 == 0 and exponent < 18:
        nanos, exponent = nanos // 1000, exponent + 3
    return nanos, exponent


def _suffix(exponent: int, notation: Notation) -> str:
    if notation is Notation.EXPONENT:
        return f"e{exponent}" if exponent else ""
    return next(suffix for suffix, power in _DECIMAL.items() if power == exponent)


def _shown(text: str) -> str:
    line = " ".join(text[:_MAX_LENGTH].split())
    return f'"{line if len(line) <= 60 else line[:59] + "…"}"'
