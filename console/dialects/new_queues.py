"""Queues that a form adds to a text, with what routes workloads to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from console.dialects.diagnostics import Fix, TextEdit
from console.dialects.editable_numbers import (
    NumberFields,
    NumberKey,
    check_new_number,
    write_number,
)
from console.dialects.positions import apply_fix
from console.dialects.source import Source
from console.dialects.yaml_items import Verbatim
from console.engine.diff.objects import QUEUE, PolicyObjects, Role, fact_differences

if TYPE_CHECKING:
    from console.dialects.base import Dialect

#: What a field is completed with besides its own values: labels of workloads, as ``team=research``.
LABELS: Final = "labels"

#: The field with the position of the new rule, from 1.
POSITION: Final = "position"

_LAYOUT: Final = "The layout of the text allows no such edit. Add the queue in the editor."


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


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueText:
    """A text with a new queue, or the problems of the form: by field, and of the whole form."""

    text: str = ""
    #: ``name`` is the name of the queue; the empty name is the whole form.
    problems: Mapping[str, str] = field(default_factory=dict)
    number_problems: Mapping[NumberKey, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems and not self.number_problems


def fields_of(dialect: Dialect, source: Source) -> tuple[FormField, ...]:
    """Return the fields of the form for a text of *dialect*; none if it has no such form."""
    return dialect.new_queues.fields(source) if dialect.new_queues else ()


def with_queue(
    dialect: Dialect,
    text: str,
    source: Source,
    objects: PolicyObjects,
    name: str,
    fields: Mapping[str, Sequence[str]],
    numbers: Mapping[NumberKey, str],
) -> QueueText:
    """
    Return *text*, which has *source* and *objects*, with a new queue and what routes to it.

    All other lines stay. The text may have errors, such as an invalid name.
    """
    form, number_fields = dialect.new_queues, dialect.number_fields
    assert form is not None, "the language has the form"
    assert number_fields is not None, "a language with the form has numbers"
    known = {each.name: each for each in form.fields(source)}
    problems = {each.name: "Enter a value." for each in known.values() if _is_missing(each, fields)}
    if not name:
        problems["name"] = "Enter a name."
    elif name in objects.of(QUEUE):
        problems["name"] = f"Queue {name} exists already. Enter another name."
    for each, values in fields.items():
        if each not in known:
            problems[each] = "The language of the config has no such field."
        elif len(values) > known[each].most:
            problems[each] = f"Enter at most {known[each].most:,}."
    allowed = {each.key for each in form.numbers(source)}
    of_numbers = {
        key: problem
        for key, typed in numbers.items()
        if (problem := _number_problem(number_fields, allowed, key, typed))
    }
    if problems or of_numbers:
        return QueueText(problems=problems, number_problems=of_numbers)
    written = {
        key: Verbatim(write_number(number_fields, key, typed)) for key, typed in numbers.items()
    }
    queue = NewQueue(name=name, fields=fields, numbers=written)
    made = form.write(source, queue)
    if made is None:
        return QueueText(problems={"": _LAYOUT})
    if made.problems:
        return QueueText(problems=made.problems)
    found = apply_fix(text, Fix("Add a queue", made.edits))
    after = dialect.read_objects(found, {})
    if after is not None and not _only_adds(objects, after):
        return QueueText(problems={"": _LAYOUT})
    return QueueText(text=found)


def _is_missing(each: FormField, fields: Mapping[str, Sequence[str]]) -> bool:
    return each.is_required and not fields.get(each.name)


def _number_problem(
    fields: NumberFields, allowed: set[NumberKey], key: NumberKey, typed: str
) -> str:
    if key not in allowed:
        return "The config has no such flavor, resource or number."
    return check_new_number(fields, key, typed)


def _only_adds(before: PolicyObjects, after: PolicyObjects) -> bool:
    """Return whether *after* has all objects of *before*, and at most one more in each order."""
    for kind in before.kinds:
        if kind.role is not Role.ORDERED:
            found = after.of(kind.name)
            pairs = [(each, found.get(key)) for key, each in before.of(kind.name).items()]
        else:
            rest = list(after.ordered(kind.name))
            old = before.ordered(kind.name)
            if not 0 <= len(rest) - len(old) <= 1:
                return False
            pairs = []
            for each in old:
                if any(fact_differences(kind, each.facts, rest[0].facts)):
                    rest.pop(0)
                pairs.append((each, rest.pop(0) if rest else None))
        for one, two in pairs:
            if two is None or any(fact_differences(kind, one.facts, two.facts)):
                return False
    return True


def position_field(takes_everything: Sequence[bool]) -> FormField:
    """
    Return the field for the position among rules that are tried in order.

    *takes_everything* says of each rule whether it matches all workloads.
    """
    count, first = len(takes_everything), _default_position(takes_everything)
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
