"""A new queue of YuniKorn, also in a ConfigMap, with a placement rule that leads to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.dialects.diagnostics import TextEdit
from console.dialects.editable_numbers import NumberKey
from console.dialects.findings import Findings
from console.dialects.new_queues import (
    FormField,
    NewQueue,
    NewQueues,
    NumberField,
    QueueEdits,
    position_field,
    read_position,
)
from console.dialects.nodes import ListNode, MapNode, Node
from console.dialects.source import Source
from console.dialects.yaml_items import insert_field, insert_item
from console.dialects.yunikorn.checks import partition_name
from console.dialects.yunikorn.documents import locate
from console.dialects.yunikorn.reading import examine
from console.dialects.yunikorn.schema import PartitionDoc, QueueDoc, RuleDoc
from console.engine.disciplines.hierarchy.spec import Partition

_PARENT: Final = "parent"
_MOST_NAMES: Final = 8
_KINDS: Final = (("guaranteed", "Guaranteed"), ("max", "Maximum"))
#: The resources of a text that does not state any.
_USUAL: Final = ("vcore", "memory")


@dataclass(frozen=True, slots=True)
class _Parent:
    """A queue that may get queues below it."""

    queue: QueueDoc
    partition: PartitionDoc
    #: Its path in the partition: root.research.
    path: str


def _partitions(source: Source) -> tuple[PartitionDoc, ...]:
    # Examining a source adds to it, so that this is another one with the same nodes.
    examined = examine(Source(Findings(source.positions), source.roots))
    return examined.document.partitions if examined else ()


def _parents(source: Source) -> dict[str, _Parent]:
    """Return the queues of the text by their full names, those that have queues below first."""
    found: dict[str, _Parent] = {}
    for doc in _partitions(source):
        if doc.root is not None and not doc.root.is_added:
            named = Partition(name=partition_name(doc))
            for path, queue in _paths(doc.root, ""):
                found[named.full_name(path)] = _Parent(queue, doc, path)
    return dict(sorted(found.items(), key=lambda each: each[1].queue.is_leaf))


def _paths(queue: QueueDoc, above: str) -> Iterator[tuple[str, QueueDoc]]:
    path = f"{above}{queue.name.lower()}"
    yield path, queue
    for each in queue.queues:
        yield from _paths(each, f"{path}.")


def _fields(source: Source) -> tuple[FormField, ...]:
    names, partitions = tuple(_parents(source)), _partitions(source)
    rules = [rule for doc in partitions[:1] for rule in doc.rules]
    filters = [each.filter for each in rules if each.filter is not None]
    return (
        FormField(
            name=_PARENT,
            title="Parent queue",
            hint="The queue above it. The guarantees and maxima of a parent bound those below it.",
            values=names,
            default=names[0] if names else "",
            is_required=True,
        ),
        FormField(
            name="users",
            title="User",
            hint="A placement rule routes the applications of these users and groups to the queue. "
            "Empty: no rule is added.",
            values=tuple(dict.fromkeys(u.value for f in filters for u in f.users)),
            most=_MOST_NAMES,
        ),
        FormField(
            name="groups",
            title="Group",
            values=tuple(dict.fromkeys(g.value for f in filters for g in f.groups)),
            most=_MOST_NAMES,
        ),
        position_field(
            [_takes_everything(rule) for rule in rules],
            # The parent queue decides on the partition, and each partition has rules of its own.
            [_effect(rule) for rule in rules] if len(partitions) == 1 else (),
        ),
    )


def _effect(rule: RuleDoc) -> str:
    """Return what a rule does, for the list of positions."""
    if rule.value is not None and rule.name.lower() == "fixed":
        return f"which routes to {rule.value.value}"
    return f"of type {rule.name.lower()}"


def _takes_everything(rule: RuleDoc) -> bool:
    """Return whether a rule finds a queue for every application that reaches it."""
    return rule.filter is None and (
        rule.name.lower() == "fixed" or (rule.name.lower() == "user" and rule.creates)
    )


def _numbers(source: Source) -> tuple[NumberField, ...]:
    resources = dict.fromkeys(
        resource.value
        for each in _parents(source).values()
        for texts in (each.queue.guaranteed, each.queue.maximum)
        for resource, _ in (texts.value if texts else ())
    )
    return tuple(
        NumberField(NumberKey(field, "", resource), title)
        for resource in list(resources) or _USUAL
        for field, title in _KINDS
    )


def _write(source: Source, queue: NewQueue) -> QueueEdits | None:
    parent = _parents(source).get(queue.value(_PARENT))
    if parent is None:
        problem = f"There is no queue {queue.value(_PARENT)}."
        return QueueEdits(problems={_PARENT: problem})
    rules = [_takes_everything(each) for each in parent.partition.rules]
    place, problem = read_position(queue, rules)
    if problem:
        return QueueEdits(problems={"position": problem})
    located = locate(source.roots, Findings(source.positions)).root
    nodes = {each.start: each for each in _mappings(located)}
    above = nodes.get(parent.queue.place.start)
    partition = nodes.get(parent.partition.place.start)
    if above is None or partition is None or not _is_readable(source, partition):
        return None
    users, groups = queue.fields.get("users", ()), queue.fields.get("groups", ())
    edits = []
    if users or groups:
        rule = {
            "name": "fixed",
            "value": f"{parent.path}.{queue.name}",
            "filter": {
                "type": "allow",
                **({"users": list(users)} if users else {}),
                **({"groups": list(groups)} if groups else {}),
            },
        }
        if not rules and "placementrules" in partition.entries:
            problem = (
                "The list of placement rules is empty, so applications name their queue. Remove "
                "the key placementrules from the text first, or leave the users and groups empty."
            )
            return QueueEdits(problems={"users" if users else "groups": problem})
        edits.append(
            _add(source, partition, "placementrules", place, rule)
            if rules
            # Without rules, applications name their queue; with rules, only this one lets them.
            else insert_field(
                source.positions, partition, "placementrules", [rule, {"name": "provided"}]
            )
        )
    # Of two edits at one place, the later one comes first in the text: the queue is deeper.
    edits.append(_add(source, above, "queues", len(parent.queue.queues), _queue(queue)))
    found = tuple(each for each in edits if each is not None)
    return QueueEdits(edits=found) if len(found) == len(edits) else None


def _queue(queue: NewQueue) -> dict[str, Any]:
    resources: dict[str, Any] = {}
    for field, _ in _KINDS:
        stated = {key.resource: n for key, n in queue.numbers.items() if key.field == field}
        if stated:
            resources[field] = stated
    return {"name": queue.name, **({"resources": resources} if resources else {})}


def _add(
    source: Source, node: MapNode, key: str, index: int, item: Mapping[str, Any]
) -> TextEdit | None:
    _, items = node.entries.get(key, (None, None))
    if items is None:
        return insert_field(source.positions, node, key, [item])
    if not isinstance(items, ListNode):
        return None
    return insert_item(source.positions, items, index, item)


def _mappings(node: Node | None) -> Iterator[MapNode]:
    if isinstance(node, ListNode):
        for each in node.items:
            yield from _mappings(each)
    elif isinstance(node, MapNode):
        yield node
        for _, value in node.entries.values():
            yield from _mappings(value)


def _is_readable(source: Source, node: MapNode) -> bool:
    """Return whether the text has the keys of *node* at their places, without escapes."""
    text = source.positions.text
    keys = (key for key, _ in node.entries.values())
    return all(key.text == text[key.start : key.end].strip("\"'") for key in keys)


NEW_QUEUES: Final = NewQueues(
    fields=_fields,
    numbers=_numbers,
    write=_write,
    about_route="Applications name the queue themselves, or a new placement rule leads those of "
    "some users and groups to it. Rules are tried in order.",
)
