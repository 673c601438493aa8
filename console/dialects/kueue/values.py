"""Quantities and counts in fields: what was written, or what is wrong and what to write instead."""

from __future__ import annotations

import re

from console.dialects.codes import NEGATIVE, NUMBER_SPELLING
from console.dialects.findings import Findings
from console.dialects.kueue.codes import BAD_WEIGHT, NOT_A_QUANTITY
from console.dialects.kueue.quantity import Quantity, parse_quantity, quantities_meant
from console.dialects.numbers import NumberProblem, spelled_otherwise
from console.dialects.repairs import replace
from console.dialects.written import Read, Written

#: What YAML 1.1 reads in base 8.
_OCTAL = re.compile(r"[-+]?0[0-7]+")


def read_quantity(text: str, *, plain: bool) -> Quantity | NumberProblem:
    """
    Read a quantity that is not negative.

    >>> read_quantity("1500m", plain=True).nanos
    1500000000
    >>> read_quantity("16GB", plain=True).instead, read_quantity("010", plain=True).instead
    (('16G',), ('10', '8'))
    """
    if plain and _OCTAL.fullmatch(text) and len(set(spelled_otherwise(text))) > 1:
        return _spelling(text)
    try:
        quantity = parse_quantity(text)
    except ValueError as error:
        if plain and spelled_otherwise(text):
            return _spelling(text)
        instead = quantities_meant(text)
        if not plain:
            instead = tuple(f'"{candidate}"' for candidate in instead)
        hint = "Write a number and, if needed, a suffix: 500m, 4, 1.5k, 16Gi, 2e3."
        return NumberProblem(NOT_A_QUANTITY, str(error), hint, instead)
    if quantity.nanos < 0:
        return NumberProblem(NEGATIVE, f"{text} is negative; it must be 0 or more")
    return quantity


def check_weight(weight: Read[Quantity], findings: Findings) -> None:
    """Note a weight of fair sharing that is neither 0 nor above 1n (Kueue, spec 1.3)."""
    if isinstance(weight, Written) and weight.value.nanos == 1:
        findings.add(
            BAD_WEIGHT,
            weight.place,
            "weight 1n is too small; it must be 0 or more than 1n.",
            "Weights count against each other: 1 and 2 say the same as 1n and 2n.",
            (replace(weight.place, "2n"), replace(weight.place, "0", number=True)),
        )


def _spelling(text: str) -> NumberProblem:
    return NumberProblem(
        NUMBER_SPELLING,
        f'YAML readers disagree on the number "{text}"',
        "Write it with digits and at most one decimal point.",
        spelled_otherwise(text),
    )
