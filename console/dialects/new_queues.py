"""Queues that a form adds to a text, with what routes workloads to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from console.dialects.diagnostics import TextEdit
from console.dialects.editable_numbers import NumberKey
from console.dialects.source import Source
from console.dialects.yaml_items import Verbatim

#: What a field is completed with besides its own values: labels of workloads, as ``team=research``.
LABELS: Final = "labels"

#: The field with the position of the new rule, from 1.
POSITION: Final = "position"
#: Maximum number of rules that the field lists; a longer list is hard to read, and slow.
_MOST_RULES: Final = 200


class Choice(NamedTuple):
    """One value of a field that offers all its values; an empty value is the default."""

    value: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field of the form besides the name and the numbers, such as the cohort."""

    name: str
    title: str
    hint: str = ""
    #: The values that exist in the text, for completion.
    values: tuple[str, ...] = ()
    default: str = ""
    is_required: bool = False
    #: Maximum number of values.
    most: int = 1
    #: Other values to complete it with: `LABELS` or nothing.
    completes: str = ""
    #: All values, if they are few and known; the field is a list to choose from.
    choices: tuple[Choice, ...] = ()


class NumberField(NamedTuple):
    """A number that a new queue may state."""

    key: NumberKey
    title: str
    #: The unit of the number; empty if the number states it, or is a count.
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQueue:
    """A queue to add: its name, the values of fields, and the numbers, which are valid YAML."""

    name: str
    fields: Mapping[str, Sequence[str]]
    numbers: Mapping[NumberKey, Verbatim]

    def value(self, name: str) -> str:
        """Return the value of a field with one; empty if it has none."""
        return next(iter(self.fields.get(name, ())), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEdits:
    """The edits that add a queue, or the problems of fields by name."""

    edits: tuple[TextEdit, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQueues:
    """How one language states a new queue, and what routes workloads to it."""

    #: The source of a text without errors -> the fields.
    fields: Callable[[Source], tuple[FormField, ...]]
    #: The source of a text without errors -> the numbers, those of one resource together.
    numbers: Callable[[Source], tuple[NumberField, ...]]
    #: (source of a text without errors, queue) -> the edits; None if its layout allows none.
    write: Callable[[Source, NewQueue], QueueEdits | None]
    #: One sentence that says how workloads reach the queue.
    about_route: str


def position_field(takes_everything: Sequence[bool], effects: Sequence[str] = ()) -> FormField:
    """
    Return the field for the position among rules that are tried in order.

    *takes_everything* says of each rule whether it matches all workloads, and *effects* what it
    does, as "which routes to research". Without *effects*, or with many rules, the field takes the
    number of the position and does not list the rules.
    """
    count, first = len(takes_everything), _default_position(takes_everything)
    if effects and count <= _MOST_RULES:
        texts = [f"Before rule {place:,}, {each}" for place, each in enumerate(effects, 1)]
        return FormField(
            name=POSITION,
            title="Position among the rules",
            hint="A rule that comes after one for all workloads is never reached."
            if first < count
            else "",
            choices=tuple(
                Choice("" if place == first else str(place + 1), text)
                for place, text in enumerate([*texts, "After all rules"])
            ),
        )
    at_end = "Empty: behind all rules."
    before = f"Empty: before rule {first + 1:,}, which takes all workloads that reach it."
    return FormField(
        name=POSITION,
        title="Position among the rules",
        hint=f"From 1 to {count + 1:,}. {before if first < count else at_end}",
    )


def read_position(queue: NewQueue, takes_everything: Sequence[bool]) -> tuple[int, str]:
    """
    Return the index of the new rule, and a problem; empty: none.

    Without a value, the rule comes before the first one that takes all workloads.
    """
    count, typed = len(takes_everything), queue.value(POSITION)
    if not typed:
        return _default_position(takes_everything), ""
    number = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0
    if 1 <= number <= count + 1:
        return number - 1, ""
    return 0, f"Enter a position from 1 to {count + 1:,}."


def _default_position(takes_everything: Sequence[bool]) -> int:
    return [*takes_everything, True].index(True)
