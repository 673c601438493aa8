"""Readers of numbers: a plain decimal, or the problem with a suggested replacement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from console.dialects.codes import (
    NEGATIVE,
    NOT_A_NUMBER,
    NOT_FINITE,
    NOT_WHOLE,
    NUMBER_SPELLING,
    QUOTED_NUMBER,
    TOO_BIG,
    TOO_PRECISE,
    Code,
)
from console.dialects.templates import RENDER, looks_unrendered
from console.dialects.wording import quote, shorten
from console.engine.model.amounts import parse_amount

MAX_AMOUNT: Final = 10**15
#: The largest signed 32-bit integer, the usual width of a priority.
MAX_PRIORITY: Final = 2**31 - 1
#: The lowest priority of Kubernetes, a signed 32-bit number.
LEAST_PRIORITY: Final = -(2**31)

_DECIMAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?")
#: Other spellings that YAML 1.1 and 1.2 read as the same number: a point with digits on only one
#: side, and a signed exponent after a number with a point.
_POINT = re.compile(r"-?(?:(?:0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]{1,2})?")
_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf|infinity)|\.?nan", re.IGNORECASE)
#: Longer texts are not parsed as numbers.
_MAX_LENGTH: Final = 400


@dataclass(frozen=True, slots=True)
class NumberProblem:
    """Why a text is not a valid number, and possible replacements."""

    code: Code
    message: str
    hint: str = ""
    #: Suggested replacements.
    instead: tuple[str, ...] = ()


def read_amount(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return an amount in thousandths, or the problem.

    >>> [read_amount(text, plain=True) for text in ("1.5", "3.", ".5", "1.0e+3")]
    [1500, 3000, 500, 1000000]
    >>> read_amount("0x10", plain=True).instead
    ('16',)
    """
    if plain and len(text) <= _MAX_LENGTH and _POINT.fullmatch(text):
        text = _without_exponent(text)
    found = _DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None or not plain:
        return _not_plain_decimal(text, plain)
    sign, whole, decimals = found.groups()
    if sign and text.strip("-0."):
        return NumberProblem(NEGATIVE, f"{text} is negative; it must be 0 or more")
    if decimals and len(decimals.rstrip("0")) > 3:
        return _too_precise(text)
    if len(whole) > 16 or int(whole) > MAX_AMOUNT:
        return NumberProblem(
            TOO_BIG, f"{shorten(text)} is too large; it may be {MAX_AMOUNT:,} at most"
        )
    return parse_amount(text)


def read_priority(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a priority, that is, a whole number of 0 or more, or the problem.

    >>> read_priority("50", plain=True)
    50
    """
    is_number = plain and len(text) <= _MAX_LENGTH and _DECIMAL.fullmatch(text)
    if is_number and text.startswith("-") and text.strip("-0."):
        return NumberProblem(NEGATIVE, f"{text} is negative; it must be 0 or more")
    return read_int32(text, plain=plain)


def read_int32(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a signed 32-bit integer, or the problem.

    >>> read_int32("-50", plain=True)
    -50
    """
    return _read_whole(text, plain, MAX_PRIORITY)


def read_int64(text: str, *, plain: bool) -> int | NumberProblem:
    """Return a signed 64-bit integer, or the problem."""
    return _read_whole(text, plain, 2**63 - 1)


def _read_whole(text: str, plain: bool, largest: int) -> int | NumberProblem:
    found = _DECIMAL.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None or not plain:
        return _not_plain_decimal(text, plain)
    sign, whole, decimals = found.groups()
    if decimals is not None:
        instead = () if decimals.strip("0") else (sign + whole,)
        return NumberProblem(NOT_WHOLE, f"{text} is not a whole number", instead=instead)
    if int(whole) > largest + bool(sign):
        return NumberProblem(
            TOO_BIG,
            f"{shorten(text)} is too small; it may be {-largest - 1:,} at least"
            if sign
            else f"{shorten(text)} is too large; it may be {largest:,} at most",
        )
    return int(sign + whole)


def _without_exponent(text: str) -> str:
    """
    Return a number that `_POINT` matches, with digits on both sides of its point, no exponent.

    >>> [_without_exponent(text) for text in ("3.", "-.5", "1.5000", "1.5e-1")]
    ['3', '-0.5', '1.5000', '0.15']
    """
    return f"{Decimal(text):f}" if "e" in text.lower() else _spelled_out(text)


def _spelled_out(text: str) -> str:
    whole, _, decimals = text.partition(".")
    whole = f"{whole}0" if whole in ("", "-") else whole
    return f"{whole}.{decimals}" if decimals else whole


def _too_precise(text: str) -> NumberProblem:
    with_three = Decimal(text[:40]).quantize(Decimal("0.001")) if len(text) <= 24 else None
    return NumberProblem(
        TOO_PRECISE,
        f"{shorten(text)} has more than three decimals",
        instead=(str(with_three),) if with_three is not None else (),
    )


def _not_plain_decimal(text: str, plain: bool) -> NumberProblem:
    shown = shorten(text)
    if not plain:
        return _quoted(text)
    if _NOT_FINITE.fullmatch(text):
        return NumberProblem(
            NOT_FINITE, f"{shown} is not a finite number", "Omit the field for no limit."
        )
    if len(text) <= _MAX_LENGTH and (instead := possible_decimals(text)):
        return NumberProblem(
            NUMBER_SPELLING,
            f'YAML parsers disagree on the number "{shown}"',
            "Write it with digits and at most one decimal point.",
            instead,
        )
    return NumberProblem(NOT_A_NUMBER, f'"{shown}" is not a number')


def _quoted(text: str) -> NumberProblem:
    number = text.strip() if len(text) <= _MAX_LENGTH else ""
    if not _DECIMAL.fullmatch(number):
        hint = RENDER if looks_unrendered(text) else ""
        return NumberProblem(NOT_A_NUMBER, f"{quote(text)} is not a number", hint)
    if number == text:
        message, hint = f"{quote(text)} is text, not a number", "Remove the quotes."
    else:
        message = f"{quote(text)} is text with white space around a number, not a number"
        hint = "Remove the quotes and the white space."
    return NumberProblem(QUOTED_NUMBER, message, hint, (number,))


def possible_decimals(text: str) -> tuple[str, ...]:
    """Return the plain decimals that YAML readers may read *text* as, the most likely first."""
    sign = "-" if text.startswith("-") else ""
    body = text.lstrip("+-") if text[:1] in "+-" else text
    bare = body.replace("_", "")
    if re.fullmatch(r"0+[0-9]*", bare) and len(bare) > 1:
        decimal, octal = str(int(bare)), None
        if re.fullmatch(r"[0-7]+", bare):
            octal = str(int(bare, 8))
        return tuple(sign + number for number in dict.fromkeys((decimal, octal or decimal)))
    for pattern, base in ((r"0x[0-9a-fA-F]+", 16), (r"0o[0-7]+", 8), (r"0b[01]+", 2)):
        if re.fullmatch(pattern, bare) and len(bare) <= 20:
            return (sign + str(int(bare[2:], base)),)
    if re.fullmatch(r"[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?", bare):
        return _sexagesimal(sign, bare)
    if (
        re.fullmatch(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?", bare)
        and len(bare) <= 24
    ):
        number = f"{Decimal(bare):f}"
        if "." in number:
            number = number.rstrip("0").rstrip(".")
        return (sign + (number or "0"),)
    return ()


def _sexagesimal(sign: str, text: str) -> tuple[str, ...]:
    total = 0
    for part in text.partition(".")[0].split(":"):
        total = total * 60 + int(part)
        if total > MAX_AMOUNT:
            break
    return (f"{sign}{total}",)
