"""Rows of the form that changes the numbers of a queue, and the values that were sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from console.configs.services.propose_numbers import NumberChange
from console.dialects import dialects
from console.dialects.editable_numbers import EditableNumber, NumberKey, ObjectKey
from console.dialects.quantity import amount_of, format_quantity
from console.engine.diff.objects import QUEUE
from console.engine.model.amounts import Amount, format_amount, parse_amount
from console.engine.model.policy import Policy
from console.errors import FieldError
from console.reading import LARGEST_AMOUNT

_PREFIX = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRow:
    """One number of the form."""

    number: EditableNumber
    #: Name of the input.
    name: str
    value: str
    error: str

    @property
    def label(self) -> str:
        """The label of the input."""
        key = self.number.key
        resource = f" of {key.resource}" if key.resource else ""
        return f"{self.number.title}{resource}{f' in {key.flavor}' if key.flavor else ''}"

    @property
    def is_editable(self) -> bool:
        """Whether the row has an input."""
        return self.number.is_editable


def input_name(key: NumberKey) -> str:
    """
    Return the name of the input of a number.

    >>> input_name(NumberKey("nominalQuota", "a/b", "gpu"))
    'number/nominalQuota/a%2Fb/gpu'
    """
    return "/".join((_PREFIX, *(quote(part, safe="") for part in key)))


def sent_values(numbers: Sequence[EditableNumber], sent: Mapping[str, str]) -> dict[str, str]:
    """Return the sent value of each number by the name of its input, without space around it."""
    names = [input_name(number.key) for number in numbers]
    return {name: sent[name].strip() for name in names if name in sent}


def advised_values(numbers: Sequence[EditableNumber], advice: Mapping[str, str]) -> dict[str, str]:
    """
    Return the value of the number that *advice*, the query of an address, changes.

    The advice has the flavor and resource, and the amounts before and after in thousandths. It is
    empty if it fits no number, or several.
    """
    try:
        before, after = int(advice["from"]), int(advice["to"])
    except (KeyError, ValueError):
        return {}
    found = [
        number
        for number in numbers
        if number.span is not None
        and not number.unit
        and number.key.resource == advice.get("resource")
        and number.key.flavor in ("", advice.get("flavor"))
        and _amount(number) == before
    ]
    if len(found) != 1 or not 0 <= after <= LARGEST_AMOUNT:
        return {}
    (number,) = found
    is_plain = number.written.replace(".", "", 1).isdecimal()
    written = format_amount if is_plain else partial(format_quantity, resource=number.key.resource)
    return {input_name(number.key): written(after)}


def _amount(number: EditableNumber) -> Amount | None:
    """Return the amount of *number* in thousandths; None if it is no amount."""
    try:
        return parse_amount(number.written)
    except ValueError:
        pass
    try:
        return amount_of(number.written, number.key.resource)
    except ValueError:
        return None


def changes_of(
    numbers: Sequence[EditableNumber], values: Mapping[str, str]
) -> tuple[NumberChange, ...]:
    """Return the numbers whose sent value differs from the text, in the order of the form."""
    return tuple(
        NumberChange(key=number.key, value=values[name])
        for number in numbers
        if (name := input_name(number.key)) in values and values[name] != number.written
    )


def number_rows(
    numbers: Sequence[EditableNumber],
    values: Mapping[str, str],
    errors: Mapping[NumberKey, str],
) -> tuple[NumberRow, ...]:
    """
    Return the rows of the numbers that the text has, or can take: GPUs first.

    Numbers that the text has come first, in its order.
    """
    rows = [
        NumberRow(
            number=number,
            name=input_name(number.key),
            value=values.get(input_name(number.key), number.written),
            error=errors.get(number.key, ""),
        )
        for number in numbers
        if number.written or number.insertion is not None
    ]
    return tuple(
        sorted(
            rows,
            key=lambda row: (
                not row.number.written,
                "gpu" not in row.number.key.resource.lower(),
            ),
        )
    )


def focused_input(rows: Sequence[NumberRow], asked: Mapping[str, str]) -> str:
    """Return the name of the first input of the flavor and resource of an address; "" if none."""
    cell = (asked.get("flavor"), asked.get("resource"))
    found = (
        row.name
        for row in rows
        if row.is_editable and (row.number.key.flavor, row.number.key.resource) == cell
    )
    return next(found, "")


def fold_idle(
    rows: Sequence[NumberRow], owner: ObjectKey, policy: Policy
) -> tuple[tuple[NumberRow, ...], tuple[NumberRow, ...]]:
    """
    Return the *rows* to show, and those to fold: empty ones that have no effect on *owner*.

    A queue without a cohort neither borrows nor lends, so limits of both have no effect on it.
    """
    fields = dialects()[policy.dialect].number_fields
    queue = policy.queues.get(owner.name) if owner.kind == QUEUE else None
    if fields is None or queue is None or queue.parent is not None:
        return tuple(rows), ()
    shown: list[NumberRow] = []
    folded: list[NumberRow] = []
    for row in rows:
        is_empty = not (row.number.written or row.value or row.error)
        is_idle = is_empty and row.number.key.field in fields.sharing
        (folded if is_idle else shown).append(row)
    return tuple(shown), tuple(folded)


def errors_by_number(
    changes: Sequence[NumberChange], errors: Sequence[FieldError]
) -> tuple[dict[NumberKey, str], tuple[str, ...]]:
    """Return the message of each invalid change by its number, and the other messages."""
    places = {
        f"numbers[{place}]{end}": each.key
        for place, each in enumerate(changes)
        for end in ("", ".value")
    }
    at_number = {places[each.path]: each.message for each in errors if each.path in places}
    return at_number, tuple(each.message for each in errors if each.path not in places)
