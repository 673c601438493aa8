"""
Readers of quantities and integers in fields: the value, or the problem with replacements.

Two sources decide. The schema of the CRD accepts an integer or a text for a quantity, and only an
integer for a priority; the grammar of Kubernetes decides which texts are quantities. kubectl
converts YAML to JSON for the API server, so ``3.0`` and ``1e3`` without quotes arrive as the
integers 3 and 1000, and ``1.5`` as a number that the schema rejects.
"""

from __future__ import annotations

import math
import re

from console.dialects.codes import NEGATIVE, NUMBER_SPELLING
from console.dialects.findings import Findings
from console.dialects.kueue.codes import BAD_WEIGHT, BARE_FRACTION, NOT_A_QUANTITY
from console.dialects.numbers import (
    NumberProblem,
    possible_decimals,
    read_int32,
    read_int64,
)
from console.dialects.quantity import (
    INT64_MAX,
    Quantity,
    parse_quantity,
    suggest_quantities,
)
from console.dialects.repairs import replace
from console.dialects.written import Read, Written

#: A number that YAML 1.1 reads as octal.
_OCTAL = re.compile(r"[-+]?0[0-7]+")
_INTEGER = re.compile(r"[-+]?[0-9]+")
#: A text without quotes that kubectl's YAML reader reads as a number.
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
#: A longer number is not a quantity either, so it is not converted.
_MAX_LENGTH = 100


def read_quantity(text: str, *, plain: bool) -> Quantity | NumberProblem:
    """
    Return a quantity of 0 or more, or the problem.

    >>> read_quantity("1500m", plain=True).nanos, read_quantity("1e3", plain=True).nanos
    (1500000000, 1000000000000)
    >>> read_quantity("16GB", plain=True).instead, read_quantity("010", plain=True).instead
    (('16G',), ('10', '8'))
    >>> read_quantity("1.5", plain=True).instead, read_quantity("1.5", plain=False).nanos
    (('"1.5"', '1500m'), 1500000000)
    """
    if plain and _OCTAL.fullmatch(text) and len(set(possible_decimals(text))) > 1:
        return _spelling(text)
    if plain:
        text = _written_out(text)
    try:
        quantity = parse_quantity(text)
    except ValueError as error:
        if plain and possible_decimals(text):
            return _spelling(text)
        instead = suggest_quantities(text)
        if not plain:
            instead = tuple(f'"{candidate}"' for candidate in instead)
        hint = "Write a number and, if needed, a suffix: 500m, 4, 1.5k, 16Gi, 2e3."
        return NumberProblem(NOT_A_QUANTITY, str(error), hint, instead)
    if quantity.nanos < 0:
        return NumberProblem(NEGATIVE, f"{text} is negative; it must be 0 or more")
    if plain and _is_number(text) and _integer_of(text) is None:
        return NumberProblem(
            BARE_FRACTION,
            f"{text} without quotes is not an integer of 64 bits, and the API server takes an "
            "integer or a text",
            "Quote it, or write it with a suffix.",
            (f'"{text}"', *([str(quantity)] if _INTEGER.fullmatch(text) is None else [])),
        )
    return quantity


def read_whole32(text: str, *, plain: bool) -> int | NumberProblem:
    """
    Return a signed 32-bit integer, or the problem.

    >>> read_whole32("3.0", plain=True), read_whole32("1e3", plain=True)
    (3, 1000)
    """
    return read_int32(_written_out(text) if plain else text, plain=plain)


def read_whole64(text: str, *, plain: bool) -> int | NumberProblem:
    """Return a signed 64-bit integer, or the problem."""
    return read_int64(_written_out(text) if plain else text, plain=plain)


def check_weight(weight: Read[Quantity], findings: Findings) -> None:
    """Report a fair sharing weight that is neither 0 nor above 1n (Kueue, spec 1.3)."""
    if isinstance(weight, Written) and weight.value.nanos == 1:
        findings.add(
            BAD_WEIGHT,
            weight.place,
            "weight 1n is too small; it must be 0 or more than 1n.",
            "Weights are relative: 1 and 2 mean the same as 1n and 2n.",
            (replace(weight.place, "2n"), replace(weight.place, "0", number=True)),
        )


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and not math.isinf(float(text))


def _integer_of(text: str) -> int | None:
    """Return the 64-bit integer that a plain number is in JSON; None if it is not one."""
    number = int(text) if _INTEGER.fullmatch(text) else float(text)
    if number != int(number) or not -INT64_MAX - 1 <= number <= INT64_MAX:
        return None
    return int(number)


def _written_out(text: str) -> str:
    """Return a number with point or exponent as an integer, if it is one; else *text*."""
    if len(text) > _MAX_LENGTH or _INTEGER.fullmatch(text) or not _is_number(text):
        return text
    integer = _integer_of(text)
    return text if integer is None else str(integer)


def _spelling(text: str) -> NumberProblem:
    return NumberProblem(
        NUMBER_SPELLING,
        f'YAML parsers disagree on the number "{text}"',
        "Write it with digits and at most one decimal point.",
        possible_decimals(text),
    )
