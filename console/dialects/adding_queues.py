"""Add a queue that a form describes to a text; nothing else of it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from console.dialects.base import Dialect
from console.dialects.diagnostics import Fix
from console.dialects.editable_numbers import (
    NumberFields,
    NumberKey,
    check_new_number,
    write_number,
)
from console.dialects.new_queues import FormField, NewQueue
from console.dialects.positions import apply_fix
from console.dialects.source import Source
from console.dialects.yaml_items import Verbatim
from console.engine.diff.objects import QUEUE, PolicyObjects, Role, fact_differences

_LAYOUT: Final = "The layout of the text allows no such edit. Add the queue in the editor."


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueText:
    """A text with a new queue, or the problems of the form: by field, and of the whole form."""

    text: str = ""
    #: ``name`` is the name of the queue; the empty name is the whole form.
    problems: Mapping[str, str] = field(default_factory=dict)
    number_problems: Mapping[NumberKey, str] = field(default_factory=dict)


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
    """
    Return whether *after* has all objects of *before*, and at most one more in each order.

    An order that was empty may have two: what routes to the queue, and a rule that applied as long
    as there was no other.
    """
    for kind in before.kinds:
        if kind.role is not Role.ORDERED:
            found = after.of(kind.name)
            pairs = [(each, found.get(key)) for key, each in before.of(kind.name).items()]
        else:
            rest = list(after.ordered(kind.name))
            old = before.ordered(kind.name)
            if not 0 <= len(rest) - len(old) <= (1 if old else 2):
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
