"""Objects of a text to the document, with all findings about single fields."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kai.codes import NO_RESOURCES
from console.dialects.kai.insertions import add_fields
from console.dialects.kai.manifests import Manifest, read_header, read_manifests
from console.dialects.kai.numbers import bound_reader, read_runtime, read_weight
from console.dialects.kai.parse_node import read_node
from console.dialects.kai.parse_shard import read_shard
from console.dialects.kai.schema import (
    Document,
    NodeDoc,
    PriorityClassDoc,
    QueueDoc,
    ResourceDoc,
    ShardDoc,
)
from console.dialects.nodes import Node
from console.dialects.numbers import read_int32
from console.dialects.wording import shorten
from console.dialects.written import Unread, Written, value_of
from console.engine.disciplines.fairshare.resources import RESOURCES

QUEUE: Final = Shape(
    "the spec of a Queue",
    (
        *("displayName", "parentQueue", "priority", "resources"),
        *("preemptMinRuntime", "reclaimMinRuntime"),
    ),
)
QUEUE_RESOURCES: Final = Shape("the resources of a Queue", tuple(RESOURCES))
RESOURCE_KEYS: Final = ("quota", "overQuotaWeight", "limit")
_LONGEST: Final = 2048
#: A resource as a fix adds it.
_UNLIMITED: Final = {"quota": 0, "overQuotaWeight": 1, "limit": -1}


class Flag(StrEnum):
    """A boolean as it is written."""

    TRUE = "true"
    FALSE = "false"


def parse(roots: Sequence[Node], findings: Findings) -> Document:
    """Read the objects of all documents; invalid parts are reported and omitted."""
    queues: list[QueueDoc] = []
    classes: list[PriorityClassDoc] = []
    nodes: list[NodeDoc] = []
    shards: list[ShardDoc] = []
    for manifest in read_manifests(roots, findings):
        match manifest.kind:
            case "Queue":
                queues.append(_queue(manifest, findings))
            case "PriorityClass":
                classes.append(_priority_class(manifest, findings))
            case "Node":
                nodes.append(read_node(manifest, findings))
            case "SchedulingShard":
                shards.append(read_shard(manifest, findings))
    return Document(
        queues=tuple(queues),
        priority_classes=tuple(classes),
        nodes=tuple(nodes),
        shards=tuple(shards),
    )


def _queue(manifest: Manifest, findings: Findings) -> QueueDoc:
    fields = manifest.fields(findings, "spec", "status")
    header = read_header(fields)
    spec = fields.mapping("spec", QUEUE, required=True)
    if not isinstance(spec, Fields):
        return QueueDoc(place=fields.place, name=header.name, created=header.created)
    place, resources = _resources(spec, value_of(header.name))
    return QueueDoc(
        place=fields.place,
        name=header.name,
        created=header.created,
        display_name=spec.text("displayName", blank_is_absent=True),
        parent=spec.text("parentQueue", blank_is_absent=True),
        priority=spec.number("priority", read_int32),
        resources_place=place,
        resources=resources,
        preempt_min_runtime=spec.number("preemptMinRuntime", read_runtime),
        reclaim_min_runtime=spec.number("reclaimMinRuntime", read_runtime),
    )


def _resources(
    spec: Fields, name: str | None
) -> tuple[Place | None, dict[str, ResourceDoc | None]]:
    own = spec.mapping("resources", QUEUE_RESOURCES)
    if own is None:
        place = spec.key_place("resources") or spec.place
        which = f'Queue "{shorten(name)}"' if name else "The queue"
        spec.findings.add(
            NO_RESOURCES,
            place.first,
            f"{which} has no resources, which KAI refuses.",
            "Add resources with cpu, memory and gpu.",
            ()
            if spec.key_place("resources")
            else add_fields(
                spec.findings,
                spec.place,
                {"resources": dict.fromkeys(RESOURCES, _UNLIMITED)},
                "Add resources without guarantee and limit",
            ),
        )
    if not isinstance(own, Fields):
        return None, {}
    found: dict[str, ResourceDoc | None] = {}
    for resource in RESOURCES:
        each = own.mapping(resource, Shape(resource, RESOURCE_KEYS))
        if isinstance(each, Fields):
            read = bound_reader(resource)
            found[resource] = ResourceDoc(
                place=each.place,
                quota=each.number("quota", read),
                weight=each.number("overQuotaWeight", read_weight),
                limit=each.number("limit", read),
            )
        elif isinstance(each, Unread):
            found[resource] = None
    return own.place, found


def _priority_class(manifest: Manifest, findings: Findings) -> PriorityClassDoc:
    own = ("value", "globalDefault", "preemptionPolicy", "description")
    fields = manifest.fields(findings, *own)
    header = read_header(fields)
    fields.text("preemptionPolicy")
    fields.free_text("description", _LONGEST)
    flag = fields.choice("globalDefault", Flag)
    is_default = isinstance(flag, Written) and flag.value is Flag.TRUE
    return PriorityClassDoc(
        place=fields.place,
        name=header.name,
        value=fields.number("value", read_int32, required=True),
        default=flag.place if is_default and isinstance(flag, Written) else None,
    )
