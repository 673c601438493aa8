"""Finds the objects of a stream or List by kind, and reads the fields that all of them have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from console.dialects.codes import MISSING_KEY, NOT_A_LIST, NOT_A_MAPPING
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kai.codes import (
    BAD_TIME,
    NOT_READ,
    UNKNOWN_KIND,
    UNKNOWN_VERSION,
    WORKLOAD_IN_CONFIG,
)
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.repairs import did_you_mean, replace
from console.dialects.wording import listed, shorten
from console.dialects.written import UNREAD, Read, Written

QUEUE_GROUP: Final = "scheduling.run.ai"
SHARD_GROUP: Final = "kai.scheduler"
#: Kind -> its apiVersion.
KINDS: Final = {
    "Queue": f"{QUEUE_GROUP}/v2",
    "PriorityClass": "scheduling.k8s.io/v1",
    "Node": "v1",
    "SchedulingShard": f"{SHARD_GROUP}/v1",
}
_WORKLOADS: Final = ("Pod", "Job", "PodGroup")
_GROUPS: Final = (QUEUE_GROUP, SHARD_GROUP)
#: Other kinds of KAI, which are not read.
_OTHER_KINDS: Final = ("BindRequest", "Config", "Topology")

#: The fields of every object.
HEADER: Final = ("apiVersion", "kind", "metadata")
METADATA: Final = Shape(
    "metadata",
    (
        *("name", "labels", "annotations", "creationTimestamp", "namespace", "generateName"),
        *("deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generation"),
        *("managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"),
    ),
)
#: Fields of metadata that are not read.
UNREAD_METADATA: Final = METADATA.keys[4:]

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a text."""

    kind: str
    node: MapNode
    path: str

    def fields(self, findings: Findings, *own: str) -> Fields:
        """Return the fields of the object: the common ones, and *own* ones of its kind."""
        return Fields(self.node, self.path, Shape(f"a {self.kind}", (*HEADER, *own)), findings)


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of an object."""

    name: Read[str]
    #: Milliseconds since 1970 in UTC.
    created: Read[int] = None
    labels: Read[tuple[tuple[Written[str], Read[str]], ...]] = None


def read_manifests(roots: Sequence[Node], findings: Findings) -> Iterator[Manifest]:
    """Yield the objects of all documents in the order of the text, and report other values."""
    for index, root in enumerate(roots):
        yield from _objects(root, f"[{index}]" if len(roots) > 1 else "", findings)


def _objects(node: Node, path: str, findings: Findings) -> Iterator[Manifest]:
    if isinstance(node, UnreadNode) or (isinstance(node, ScalarNode) and node.is_null):
        return
    if not isinstance(node, MapNode):
        what = "a list" if isinstance(node, ListNode) else "text"
        findings.add(
            NOT_A_MAPPING,
            Place(node.start, node.end, path),
            f"An object is a mapping, not {what}.",
            "It begins with apiVersion and kind.",
        )
        return
    kind = _scalar(node, "kind")
    if kind is None:
        _note_missing(node, path, "kind", findings)
    elif kind.text.endswith("List"):
        yield from _items(node, path, findings)
    else:
        manifest = _manifest(node, kind, path, findings)
        if manifest is not None:
            yield manifest


def _items(node: MapNode, path: str, findings: Findings) -> Iterator[Manifest]:
    own = _join(path, "items")
    items = node.entries.get("items", (None, None))[1]
    if isinstance(items, ListNode):
        for index, item in enumerate(items.items):
            yield from _objects(item, f"{own}[{index}]", findings)
    elif items is None:
        _note_missing(node, path, "items", findings)
    elif not isinstance(items, UnreadNode) and not (
        isinstance(items, ScalarNode) and items.is_null
    ):
        place = Place(items.start, items.end, own)
        findings.add(NOT_A_LIST, place, "items must be a list of objects.")


def _manifest(node: MapNode, kind: ScalarNode, path: str, findings: Findings) -> Manifest | None:
    """Return the object of a mapping; None if it is not one of a config."""
    version = _scalar(node, "apiVersion")
    if version is None:
        _note_missing(node, path, "apiVersion", findings)
        return None
    group = version.text.rpartition("/")[0]
    place = Place(kind.start, kind.end, _join(path, "kind"))
    expected = KINDS.get(kind.text)
    if expected == version.text:
        return Manifest(kind.text, node, path)
    if expected is not None and group in ("", *_GROUPS, expected.rpartition("/")[0]):
        at = Place(version.start, version.end, _join(path, "apiVersion"))
        findings.add(
            UNKNOWN_VERSION,
            at,
            f'{kind.text} is not read in the version "{shorten(version.text)}".',
            f"Write {expected}.",
            (replace(at, expected),),
        )
    elif kind.text in _WORKLOADS:
        findings.add(
            WORKLOAD_IN_CONFIG,
            place,
            f"A {kind.text} is submitted, not configured.",
            f"Remove the {kind.text} here, and submit it as a workload.",
        )
    elif group in _GROUPS and kind.text not in _OTHER_KINDS:
        choices = [name for name, api in KINDS.items() if api.startswith(f"{group}/")]
        hint, repairs = did_you_mean(findings, place, kind.text, choices)
        findings.add(
            UNKNOWN_KIND,
            place,
            f'"{shorten(kind.text)}" is not a kind of {shorten(version.text)}.',
            hint or f"A config has {listed(KINDS, 'and')}.",
            repairs,
        )
    else:
        message = f"{shorten(kind.text)} of {shorten(version.text)} is not read."
        findings.add(NOT_READ, place, message)
    return None


def read_header(fields: Fields) -> Header:
    """Return the metadata of an object; a name is required."""
    metadata = fields.mapping("metadata", METADATA, required=True)
    if not isinstance(metadata, Fields):
        return Header(name=UNREAD)
    metadata.mapping_of_any("annotations")
    return Header(
        name=metadata.text("name", required=True),
        created=_created(metadata),
        labels=metadata.texts_by_key("labels", "the value of a label"),
    )


def _created(metadata: Fields) -> Read[int]:
    return read_time(metadata, "creationTimestamp")


def read_time(fields: Fields, key: str) -> Read[int]:
    """Return a time in milliseconds since 1970 in UTC."""
    node, at = fields.node(key), fields.key_place(key)
    if node is None or at is None:
        return None
    if isinstance(node, UnreadNode):
        return UNREAD
    place = Place(node.start, node.end, at.path)
    text = node.text if isinstance(node, ScalarNode) else ""
    if _TIME.fullmatch(text):
        try:
            return Written(round(datetime.fromisoformat(text).timestamp() * 1000), place)
        except ValueError:
            pass
    findings = fields.findings
    message = f'{key}: "{shorten(text)}" is not a time.' if text else f"{key} must be a time."
    findings.add(BAD_TIME, place, message, "Write it like 2026-01-31T09:30:00Z.")
    return UNREAD


def _scalar(node: MapNode, key: str) -> ScalarNode | None:
    value = node.entries.get(key, (None, None))[1]
    return value if isinstance(value, ScalarNode) and value.text.strip() else None


def _note_missing(node: MapNode, path: str, key: str, findings: Findings) -> None:
    entry = node.entries.get(key)
    first: Node = next((name for name, _ in node.entries.values()), node)
    if entry is not None:
        first = entry[1]
        if isinstance(first, UnreadNode):
            return
    findings.add(
        MISSING_KEY,
        Place(first.start, first.end, _join(path, key)),
        f'An object needs "{key}", which is missing here.',
        "An object begins with apiVersion and kind; a List has items.",
    )


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
