"""Typed readers of the fields of a mapping: they report invalid values and continue."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from console.dialects.codes import (
    BLANK,
    CONTROL_IN_TEXT,
    EMPTY_LIST,
    MISSING_KEY,
    NOT_A_CHOICE,
    NOT_A_LIST,
    NOT_A_MAPPING,
    NOT_A_NUMBER,
    NOT_TEXT,
    QUOTE_IT,
    TOO_LONG,
    UNKNOWN_KEY,
    Code,
)
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.numbers import NumberProblem, read_amount, read_priority
from console.dialects.opaque import to_json
from console.dialects.repairs import did_you_mean, replace, suggest
from console.dialects.scalars import is_guessed, write_text
from console.dialects.wording import capitalize, listed, shorten
from console.dialects.written import UNREAD, Read, Unread, Written
from console.engine.wording.characters import CONTROLS, LINE_ENDS

Choice = TypeVar("Choice", bound=StrEnum)
Number = TypeVar("Number")

#: Maximum length of a name.
MAX_TEXT: Final = 500
_CONTROL = re.compile(f"[\n{CONTROLS}{LINE_ENDS}]")


@dataclass(frozen=True, slots=True)
class Shape:
    """The name of a mapping in messages, and the fields that it may have."""

    what: str
    keys: tuple[str, ...]
    #: The code for an unknown field.
    unknown: Code = UNKNOWN_KEY


class Fields:
    """
    The fields of one mapping.

    The constructor reports unknown keys. A misspelled key is read as the field that was probably
    meant, so that one typo gives one finding.
    """

    def __init__(
        self,
        node: MapNode,
        path: str,
        shape: Shape,
        findings: Findings,
        *,
        takes_any: bool = False,
    ) -> None:
        self.place = Place(node.start, node.end, path)
        self.findings = findings
        self._shape = shape
        self._node = node
        self._entries = node.entries
        if takes_any:
            return
        unknown = [entry for key, entry in node.entries.items() if key not in shape.keys]
        if unknown:
            self._entries = {k: v for k, v in node.entries.items() if k in shape.keys}
        for key_node, value in unknown:
            self._note_unknown_key(key_node, value)

    def _note_unknown_key(self, key: ScalarNode, value: Node) -> None:
        place = Place(key.start, key.end, self._path(key.text))
        free = [known for known in self._shape.keys if known not in self._entries]
        best = suggest(self.findings, key.text, free)
        hint = f"{capitalize(self._shape.what)} has {listed(self._shape.keys, 'and')}."
        repairs: tuple[Repair, ...] = ()
        if best is not None:
            self._entries = self._entries | {best: (key, value)}
            # A quoted key stays quoted: in JSON style, the colon may follow without a space.
            text = write_text(best, plain=key.plain)
            hint = f'Did you mean "{best}"?'
            repairs = (Repair(f'Replace with "{best}"', (Edit(place.start, place.end, text),)),)
        self.findings.add(
            self._shape.unknown,
            place,
            f'"{shorten(key.text)}" is not a field of {self._shape.what}.',
            hint,
            repairs,
        )

    def key_place(self, key: str) -> Place | None:
        """Return the place of a field's key, or None if the field is absent."""
        entry = self._entries.get(key)
        return Place(entry[0].start, entry[0].end, self._path(key)) if entry else None

    def node(self, key: str) -> Node | None:
        """Return the node of a field's value; None if it is absent or null."""
        return self._value(key, required=False)

    def text(self, key: str, *, required: bool = False, blank_is_absent: bool = False) -> Read[str]:
        """
        Read a text that is not blank.

        A required text that is missing or blank is reported and returned as None.
        """
        node = self._value(key, required)
        if node is None or (blank_is_absent and _is_blank(node)):
            return None
        text = self._text(node, self._path(key), key)
        return None if required and _is_blank(node) else text

    def texts(
        self, key: str, *, required: bool = False, may_be_empty: bool = False
    ) -> Read[tuple[Read[str], ...]]:
        """
        Read a list of texts; with *may_be_empty*, items may be empty texts in quotes.

        An invalid item is UNREAD.
        """
        items = self._items(key, required)
        if not isinstance(items, Written):
            return items
        path = items.place.path
        texts: list[Read[str]] = []
        for i, node in enumerate(items.value):
            own = f"{path}[{i}]"
            if may_be_empty and _is_empty(node):
                texts.append(Written("", Place(node.start, node.end, own)))
            else:
                texts.append(self._text(node, own, "a value"))
        return Written(tuple(texts), items.place)

    def free_text(self, key: str, longest: int) -> Read[str]:
        """Read a text with any characters, of at most *longest* characters."""
        node = self._value(key, required=False)
        if node is None:
            return None
        place = Place(node.start, node.end, self._path(key))
        if not isinstance(node, ScalarNode):
            if not isinstance(node, UnreadNode):
                self.findings.add(NOT_TEXT, place, f"{key} must be one text, not {_kind(node)}.")
            return UNREAD
        if len(node.text) > longest:
            message = f"{key} has {len(node.text):,} characters; it may have {longest:,} at most."
            self.findings.add(TOO_LONG, place, message, "Shorten it.")
            return UNREAD
        if node.plain and is_guessed(node.text):
            self._note_guessed(node, place, key)
        return Written(node.text, place)

    def texts_by_key(self, key: str, what: str) -> Read[tuple[tuple[Written[str], Read[str]], ...]]:
        """
        Read a mapping of texts, which may be empty; an invalid text is UNREAD.

        *what* is the noun for a text in messages.
        """
        node = self._value(key, required=False)
        if node is None:
            return None
        path = self._path(key)
        place = Place(node.start, node.end, path)
        if not isinstance(node, MapNode):
            if not isinstance(node, UnreadNode):
                message = f"{key} must be a mapping, not {_kind(node)}."
                self.findings.add(NOT_A_MAPPING, place, message)
            return UNREAD
        pairs: list[tuple[Written[str], Read[str]]] = []
        for text, (key_node, value) in node.entries.items():
            own = f"{path}.{text}"
            read = (
                Written("", Place(value.start, value.end, own))
                if _is_empty(value)
                else self._text(value, own, what)
            )
            pairs.append((Written(text, Place(key_node.start, key_node.end, own)), read))
        return Written(tuple(pairs), place)

    def choice(
        self,
        key: str,
        choices: type[Choice],
        *,
        required: bool = False,
        blank_is_absent: bool = False,
        renamed: Mapping[str, str] | None = None,
    ) -> Read[Choice]:
        """
        Read a value of an enumeration.

        *renamed* maps words of earlier versions to the present ones.
        """
        node = self._value(key, required)
        if node is None or (blank_is_absent and _is_blank(node)):
            return None
        return self._choice(node, self._path(key), key, choices, renamed or {})

    def choices(
        self, key: str, choices: type[Choice], *, required: bool = False
    ) -> Read[tuple[Written[Choice], ...]]:
        """Read a list of values of an enumeration; it is UNREAD if one of them is invalid."""
        items = self._items(key, required)
        if not isinstance(items, Written):
            return items
        path = items.place.path
        words = [
            self._choice(node, f"{path}[{i}]", key, choices, {})
            for i, node in enumerate(items.value)
        ]
        written = tuple(word for word in words if isinstance(word, Written))
        return Written(written, items.place) if len(written) == len(words) else UNREAD

    def amount(self, key: str) -> Read[int]:
        """Read a number, 0 or more, with at most three decimals; return thousandths."""
        return self.number(key, read_amount)

    def priority(self, key: str) -> Read[int]:
        """Read a whole number, 0 or more."""
        return self.number(key, read_priority)

    def number(
        self,
        key: str,
        read: Callable[..., Number | NumberProblem],
        *,
        required: bool = False,
    ) -> Read[Number]:
        """Read a number with *read*, which gets the scalar's text and whether it is *plain*."""
        node = self._value(key, required)
        if node is None:
            return None
        place = Place(node.start, node.end, self._path(key))
        if isinstance(node, UnreadNode):
            return UNREAD
        if not isinstance(node, ScalarNode):
            self.findings.add(NOT_A_NUMBER, place, f"{key} must be a number, not {_kind(node)}.")
            return UNREAD
        number = read(node.text, plain=node.plain)
        if not isinstance(number, NumberProblem):
            return Written(number, place)
        repairs = tuple(
            Repair(f"Write {text}", (Edit(place.start, place.end, text),))
            for text in number.instead
        )
        self.findings.add(number.code, place, f"{key}: {number.message}.", number.hint, repairs)
        return UNREAD

    def mapping(self, key: str, shape: Shape, *, required: bool = False) -> Fields | Unread | None:
        """Read a mapping with the fields of *shape*."""
        node = self._value(key, required)
        return None if node is None else self._fields(node, self._path(key), shape)

    def mappings(
        self, key: str, shape: Shape, *, required: bool = False
    ) -> Read[tuple[Fields | Unread, ...]]:
        """Read a list of mappings with the fields of *shape*; a required list must not be empty."""
        items = self._items(key, required)
        if not isinstance(items, Written):
            return items
        path = items.place.path
        fields = [self._fields(node, f"{path}[{i}]", shape) for i, node in enumerate(items.value)]
        return Written(tuple(fields), items.place)

    def mapping_of_any(self, key: str) -> tuple[Fields, tuple[str, ...]] | None:
        """Read a mapping with arbitrary keys; return its fields and the keys, or None."""
        node = self._value(key, required=False)
        if isinstance(node, MapNode):
            shape = Shape(key, ())
            own = Fields(node, self._path(key), shape, self.findings, takes_any=True)
            return own, tuple(node.entries)
        if node is not None and not isinstance(node, UnreadNode):
            place = Place(node.start, node.end, self._path(key))
            self.findings.add(NOT_A_MAPPING, place, f"{key} must be a mapping, not {_kind(node)}.")
        return None

    def opaque(self, key: str) -> Read[dict[str, Any]]:
        """Read a mapping with arbitrary content as plain JSON values."""
        node = self._value(key, required=False)
        if node is None:
            return None
        place = Place(node.start, node.end, self._path(key))
        if isinstance(node, MapNode):
            return Written(
                {text: to_json(value) for text, (_, value) in node.entries.items()}, place
            )
        if not isinstance(node, UnreadNode):
            self.findings.add(NOT_A_MAPPING, place, f"{key} must be a mapping, not {_kind(node)}.")
        return UNREAD

    def _path(self, key: str) -> str:
        return f"{self.place.path}.{key}" if self.place.path else key

    def _value(self, key: str, required: bool) -> Node | None:
        """Return the node of a value, or None if it is absent; if it is required, report that."""
        entry = self._entries.get(key)
        node = entry[1] if entry else None
        if node is None or (isinstance(node, ScalarNode) and node.is_null):
            if required:
                self._note_missing(key, node)
            return None
        return node

    def _note_missing(self, key: str, empty: Node | None) -> None:
        if empty is not None:
            place = Place(empty.start, empty.end, self._path(key))
            self.findings.add(
                MISSING_KEY, place, f"{key} has no value; {self._shape.what} needs one."
            )
            return
        first = next(iter(self._node.entries.values()), (self._node, None))[0]
        place = Place(first.start, first.end, self._path(key))
        self.findings.add(
            MISSING_KEY,
            place,
            f'{capitalize(self._shape.what)} needs "{key}", which is missing here.',
            f"Add {key}.",
        )

    def _text(self, node: Node, path: str, what: str) -> Written[str] | Unread:
        place = Place(node.start, node.end, path)
        if isinstance(node, UnreadNode):
            return UNREAD
        if not isinstance(node, ScalarNode):
            self.findings.add(
                NOT_TEXT, place, f"{_opening(what)} must be one text, not {_kind(node)}."
            )
            return UNREAD
        if not node.text.strip():
            self.findings.add(BLANK, place, f"{_opening(what)} is blank.")
            return UNREAD
        if len(node.text) > MAX_TEXT:
            length = f"{len(node.text):,} characters; it may have {MAX_TEXT} at most"
            message = f"{_opening(what)} has {length}."
            self.findings.add(TOO_LONG, place, message, "Shorten it.")
            return UNREAD
        if found := _CONTROL.search(node.text):
            message = f"{_opening(what)} contains the character U+{ord(found.group()):04X}."
            self.findings.add(CONTROL_IN_TEXT, place, message, "Remove it.")
            return UNREAD
        if node.plain and is_guessed(node.text):
            self._note_guessed(node, place, what)
        return Written(node.text, place)

    def _note_guessed(self, node: ScalarNode, place: Place, what: str) -> None:
        self.findings.add(
            QUOTE_IT,
            place,
            f"Without quotes, YAML readers take {shorten(node.text)} for "
            f"{_guess(node.text)}; {what} must be text.",
            f'Quote it: "{shorten(node.text)}".',
            (
                Repair(
                    "Quote it",
                    (Edit(place.start, place.end, write_text(node.text, plain=False)),),
                ),
            ),
        )

    def _choice(
        self,
        node: Node,
        path: str,
        key: str,
        choices: type[Choice],
        renamed: Mapping[str, str],
    ) -> Written[Choice] | Unread:
        place = Place(node.start, node.end, path)
        words = [choice.value for choice in choices]
        if isinstance(node, ScalarNode):
            if node.text in words:
                return Written(choices(node.text), place)
            hint, repairs = did_you_mean(self.findings, place, node.text, words)
            if word := renamed.get(node.text):
                hint, repairs = f'It is called "{word}".', (replace(place, word),)
            message = f'"{shorten(node.text)}" is not a value of {key}; it takes {listed(words)}.'
            self.findings.add(NOT_A_CHOICE, place, message, hint, repairs)
        elif not isinstance(node, UnreadNode):
            self.findings.add(NOT_TEXT, place, f"{key} takes {listed(words)}, not {_kind(node)}.")
        return UNREAD

    def _items(self, key: str, required: bool) -> Read[list[Node]]:
        node = self._value(key, required)
        if node is None:
            return None
        place = Place(node.start, node.end, self._path(key))
        if isinstance(node, ListNode):
            if required and not node.items:
                self.findings.add(EMPTY_LIST, place, f"{key} is empty; it needs at least one item.")
                return UNREAD
            return Written(node.items, place)
        if not isinstance(node, UnreadNode):
            repairs: tuple[Repair, ...] = ()
            if isinstance(node, ScalarNode) and node.plain and "\n" not in node.text:
                repairs = (
                    Repair(
                        "Make it a list",
                        (Edit(node.start, node.end, f"[{write_text(node.text)}]"),),
                    ),
                )
            self.findings.add(
                NOT_A_LIST, place, f"{key} must be a list, not {_kind(node)}.", repairs=repairs
            )
        return UNREAD

    def _fields(self, node: Node, path: str, shape: Shape) -> Fields | Unread:
        if isinstance(node, MapNode):
            return Fields(node, path, shape, self.findings)
        if not isinstance(node, UnreadNode):
            place = Place(node.start, node.end, path)
            message = f"{capitalize(shape.what)} must be a mapping, not {_kind(node)}."
            self.findings.add(NOT_A_MAPPING, place, message, f"It has {listed(shape.keys, 'and')}.")
        return UNREAD


def _is_empty(node: Node) -> bool:
    """Return whether *node* is an empty text in quotes."""
    return isinstance(node, ScalarNode) and not node.text and not node.plain


def _is_blank(node: Node) -> bool:
    return isinstance(node, ScalarNode) and not node.text.strip()


def _opening(what: str) -> str:
    """Return *what* as the start of a sentence; the name of a field is not capitalized."""
    return capitalize(what) if " " in what else what


def _kind(node: Node) -> str:
    if isinstance(node, MapNode):
        return "a mapping"
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, ScalarNode) and node.text.strip():
        return f'"{shorten(node.text, 40)}"'
    return "an empty value"


def _guess(text: str) -> str:
    lower = text.lower()
    if lower in ("~", "null"):
        return "no value"
    if lower in ("yes", "no", "true", "false", "on", "off"):
        return "a boolean"
    if re.match(r"[0-9]{4}-[0-9]", text):
        return "a date"
    return "a number" if re.search(r"[0-9]|inf|nan", lower) else "a special word"
