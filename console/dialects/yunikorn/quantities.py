"""Quantities of resources: vcore in thousandths of a core, and all others as they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from console.dialects.codes import Code
from console.dialects.yunikorn.codes import QUANTITY, QUANTITY_RANGE, QUANTITY_SUFFIX
from console.engine.disciplines.hierarchy.resources import VCORE

LARGEST: Final = 2**63 - 1
#: Digits of the longest number that is read.
_MOST_DIGITS: Final = 30
# No ``\d``: only ASCII digits are numbers.
_PATTERN: Final = re.compile(r"([0-9]+)\s*((?:[mkKMGTPE]i?)?)", re.ASCII)
_MILLI: Final = 1000
_DECIMAL: Final = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})\s*((?:k|[KMGTPE]i|[MGTPE])?)", re.ASCII)
_SUFFIXES: Final = {
    "": 1,
    **{letter: 1000**power for power, letter in enumerate("kMGTPE", 1)},
    **{f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", 1)},
}
#: Suffixes of written amounts, the largest first.
_WRITTEN: Final = {
    suffix: _SUFFIXES[suffix] for suffix in ("Ei", "Pi", "Ti", "Gi", "Mi", "E", "P", "T", "G", "M")
}


@dataclass(frozen=True, slots=True)
class QuantityProblem:
    """Why a text is not a quantity."""

    code: Code
    #: YuniKorn's message.
    original: str
    message: str
    hint: str
    #: A replacement that is probably meant, or "".
    instead: str = ""


def read_quantity(text: str, resource: str) -> int | QuantityProblem:
    """
    Return the amount of a resource in the units of YuniKorn, or the problem.

    >>> [read_quantity(text, "vcore") for text in ("10", "500m", "1k")]
    [10000, 500, 1000000]
    >>> read_quantity("2 Gi", "memory"), read_quantity("1.5", "memory").original
    (2147483648, 'invalid quantity')
    """
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        return _not_a_quantity(text, resource)
    digits, suffix = found.groups()
    if suffix == "m" and resource == VCORE:
        factor = 1
    elif suffix in _SUFFIXES:
        factor = _SUFFIXES[suffix] * (_MILLI if resource == VCORE else 1)
    else:
        return _no_suffix(digits, suffix, resource)
    if len(digits.lstrip("0")) <= _MOST_DIGITS:
        amount = int(digits) * factor
        if amount <= LARGEST:
            return amount
    most = LARGEST // (_MILLI if resource == VCORE else 1)
    return QuantityProblem(
        QUANTITY_RANGE,
        "invalid quantity: overflow",
        f"is too large for {_shown(resource)}",
        f"The largest one is {most}.",
    )


def write_quantity(amount: int, resource: str) -> str:
    """
    Return an amount as a text that is read as the same amount, with a suffix from a million on.

    >>> write_quantity(1500, "vcore"), write_quantity(2000, "vcore"), write_quantity(7, "memory")
    ('1500m', '2', '7')
    >>> write_quantity(3 * 2**30, "memory"), write_quantity(1_500_000_000, "memory")
    ('3Gi', '1500M')
    """
    if resource == VCORE:
        return f"{amount}m" if amount % _MILLI else str(amount // _MILLI)
    for suffix, factor in _WRITTEN.items():
        if amount >= factor and not amount % factor:
            return f"{amount // factor}{suffix}"
    return str(amount)


def _shown(resource: str) -> str:
    return resource if len(resource) <= 60 else f"{resource[:59]}…"


def _not_a_quantity(text: str, resource: str) -> QuantityProblem:
    instead = ""
    if found := re.fullmatch(_DECIMAL, text.strip()):
        whole, part, suffix = found.groups()
        factor = _SUFFIXES[suffix] * (_MILLI if resource == VCORE else 1)
        amount, rest = divmod(int(whole + part) * factor, 10 ** len(part))
        if not rest and amount <= LARGEST:
            instead = write_quantity(amount, resource)
    elif found := re.fullmatch(r"([0-9]{1,18})\s*([kKMGTPE]i?)[bB]", text.strip(), re.ASCII):
        digits, suffix = found.groups()
        suffix = "k" if suffix == "K" else suffix
        instead = digits + suffix if suffix in _SUFFIXES else ""
    return QuantityProblem(
        QUANTITY,
        "invalid quantity",
        "is not a quantity",
        "Write a whole number, 0 or more, such as 4, 500M or 2Gi"
        + (", or 500m for thousandths of a core." if resource == VCORE else "."),
        instead,
    )


def _no_suffix(digits: str, suffix: str, resource: str) -> QuantityProblem:
    instead = {"K": "k", "ki": "Ki"}.get(suffix, "")
    if suffix == "m" or suffix == "mi":
        instead = "" if resource == VCORE else suffix.capitalize()
        return QuantityProblem(
            QUANTITY_SUFFIX,
            "invalid suffix",
            f"has the suffix {suffix}, which {_shown(resource)} cannot have",
            "m is for vcore only; millions are M, and Mi is 1,048,576.",
            digits + instead if instead else "",
        )
    return QuantityProblem(
        QUANTITY_SUFFIX,
        "invalid suffix",
        f"has the unknown suffix {suffix}",
        "Suffixes are k, M, G, T, P, E and Ki, Mi, Gi, Ti, Pi, Ei.",
        digits + instead if instead else "",
    )
