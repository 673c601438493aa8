"""
Nodes to the values of a config, by its types, as YuniKorn's YAML library reads them.

Booleans are those of YAML 1.1, texts are the raw text of any scalar, a null in a list is left out,
and a number with a point is a whole number. Problems are added in the order of the library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from console.dialects.codes import (
    NEGATIVE,
    NOT_A_CHOICE,
    NOT_A_LIST,
    NOT_A_MAPPING,
    NOT_A_NUMBER,
    NOT_TEXT,
    NOT_WHOLE,
    QUOTED_NUMBER,
    UNKNOWN_KEY,
    Code,
)
from console.dialects.findings import Edit, Place, Repair
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.repairs import remove_field, replace, suggest
from console.dialects.scalars import write_text
from console.dialects.tree import report_repeated_key
from console.dialects.wording import capitalize, listed, shorten
from console.dialects.written import Written
from console.dialects.yunikorn.codes import NODE_ORDER_TEXT, REMOVED_KEY
from console.dialects.yunikorn.library_types import (
    BOOL,
    FLOAT,
    NODE_ORDER,
    STRING,
    SWITCHES,
    ListOf,
    MapOf,
    Scalar,
    Struct,
    Type,
)
from console.dialects.yunikorn.problems import Problems, Stage

_TRUE: Final = ("true", "True", "TRUE")
_FALSE: Final = ("false", "False", "FALSE")
_YES: Final = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON")
_NO: Final = ("n", "N", "no", "No", "NO", "off", "Off", "OFF")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASES: Final = {"0x": 16, "0X": 16, "0o": 8, "0O": 8, "0b": 2, "0B": 2}
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?")
_NAMES: Final = re.compile(r"[\w.@:#/-]+(?:\s*,\s*[\w.@:#/-]+)+")
_LARGEST: Final = 2**64 - 1
_NOT_FINITE: Final = {
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
#: Longer numbers are text here.
_LONGEST: Final = 100
#: Values that messages of the library show in full.
_SHOWN: Final = 10


@dataclass(slots=True)
class Values:
    """The values of the fields of one mapping that are present, valid and not null."""

    place: Place
    #: Field -> its value with its place: text, boolean, number, list, mapping or `Values`.
    fields: dict[str, Written[Any]] = field(default_factory=dict)
    #: Field -> the place of its key.
    keys: dict[str, Place] = field(default_factory=dict)
    #: The fields with values that could not be read, which are reported.
    unread: set[str] = field(default_factory=set)

    def get(self, key: str) -> Written[Any] | None:
        """Return the value of a field, or None."""
        return self.fields.get(key)

    def key(self, key: str) -> Place:
        """Return the place of the key of a field, or of the mapping if the field is absent."""
        return self.keys.get(key, self.place)


class Decoder:
    """
    Reads nodes as values of types.

    *first_line* is the line of the text that YuniKorn's first line is on; *lines* has YuniKorn's
    lines of all nodes if the text has none of them.
    """

    def __init__(
        self, problems: Problems, first_line: int = 1, lines: Mapping[Node, int] | None = None
    ) -> None:
        self._problems = problems
        self._findings = problems.findings
        self._before = first_line - 1
        self._lines = lines or {}

    def struct(self, node: Node, kind: Struct, path: str) -> Values | None:
        """Return the fields of a mapping; None if it is null or no mapping."""
        found = self._value(node, kind, path)
        return found.value if found is not None else None

    def _value(self, node: Node, kind: Type, path: str) -> Written[Any] | None:
        """Return the value of a node; None if it is null or invalid."""
        if isinstance(node, UnreadNode):
            return None
        if isinstance(node, ScalarNode) and node.is_null:
            return None
        if isinstance(node, MapNode) and node.repeated:
            self._note_repeated(node)
            # The library reads nothing else of such a mapping.
            with self._problems.unnoted(Stage.TEXT):
                return self._present(node, kind, path)
        return self._present(node, kind, path)

    def _present(self, node: Node, kind: Type, path: str) -> Written[Any] | None:
        place = Place(node.start, node.end, path)
        if isinstance(kind, Scalar):
            return self._scalar(node, kind, place)
        if isinstance(kind, ListOf):
            if isinstance(node, ListNode):
                read = (
                    self._value(item, kind.item, f"{path}[{i}]")
                    for i, item in enumerate(node.items)
                )
                return Written(tuple(item for item in read if item is not None), place)
            self._refuse_type(node, kind, place, NOT_A_LIST)
            return None
        if not isinstance(node, MapNode):
            if kind is NODE_ORDER and isinstance(node, ScalarNode):
                return self._node_order(node, place)
            self._refuse_type(node, kind, place, NOT_A_MAPPING)
            return None
        if isinstance(kind, MapOf):
            return self._map(node, kind, place)
        return Written(self._struct(node, kind, place), place)

    def _struct(self, node: MapNode, kind: Struct, place: Place) -> Values:
        values = Values(place)
        prefix = f"{place.path}." if place.path else ""
        unknown: list[tuple[ScalarNode, Node]] = []
        #: The fields that are there, or that a fix writes.
        taken = set(node.entries)
        for key, (key_node, value) in node.entries.items():
            known = kind.fields.get(key)
            own = f"{prefix}{key}"
            if known is None:
                self._note_field(key_node, kind, own, value, taken)
                known = kind.others.get(key)
                if known is None:
                    unknown.append((key_node, value))
                    continue
            values.keys[key] = Place(key_node.start, key_node.end, own)
            if key == SWITCHES:
                continue
            read = self._value(value, known, own)
            if read is not None:
                values.fields[key] = read
            elif not (isinstance(value, ScalarNode) and value.is_null):
                values.unread.add(key)
        for key_node, value in unknown:
            self._read_misspelled(key_node, value, kind, values, prefix)
        return values

    def _note_field(
        self, key: ScalarNode, kind: Struct, path: str, value: Node, taken: set[str]
    ) -> None:
        """
        Report a field that YuniKorn does not know, unless it is one of this product.

        The name that its fix writes is added to *taken*.
        """
        original = f"{self._line(key)}field {key.text} not found in type {kind.name}"
        place = Place(key.start, key.end, path)
        if key.text == SWITCHES and SWITCHES in kind.others:
            self._problems.cite(original, Stage.TEXT)
        elif key.text in kind.others:
            self._problems.add(
                REMOVED_KEY,
                place,
                f"{key.text} has no effect: YuniKorn 1.5 removed it, and refuses it since.",
                "Remove it.",
                (remove_field(self._findings, Place(value.start, value.end), key.text),),
                original=original,
                stage=Stage.TEXT,
            )
        else:
            # One that is there already would be written twice.
            free = [name for name in kind.fields if name not in taken]
            best = suggest(self._findings, key.text, free)
            hint = f"{capitalize(kind.what)} has {listed(kind.fields, 'and')}."
            repairs: tuple[Repair, ...] = ()
            if best is not None:
                taken.add(best)
                hint = f'Did you mean "{best}"?'
                edit = Edit(key.start, key.end, write_text(best, plain=key.plain))
                repairs = (Repair(f'Replace with "{best}"', (edit,)),)
            self._problems.add(
                UNKNOWN_KEY,
                place,
                f'"{shorten(key.text)}" is not a field of {kind.what}.',
                hint,
                repairs,
                original=original,
                stage=Stage.TEXT,
            )

    def _read_misspelled(
        self, key: ScalarNode, value: Node, kind: Struct, values: Values, prefix: str
    ) -> None:
        """Read a misspelled field as the one that was probably meant."""
        free = [known for known in kind.fields if known not in values.keys]
        best = suggest(self._findings, key.text, free)
        if best is None:
            return
        values.keys[best] = Place(key.start, key.end, f"{prefix}{best}")
        with self._problems.unnoted(Stage.TEXT):
            read = self._value(value, kind.fields[best], f"{prefix}{key.text}")
        if read is not None:
            values.fields[best] = read

    def _map(self, node: MapNode, kind: MapOf, place: Place) -> Written[Any]:
        pairs: list[tuple[Written[str], Written[Any]]] = []
        for key, (key_node, value) in node.entries.items():
            own = f"{place.path}.{key}"
            at = Place(value.start, value.end, own)
            read: Written[Any] | None
            if isinstance(value, ScalarNode) and value.is_null:
                read = Written("" if kind.value is STRING else 0.0, at)
            else:
                read = self._value(value, kind.value, own)
            if read is not None:
                name = Written(key, Place(key_node.start, key_node.end, own))
                pairs.append((name, read))
        return Written(tuple(pairs), place)

    def _node_order(self, node: ScalarNode, place: Place) -> Written[Any]:
        """Read the type of the node order in the form of the documentation, a single text."""
        edit = Edit(node.start, node.end, f"{{type: {write_text(node.text)}}}")
        self._problems.add(
            NODE_ORDER_TEXT,
            place,
            "nodesortpolicy is a mapping with type; YuniKorn refuses a single text, although its "
            "documentation has it.",
            f"Write nodesortpolicy: {{type: {shorten(node.text)}}}.",
            (Repair("Write it as a mapping", (edit,)),),
            original=self._mismatch(node, NODE_ORDER),
            stage=Stage.TEXT,
        )
        values = Values(place)
        values.fields["type"] = Written(node.text, place)
        return Written(values, place)

    def _scalar(self, node: Node, kind: Scalar, place: Place) -> Written[Any] | None:
        if not isinstance(node, ScalarNode):
            self._refuse_type(node, kind, place, NOT_TEXT if kind is STRING else NOT_A_NUMBER)
            return None
        if kind is STRING:
            return Written(node.text, place)
        if kind is BOOL:
            flag = _boolean(node)
            if flag is None:
                self._refuse_type(node, kind, place, NOT_A_CHOICE)
                return None
            return Written(flag, place)
        number = read_number(node.text) if node.plain else None
        if number is None:
            quoted = not node.plain and read_number(node.text) is not None
            self._refuse_type(node, kind, place, QUOTED_NUMBER if quoted else NOT_A_NUMBER)
            return None
        if kind is FLOAT:
            return Written(float(number), place)
        if not 0 <= number <= _LARGEST:
            self._refuse_type(node, kind, place, NEGATIVE if number < 0 else NOT_A_NUMBER)
            return None
        if number != int(number):
            message = f"{node.text} is not a whole number; YuniKorn takes {int(number)}."
            repairs = (replace(place, str(int(number)), number=True),)
            self._findings.add(NOT_WHOLE, place, message, "Write a whole number.", repairs)
        return Written(int(number), place)

    def _refuse_type(self, node: Node, kind: Type, place: Place, code: Code) -> None:
        key = re.sub(r"\[[0-9]+\]\Z", "", place.path).rpartition(".")[2] or "The config"
        what = "a mapping" if isinstance(node, MapNode) else "a list"
        repairs: tuple[Repair, ...] = ()
        if isinstance(node, ScalarNode):
            what = f'"{shorten(node.text, 40)}"' if node.text.strip() else "an empty text"
            if code is QUOTED_NUMBER:
                edit = Edit(node.start, node.end, node.text)
                repairs = (Repair("Remove the quotes", (edit,)),)
            elif isinstance(kind, ListOf) and kind.item is STRING and node.plain:
                edit = Edit(node.start, node.end, f"[{', '.join(map(write_text, _names(node)))}]")
                repairs = (Repair("Make it a list", (edit,)),) if "\n" not in node.text else ()
        wanted = kind.what if not isinstance(kind, Struct) else "a mapping"
        hint = (
            f"{capitalize(kind.what)} has {listed(kind.fields, 'and')}."
            if isinstance(kind, Struct)
            else ""
        )
        self._problems.add(
            code,
            place,
            f"{shorten(key)} must be {wanted}, not {what}.",
            hint,
            repairs,
            original=self._mismatch(node, kind),
            stage=Stage.TEXT,
        )

    def _mismatch(self, node: Node, kind: Type) -> str:
        if isinstance(node, ScalarNode):
            text = node.text
            shown = f"{text[:7]}..." if len(text.encode()) > _SHOWN else text
            value = f"{_tag(node)} `{shown}`"
        else:
            value = "!!map" if isinstance(node, MapNode) else "!!seq"
        return f"{self._line(node)}cannot unmarshal {value} into {kind.name}"

    def _note_repeated(self, node: MapNode) -> None:
        for key in node.repeated:
            first = node.entries[key.text][0]
            original = (
                f'{self._line(key)}mapping key "{key.text}" already defined at line '
                f"{self._line_number(first)}"
            )
            self._problems.cite(original, Stage.TEXT)
            line = f"line {self._lines[first]}" if first in self._lines else ""
            report_repeated_key(self._findings, key, first, original, line)

    def _line(self, node: Node) -> str:
        return f"line {self._line_number(node)}: "

    def _line_number(self, node: Node) -> int:
        if node in self._lines:
            return self._lines[node]
        return self._findings.positions.span(node.start, node.start).line - self._before


def _names(node: ScalarNode) -> list[str]:
    """Return the names in a text with commas; a text with other characters is one item."""
    return re.split(r"\s*,\s*", node.text) if _NAMES.fullmatch(node.text) else [node.text]


def _boolean(node: ScalarNode) -> bool | None:
    text = node.text
    if text in _YES or (node.plain and text in _TRUE):
        return True
    if text in _NO or (node.plain and text in _FALSE):
        return False
    return None


def read_number(text: str) -> int | float | None:
    """
    Return the number that a plain scalar is, or None.

    >>> [read_number(text) for text in ("12", "1_000", "0x10", "010", "3.0", "1e3", "x", "")]
    [12, 1000, 16, 8, 3.0, 1000.0, None, None]
    >>> [read_number(text) for text in ("+.inf", "-.Inf", "--.inf", ".iNf", "1e999")]
    [inf, -inf, None, None, None]
    """
    if not text or len(text) > _LONGEST or text[0] not in "+-.0123456789":
        return None
    if _DATE.fullmatch(text):
        return None
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    plain = text.replace("_", "") if text[0] != "." else text
    sign, digits = (plain[0], plain[1:]) if plain[:1] in ("+", "-") else ("", plain)
    base = _BASES.get(digits[:2])
    if base is None and len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        base, digits = 8, f"0o{digits[1:]}"
    try:
        if base is not None:
            return int(sign + digits[2:], base)
        return int(plain) if digits.isascii() and digits.isdigit() else _float(plain)
    except ValueError:
        return _float(plain)


def _float(text: str) -> float | None:
    number = float(text) if _FLOAT.fullmatch(text) else math.inf
    # The library reads a number that is too large as a text.
    return number if math.isfinite(number) else None


def _tag(node: ScalarNode) -> str:
    if not node.plain:
        return "!!str"
    if node.text in _TRUE + _FALSE:
        return "!!bool"
    if _DATE.fullmatch(node.text):
        return "!!timestamp"
    number = read_number(node.text)
    if number is None:
        return "!!str"
    return "!!float" if isinstance(number, float) else "!!int"
