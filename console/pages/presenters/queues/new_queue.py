"""Fields and numbers of the form that adds a queue, with the values that were sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from console.configs.services.propose_numbers import NumberChange
from console.configs.services.propose_queue import QueueForm, QueueInput
from console.dialects.editable_numbers import NumberKey
from console.dialects.new_queues import LABELS, FormField
from console.engine.model.selectors import EVERYTHING, Selector
from console.errors import FieldError
from console.pages.presenters.queues.queue import describe_selector
from console.pages.presenters.queues.quota_form import input_name

NAME: Final = "name"
_FIELDS: Final = "settings."
#: Number of inputs of a field with several values that are shown at least.
_FEWEST: Final = 3
_LABEL: Final = "label."
_MOST_EXAMPLES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """A field of the form, with one input for each value."""

    field: FormField
    #: The name of its inputs.
    name: str
    values: tuple[str, ...]
    suggestions: tuple[str, ...]
    error: str

    @property
    def chosen(self) -> str:
        """The value of the chosen option; the default for a value that is none of them."""
        known = (each.value for each in self.field.choices)
        return self.values[0] if self.values and self.values[0] in known else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCell:
    """The input of a number."""

    name: str
    label: str
    title: str
    unit: str
    value: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """The numbers of one resource in one flavor."""

    flavor: str
    resource: str
    cells: tuple[NumberCell, ...]
    #: What the flavor requires of workloads, in its first row; empty: nothing.
    requirement: str


def input_of(form: QueueForm, sent: Mapping[str, Sequence[str]]) -> QueueInput:
    """Return the queue of the values *sent* by the name of their input, without empty ones."""
    fields = {
        each.name: tuple(value.strip() for value in sent.get(f"{_FIELDS}{each.name}", ()))
        for each in form.fields
    }
    numbers = (
        NumberChange(key=each.key, value=value.strip())
        for each in form.numbers
        for value in sent.get(input_name(each.key), ())[:1]
        if value.strip()
    )
    return QueueInput(
        name=next(iter(sent.get(NAME, ())), "").strip(),
        fields={name: kept for name, values in fields.items() if (kept := _filled(values))},
        numbers=tuple(numbers),
    )


def default_input(form: QueueForm) -> QueueInput:
    """Return the queue of a form that was just opened."""
    fields = {each.name: (each.default,) for each in form.fields if each.default}
    return QueueInput(name="", fields=fields)


def is_complete(form: QueueForm, queue: QueueInput) -> bool:
    """Return whether *queue* has all required values."""
    return bool(queue.name) and all(
        each.name in queue.fields for each in form.fields if each.is_required
    )


def errors_by_input(
    queue: QueueInput, errors: Iterable[FieldError]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the message of each invalid input by its name, and the other messages."""
    numbers = {
        f"numbers[{place}]{end}": input_name(each.key)
        for place, each in enumerate(queue.numbers)
        for end in ("", ".value")
    }
    found, others = {}, []
    for each in errors:
        name = numbers.get(each.path, each.path)
        if name == NAME or name.startswith(_FIELDS) or each.path in numbers:
            found[name] = each.message
        else:
            others.append(each.message)
    return found, tuple(others)


def field_rows(
    form: QueueForm,
    queue: QueueInput,
    errors: Mapping[str, str],
    known: Mapping[str, Sequence[str]],
) -> tuple[FieldRow, ...]:
    """Return the fields; *known* has the values of labels of workloads, as ``label.team``."""
    labels = tuple(
        f"{name.removeprefix(_LABEL)}={value}"
        for name, values in known.items()
        if name.startswith(_LABEL)
        for value in values
    )
    return tuple(
        FieldRow(
            field=each,
            name=f"{_FIELDS}{each.name}",
            values=_padded(queue.fields.get(each.name, ()), each.most),
            suggestions=tuple(
                dict.fromkeys((*each.values, *(labels if each.completes == LABELS else ())))
            ),
            error=errors.get(f"{_FIELDS}{each.name}", ""),
        )
        for each in form.fields
    )


def resource_rows(
    form: QueueForm, queue: QueueInput, errors: Mapping[str, str]
) -> tuple[ResourceRow, ...]:
    """Return the numbers by flavor and resource: GPUs first in each flavor."""
    typed = {each.key: each.value for each in queue.numbers}
    rows: dict[tuple[str, str], list[NumberCell]] = {}
    flavors = {each.key.flavor: None for each in form.numbers}
    for each in form.numbers:
        key, name = each.key, input_name(each.key)
        cell = NumberCell(
            name=name,
            label=f"{each.title} {_of(key)}",
            title=each.title,
            unit=each.unit,
            value=typed.get(key, ""),
            error=errors.get(name, ""),
        )
        rows.setdefault((key.flavor, key.resource), []).append(cell)
    order = list(flavors)
    ordered = sorted(
        rows.items(),
        key=lambda row: (order.index(row[0][0]), "gpu" not in row[0][1].lower()),
    )
    found = []
    before = None
    for (flavor, resource), cells in ordered:
        selector = form.selectors.get(flavor, EVERYTHING) if flavor != before else EVERYTHING
        found.append(
            ResourceRow(
                flavor=flavor,
                resource=resource,
                cells=tuple(cells),
                requirement=_requirement(selector),
            )
        )
        before = flavor
    return tuple(found)


def example_numbers(form: QueueForm) -> str:
    """Return examples of numbers, GPUs first, as "64 (gpu) or 512Gi (memory)"; empty: none."""
    found = sorted(form.examples.items(), key=lambda each: "gpu" not in each[0].lower())
    return " or ".join(f"{number} ({name})" for name, number in found[:_MOST_EXAMPLES])


def _requirement(selector: Selector) -> str:
    return f"requires {describe_selector(selector)}" if selector.expressions else ""


def _of(key: NumberKey) -> str:
    return f"of {key.resource}{f' in {key.flavor}' if key.flavor else ''}"


def _filled(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(value for value in values if value)


def _padded(values: Sequence[str], most: int) -> tuple[str, ...]:
    """Return *values* with empty ones for more inputs."""
    count = max(len(values), min(most, max(_FEWEST, len(values) + 1)))
    return (*values, *("" for _ in range(count - len(values))))
