"""Sizes of memory and disk: numbers of megabytes, or texts with a unit (SkyShift, spec 1.2)."""

from __future__ import annotations

import re
from typing import Final

from console.dialects.codes import TOO_BIG, TOO_PRECISE
from console.dialects.fields import Fields
from console.dialects.findings import Findings, Place
from console.dialects.nodes import ScalarNode
from console.dialects.numbers import read_amount
from console.dialects.repairs import replace
from console.dialects.scalars import is_guessed
from console.dialects.skyshift.codes import BAD_SIZE, REST_OF_SIZE, SIZE_WITHOUT_UNIT
from console.dialects.wording import quote
from console.dialects.written import UNREAD, Read, Written
from console.engine.model.amounts import SCALE, format_amount

#: Binary exponent of each unit, in bytes.
_UNITS: Final = {"B": 0, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
_MEGABYTE: Final = 20
#: The unit of a text without one.
_DEFAULT: Final = "G"
#: What may follow the letter of a unit without being noticed: 1GB, 1Gi and 1GiB are common.
_TAILS: Final = ("", "b", "i", "ib")
#: The largest number of bytes that a request may state.
_LARGEST: Final = 2**53 - 1
_LONGEST: Final = 100
#: More digits before the point are a size that is too large in any unit.
_MOST_DIGITS: Final = 18
_SIZE = re.compile(r"([0-9]+)(?:\.([0-9]+))?", re.ASCII)
_SPACED = re.compile(r"\s+([BKMGTPE])", re.IGNORECASE | re.ASCII)


def read_size(fields: Fields, key: str) -> Read[int]:
    """Read a size; return thousandths of a byte."""
    node, at = fields.node(key), fields.key_place(key)
    if at is None or not isinstance(node, ScalarNode) or (node.plain and is_guessed(node.text)):
        number = fields.number(key, read_amount)
        if not isinstance(number, Written):
            return number
        return _bounded(number.value << _MEGABYTE, number.place, fields.findings)
    place = Place(node.start, node.end, at.path)
    return _read_text(node.text, place, key, fields.findings)


def _read_text(text: str, place: Place, key: str, findings: Findings) -> Read[int]:
    found = _SIZE.match(text) if len(text) <= _LONGEST else None
    spaced = _SPACED.match(text, found.end()) if found else None
    if found is None or spaced:
        meant = (f"{found[0]}{spaced[1].upper()}",) if found and spaced else ()
        findings.add(
            BAD_SIZE,
            place,
            f"{key}: {quote(text)} is not a size.",
            "Write a number of megabytes, or a number with a unit directly behind it: 512M, 1.5G.",
            tuple(replace(place, each) for each in meant),
        )
        return UNREAD
    if len((found[2] or "").rstrip("0")) > 3:
        message = f"{key}: {quote(text)} has more than three decimals."
        findings.add(TOO_PRECISE, place, message, "Round it, or use a smaller unit.")
        return UNREAD
    if len(found[1]) > _MOST_DIGITS:
        return _bounded(_LARGEST * SCALE + 1, place, findings)
    thousandths = int(found[1]) * SCALE + int(f"{found[2] or ''}000"[:3])
    unit = text[found.end() : found.end() + 1].upper()
    amount = thousandths << _UNITS[unit if unit in _UNITS else _DEFAULT]
    size = _bounded(amount, place, findings)
    if isinstance(size, Written) and amount:
        _note_unit(text, found[0], unit, size, key, findings)
    return size


def _note_unit(
    text: str, number: str, unit: str, size: Written[int], key: str, findings: Findings
) -> None:
    """Report a text that SkyShift reads in another way than its author probably means."""
    if unit not in _UNITS:
        findings.add(
            SIZE_WITHOUT_UNIT,
            size.place,
            f"{key}: {quote(text)} has no unit, and SkyShift takes it for {number} GB "
            f"({_megabytes(size.value)} MB).",
            f"Write the unit: {number}M for megabytes, {number}G for gigabytes.",
            (replace(size.place, f"{number}M"), replace(size.place, f"{number}G")),
        )
    elif text[len(number) + 1 :].lower() not in _TAILS:
        findings.add(
            REST_OF_SIZE,
            size.place,
            f"{key}: of {quote(text)}, SkyShift reads only {number}{unit} "
            f"({_megabytes(size.value)} MB).",
            "Write the size that is meant.",
            (replace(size.place, f"{number}{unit}"),),
        )


def _bounded(amount: int, place: Place, findings: Findings) -> Read[int]:
    if amount <= _LARGEST * SCALE:
        return Written(amount, place)
    message = f"The size is too large; it may be {_LARGEST:,} bytes at most."
    findings.add(TOO_BIG, place, message, "Write a smaller size.")
    return UNREAD


def _megabytes(amount: int) -> str:
    """Return thousandths of a byte as megabytes, with at most three decimals."""
    thousandths = amount >> _MEGABYTE
    whole, rest = divmod(thousandths, SCALE)
    return f"{whole:,}{format_amount(rest)[1:] if rest else ''}"
