"""A new queue of a native config, with the rule that routes workloads to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from console.dialects.findings import Findings
from console.dialects.native.parse import parse
from console.dialects.native.schema import Document, Resource
from console.dialects.new_groups import GroupWords
from console.dialects.new_queues import (
    LABELS,
    FormField,
    NewQueue,
    NewQueues,
    NumberField,
    QueueEdits,
    position_field,
    read_position,
)
from console.dialects.nodes import ListNode, MapNode
from console.dialects.source import Source
from console.dialects.written import Written, value_of, written_items
from console.dialects.yaml_items import OnOneLine, insert_field, insert_item
from console.engine.model.selectors import Operator

#: Maximum number of conditions of a rule that the form writes.
_MOST_CONDITIONS: Final = 8
_WORDS: Final = GroupWords(
    groups="resource_groups",
    covered="covered_resources",
    nominal="nominal_quota",
    borrowing="borrowing_limit",
    lending="lending_limit",
)


def _document(source: Source) -> Document:
    return parse(source.roots[0], Findings(source.positions))


def _fields(source: Source) -> tuple[FormField, ...]:
    document = _document(source)
    takes_all = _catch_alls(document)
    cohorts = (value_of(queue.cohort_name) for queue in document.queues)
    selectors = [*(each.selector for each in document.rules)]
    selectors += [each.selector for each in document.flavors]
    labels = (
        f"{value_of(each.key)}={item.value}"
        for selector in selectors
        if isinstance(selector, Written)
        for each in selector.value
        for item in written_items(each.values)
    )
    return (
        FormField(
            name="cohort_name",
            title="Cohort",
            hint="Queues of a cohort borrow quota from each other. Empty: none.",
            values=tuple(dict.fromkeys(each for each in cohorts if each)),
        ),
        FormField(
            name="conditions",
            title="Label condition",
            hint="A label and its values, as team=research or team=vision,speech. A workload has "
            "to meet all conditions.",
            values=tuple(dict.fromkeys(labels)),
            is_required=True,
            most=_MOST_CONDITIONS,
            completes=LABELS,
        ),
        position_field(takes_all, _effects(document, takes_all)),
    )


def _catch_alls(document: Document) -> list[bool]:
    """Return of each rule whether it takes all workloads."""
    return [
        not (isinstance(rule.selector, Written) and rule.selector.value) for rule in document.rules
    ]


def _effects(document: Document, takes_all: Sequence[bool]) -> list[str]:
    """Return of each rule what it does, for the list of positions."""
    effects = []
    for rule, takes in zip(document.rules, takes_all, strict=True):
        queue = value_of(rule.resource_queue)
        effects.append(f"which routes {'all other workloads ' if takes else ''}to {queue}")
    return effects


def _numbers(source: Source) -> tuple[NumberField, ...]:
    document = _document(source)
    flavors = [name for each in document.flavors if (name := value_of(each.name))]
    covered = {
        value_of(resource.name)
        for queue in document.queues
        for quota in queue.quotas()
        for resource in quota.resources
    }
    resources = [each.value for each in Resource if not covered or each.value in covered]
    return _WORDS.numbers(flavors, resources)


def _write(source: Source, queue: NewQueue) -> QueueEdits | None:
    document, root = _document(source), source.roots[0]
    if not isinstance(root, MapNode):
        return None
    place, problem = read_position(queue, _catch_alls(document))
    problems = {"position": problem} if problem else {}
    selector, problem = _selector(queue.fields.get("conditions", ()))
    if problem:
        problems["conditions"] = problem
    if problems:
        return QueueEdits(problems=problems)
    cohort = queue.value("cohort_name")
    entry = {
        "name": queue.name,
        **({"cohort_name": cohort} if cohort else {}),
        **_WORDS.fields(queue.numbers),
    }
    rule = {"selector": selector, "resource_queue": queue.name}
    edits = []
    # Of two edits at one place, the later one comes first in the text.
    for key, index, item in (
        ("scheduling_rules", place, rule),
        ("resource_queues", _behind(document, cohort), entry),
    ):
        _, node = root.entries.get(key, (None, None))
        edit = None
        if node is None:
            edit = insert_field(source.positions, root, key, [item])
        elif isinstance(node, ListNode):
            edit = insert_item(source.positions, node, index, item)
        if edit is None:
            return None
        edits.append(edit)
    return QueueEdits(edits=tuple(edits))


def _behind(document: Document, cohort: str) -> int:
    """Return the index of a new queue: behind the last one of its cohort, or of all."""
    for index, each in reversed(list(enumerate(document.queues))):
        if cohort and value_of(each.cohort_name) == cohort:
            return index + 1
    return len(document.queues)


def _selector(conditions: Sequence[str]) -> tuple[list[dict[str, Any]], str]:
    """Return the match expressions of *conditions*, and a problem; empty: none."""
    found: list[dict[str, Any]] = []
    for each in conditions:
        label, equals, values = each.partition("=")
        accepted = [value.strip() for value in values.split(",") if value.strip()]
        if not label.strip() or not equals or not accepted:
            return [], f"Write {each} as a label and its values: team=research."
        found.append(OnOneLine(key=label.strip(), operator=Operator.IN.value, values=accepted))
    return found, ""


NEW_QUEUES: Final = NewQueues(
    fields=_fields,
    numbers=_numbers,
    write=_write,
    about_route="A new rule routes workloads to the queue. Rules are tried in order, and the first "
    "whose conditions a workload meets decides.",
)
