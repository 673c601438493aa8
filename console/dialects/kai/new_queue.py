"""A new queue of KAI, which workloads name themselves."""

from __future__ import annotations

from typing import Any, Final

from console.dialects.editable_numbers import NumberKey
from console.dialects.findings import Findings
from console.dialects.kai.manifests import KINDS
from console.dialects.kai.numbers import UNITS
from console.dialects.kai.parse import parse
from console.dialects.kai.routing import QUEUE_LABELS
from console.dialects.kai.schema import QueueDoc
from console.dialects.manifest_items import insert_manifests
from console.dialects.new_queues import FormField, NewQueue, NewQueues, NumberField, QueueEdits
from console.dialects.numbers import NumberProblem, read_int64
from console.dialects.source import Source
from console.dialects.written import value_of
from console.dialects.yaml_items import OnOneLine, Verbatim

_PARENT: Final = "parentQueue"
_PRIORITY: Final = "priority"
_NUMBERS: Final = (("quota", "Quota"), ("limit", "Limit"), ("overQuotaWeight", "Over-quota weight"))


def _queues(source: Source) -> tuple[QueueDoc, ...]:
    return tuple(parse(source.roots, Findings(source.positions)).queues)


def _fields(source: Source) -> tuple[FormField, ...]:
    names = tuple(name for each in _queues(source) if (name := value_of(each.name)))
    return (
        FormField(
            name=_PARENT,
            title="Parent queue",
            hint="Its quota is shared by the queues below it. Empty: none.",
            values=names,
        ),
        FormField(
            name=_PRIORITY,
            title="Priority",
            hint="Queues with a higher one get resources beyond their quota first. Empty: 100.",
        ),
    )


def _numbers(source: Source) -> tuple[NumberField, ...]:
    return tuple(
        NumberField(
            NumberKey(field, "", resource), title, unit if field != "overQuotaWeight" else ""
        )
        for resource, unit in UNITS.items()
        for field, title in _NUMBERS
    )


def _write(source: Source, queue: NewQueue) -> QueueEdits | None:
    queues = _queues(source)
    parent, priority = queue.value(_PARENT), queue.value(_PRIORITY)
    problems = {}
    if parent and parent not in {value_of(each.name) for each in queues}:
        problems[_PARENT] = f"There is no queue {parent}."
    if priority and isinstance(read_int64(priority, plain=True), NumberProblem):
        problems[_PRIORITY] = "Enter a whole number."
    if problems:
        return QueueEdits(problems=problems)
    family = [each for each in queues if parent and parent in (_of(each), value_of(each.name))]
    beside = (family or list(queues))[-1:]
    if not beside:
        return None
    resources: dict[str, OnOneLine] = {}
    for field, _ in _NUMBERS:
        for resource in UNITS:
            number = queue.numbers.get(NumberKey(field, "", resource))
            if number is not None:
                resources.setdefault(resource, OnOneLine())[field] = number
    spec: dict[str, Any] = {
        **({_PARENT: parent} if parent else {}),
        **({_PRIORITY: Verbatim(priority)} if priority else {}),
        "resources": {each: resources[each] for each in UNITS if each in resources},
    }
    manifest = {
        "apiVersion": KINDS["Queue"],
        "kind": "Queue",
        "metadata": {"name": queue.name},
        "spec": spec if spec["resources"] else {**spec, "resources": OnOneLine()},
    }
    edits = insert_manifests(source.positions, source.roots, beside[0].place, [manifest])
    return None if edits is None else QueueEdits(edits=edits)


def _of(queue: QueueDoc) -> str:
    """Return the parent of *queue*; empty if it has none."""
    return value_of(queue.parent) or ""


NEW_QUEUES: Final = NewQueues(
    fields=_fields,
    numbers=_numbers,
    write=_write,
    about_route=f"Workloads name the queue themselves, with the label {QUEUE_LABELS[0]}.",
)
