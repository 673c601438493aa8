"""
Type checks of fields that are otherwise not used.

Kueue decodes its Configuration strictly: a value of another type prevents its controller from
starting. An unknown field may belong to a newer release, so it is a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from console.dialects.codes import NOT_A_NUMBER
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kueue.codes import NOT_A_BOOLEAN, NOT_A_DURATION
from console.dialects.kueue.lint_codes import UNKNOWN_SETTING
from console.dialects.kueue.values import read_quantity, read_whole32, read_whole64
from console.dialects.lists import valid_items
from console.dialects.nodes import Node, ScalarNode, UnreadNode
from console.dialects.numbers import NumberProblem
from console.dialects.repairs import replace
from console.dialects.wording import shorten
from console.dialects.written import UNREAD, Read, Written

_TRUE: Final = frozenset(("true", "True", "TRUE"))
_FALSE: Final = frozenset(("false", "False", "FALSE"))
#: Common misspellings of true and false.
_INTENDED: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_NUMBER: Final = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_DURATION: Final = re.compile(rf"[-+]?(?:0|(?:{_NUMBER}(?:ns|us|µs|μs|ms|s|m|h))+)")
_DECIMAL: Final = re.compile(rf"[-+]?{_NUMBER}(?:[eE][-+]?[0-9]+)?")
_LONGEST: Final = 4096


class Scalar(StrEnum):
    """The type of a scalar; the value is its name in messages."""

    TEXT = "a text"
    BOOLEAN = "true or false"
    INT32 = "an integer of 32 bits"
    INT64 = "an integer of 64 bits"
    DECIMAL = "a number"
    DURATION = "a duration"
    QUANTITY = "a quantity"
    #: Not checked.
    ANYTHING = "anything"


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping with declared fields."""

    what: str
    fields: Mapping[str, FieldType]
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of sections or texts."""

    item: Section | Scalar = Scalar.TEXT


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping from any text to one type."""

    item: Scalar


@dataclass(frozen=True, slots=True)
class Words:
    """A word of an enumeration."""

    words: type[StrEnum]


FieldType: TypeAlias = Scalar | Section | ListOf | MapOf | Words


def read_boolean(fields: Fields, key: str) -> Read[bool]:
    """Read true or false; the other spellings of YAML 1.1 are errors with a fix."""
    node = fields.node(key)
    if node is None:
        return None
    place = Place(node.start, node.end, f"{fields.place.path}.{key}".lstrip("."))
    if isinstance(node, ScalarNode) and node.plain and node.text in _TRUE | _FALSE:
        return Written(node.text in _TRUE, place)
    if not isinstance(node, UnreadNode):
        _note_not_boolean(node, place, key, fields.findings)
    return UNREAD


def _note_not_boolean(node: Node, place: Place, key: str, findings: Findings) -> None:
    text = node.text if isinstance(node, ScalarNode) else ""
    meant = text.lower() if text.lower() in ("true", "false") else _INTENDED.get(text.lower())
    shown = f'not "{shorten(text)}"' if text else "not a list or a mapping"
    findings.add(
        NOT_A_BOOLEAN,
        place,
        f"{key} must be true or false, {shown}.",
        "Write true or false without quotes.",
        (replace(place, meant, number=True),) if meant else (),
    )


def check_type(fields: Fields, key: str, kind: FieldType) -> None:
    """Report errors in the type of the field *key*."""
    if isinstance(kind, Scalar):
        _SCALARS[kind](fields, key)
    elif isinstance(kind, Words):
        fields.choice(key, kind.words)
    elif isinstance(kind, MapOf):
        _check_map(fields, key, kind)
    elif isinstance(kind, Section):
        section = fields.mapping(key, _shape(kind))
        if isinstance(section, Fields):
            _check_section(section, kind)
    elif isinstance(kind.item, Section):
        for item in valid_items(fields.mappings(key, _shape(kind.item))):
            _check_section(item, kind.item)
    else:
        fields.texts(key)


def _shape(kind: Section) -> Shape:
    return Shape(kind.what, tuple(kind.fields), UNKNOWN_SETTING)


def _check_section(section: Fields, kind: Section) -> None:
    for key, own in kind.fields.items():
        if key in kind.required:
            section.text(key, required=True)
        else:
            check_type(section, key, own)


def _check_map(fields: Fields, key: str, kind: MapOf) -> None:
    read = fields.mapping_of_any(key)
    if read is not None:
        section, entries = read
        for entry in entries:
            check_type(section, entry, kind.item)


def _read_decimal(text: str, *, plain: bool) -> str | NumberProblem:
    if plain and _DECIMAL.fullmatch(text):
        return text
    return NumberProblem(NOT_A_NUMBER, f'"{shorten(text)}" is not a number')


def _read_duration(text: str, *, plain: bool) -> str | NumberProblem:
    is_number = plain and _DECIMAL.fullmatch(text)
    if not is_number and len(text) <= _LONGEST and _DURATION.fullmatch(text):
        return text
    return NumberProblem(
        NOT_A_DURATION,
        f'"{shorten(text)}" is not a duration',
        "Write numbers with units: 30s, 5m, 1h30m.",
        (f"{text}s",) if is_number and text.isdigit() else (),
    )


def _numbers(read: Callable[..., object]) -> Callable[[Fields, str], object]:
    return lambda fields, key: fields.number(key, read)


_SCALARS: Final[Mapping[Scalar, Callable[[Fields, str], object]]] = {
    Scalar.TEXT: lambda fields, key: fields.free_text(key, _LONGEST),
    Scalar.BOOLEAN: read_boolean,
    Scalar.INT32: _numbers(read_whole32),
    Scalar.INT64: _numbers(read_whole64),
    Scalar.DECIMAL: _numbers(_read_decimal),
    Scalar.DURATION: _numbers(_read_duration),
    Scalar.QUANTITY: _numbers(read_quantity),
    Scalar.ANYTHING: lambda fields, key: None,
}
