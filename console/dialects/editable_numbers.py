"""Numbers of objects that a form may change, and the text with other numbers in their place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from console.dialects.codes import NOT_A_NUMBER
from console.dialects.diagnostics import Fix, TextEdit
from console.dialects.findings import Place
from console.dialects.insertions import Insertion, insertion_of
from console.dialects.numbers import NumberProblem
from console.dialects.positions import Positions, apply_fix
from console.dialects.source import Source
from console.dialects.wording import quote
from console.dialects.written import Read, Written
from console.engine.model.origin import Origin

T = TypeVar("T")

#: A number on one line, without an anchor, alias, tag or escape; the quotes are optional.
_PLAIN: Final = re.compile(r"(?P<quote>[\"']?)(?P<number>[-+.\w]+)(?P=quote)")


#: The kind of objects that contain queues and have numbers of their own.
COHORT: Final = "cohort"


class NumberKey(NamedTuple):
    """
    The field of a number in its language, and the flavor and resource that it is for.

    Flavor and resource are empty if the language has no flavors, or the number has no resource.
    """

    field: str
    flavor: str
    resource: str


class ObjectKey(NamedTuple):
    """The kind of an object, as in `console.engine.diff.objects`, and its name."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableNumber:
    """One number of an object, as the text has it."""

    key: NumberKey
    #: The words for the field: Nominal quota.
    title: str
    #: The unit of the number; empty if the number states it, or is a count.
    unit: str = ""
    #: Its place in the document, as in diagnostics; empty if the text has none.
    path: str = ""
    #: The number as written, without quotes; empty if the text has none.
    written: str = ""
    #: The place of the number with its quotes; None: a form cannot change it.
    span: Origin | None = None
    #: The quotes around the number: ``"``, ``'`` or nothing.
    quote: str = ""
    #: Why a form cannot change a number that the text has; empty if it can.
    obstacle: str = ""
    #: Where a form adds a number that the text does not have; None: it cannot.
    insertion: Insertion | None = None

    @property
    def is_editable(self) -> bool:
        """Whether a form can change or add it."""
        return self.span is not None or self.insertion is not None


#: The quotes of YAML.
_QUOTES: Final = ("'", '"')

#: The numbers of each object, in the order of the text.
Numbers: TypeAlias = Mapping[ObjectKey, tuple[EditableNumber, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFields:
    """How one language states the numbers of its objects."""

    #: The source of a text without errors -> the numbers of its objects.
    find: Callable[[Source], Numbers]
    #: (key, number, whether it is without quotes) -> its problem; None: it is valid.
    check: Callable[[NumberKey, str, bool], NumberProblem | None]
    #: The fields of numbers that limit borrowing and lending, so that a cohort is their purpose.
    sharing: frozenset[str] = frozenset()


class Absent(NamedTuple):
    """Where a number that the text does not have belongs."""

    mapping: Place
    #: The key of its field there.
    key: str
    #: The place of a value of the mapping, behind which the field is added.
    beside: Place


def last_place(*values: Read[Any]) -> Place | None:
    """Return the place of the value that comes last in the text; None: none is written."""
    places = [each.place for each in values if isinstance(each, Written)]
    return max(places, key=lambda place: place.start, default=None)


class NumberCollector:
    """Collects the numbers of the objects of one text."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._found: dict[ObjectKey, list[EditableNumber]] = {}

    def add(
        self,
        owner: ObjectKey,
        key: NumberKey,
        title: str,
        value: Read[T],
        *,
        unit: str = "",
        absent: Absent | None = None,
    ) -> None:
        """
        Add the number *key* of *owner*, with the title *title*.

        If *value* is None, the text lacks the number, and *absent* is where it belongs.
        """
        number = EditableNumber(key=key, title=title, unit=unit)
        if isinstance(value, Written):
            number = self._placed(number, value.place)
        elif value is None and absent is not None:
            insertion = insertion_of(self._positions, absent.mapping, absent.key, absent.beside)
            number = replace(
                number, insertion=insertion, path=f"{absent.mapping.path}.{absent.key}"
            )
        self._found.setdefault(owner, []).append(number)

    def _placed(self, number: EditableNumber, place: Place) -> EditableNumber:
        raw = self._positions.text[place.start : place.end]
        number = replace(number, path=place.path, written=raw)
        found = _PLAIN.fullmatch(raw)
        if found is None:
            return replace(number, obstacle="The text has an anchor, a tag or several lines here.")
        span = self._positions.span(place.start, place.end)
        return replace(number, written=found["number"], span=span, quote=found["quote"])

    def numbers(self) -> Numbers:
        """Return the numbers by object; a number that several objects share cannot be changed."""
        numbers = [number for each in self._found.values() for number in each]
        uses = Counter(number.span for number in numbers if number.span)
        places = Counter(number.insertion for number in numbers if number.insertion)
        return {
            owner: tuple(_unless_shared(number, uses, places) for number in numbers)
            for owner, numbers in self._found.items()
        }


def _unless_shared(
    number: EditableNumber, uses: Counter[Origin], places: Counter[Insertion]
) -> EditableNumber:
    if number.insertion is not None and places[number.insertion] > 1:
        return replace(number, insertion=None)
    if number.span is None or uses[number.span] < 2:
        return number
    return replace(number, span=None, obstacle="An alias uses the same number in another place.")


def check_number(fields: NumberFields, number: EditableNumber, typed: str) -> str:
    """Return the problem of *typed* in the place of *number* as a sentence; empty: none."""
    return _sentence(_problem(fields, number.key, typed, plain=not number.quote))


def check_new_number(fields: NumberFields, key: NumberKey, typed: str) -> str:
    """Return the problem of *typed* as the number *key* of a new object; empty: none."""
    return _sentence(_problem(fields, key, typed, plain=True))


def _sentence(problem: NumberProblem | None) -> str:
    if problem is None:
        return ""
    hint = f" {problem.hint}" if problem.hint else ""
    return f"{problem.message}.{hint}"


def with_numbers(
    text: str, fields: NumberFields, changes: Iterable[tuple[EditableNumber, str]]
) -> str:
    """
    Return *text* with other numbers in place of those of *changes*, which are valid.

    The rest of the text, such as comments, order and line ends, stays as it is. A number keeps its
    quotes, and gets some if it needs them. A number that the text does not have becomes a field.
    """
    edits = []
    for number, typed in changes:
        value = (
            f"{number.quote}{typed}{number.quote}"
            if number.quote
            else write_number(fields, number.key, typed)
        )
        if number.insertion is not None:
            edits.append(number.insertion.edit(value))
            continue
        assert number.span is not None, "the number can be changed"
        edits.append(TextEdit(number.span, value))
    return apply_fix(text, Fix("Change the numbers", tuple(edits)))


def write_number(fields: NumberFields, key: NumberKey, typed: str) -> str:
    """Return the valid number *typed* as YAML, in quotes if it needs them."""
    return typed if fields.check(key, typed, True) is None else f'"{typed}"'


def _problem(
    fields: NumberFields, key: NumberKey, typed: str, *, plain: bool
) -> NumberProblem | None:
    is_one_word = _PLAIN.fullmatch(typed) is not None and typed[:1] not in _QUOTES
    problem = fields.check(key, typed, plain)
    if problem is None:
        return (
            None if is_one_word else NumberProblem(NOT_A_NUMBER, f"{quote(typed)} is not a number")
        )
    # A number such as 1.5 may be valid only in quotes.
    is_valid_in_quotes = is_one_word and fields.check(key, typed, False) is None
    return None if is_valid_in_quotes else problem
