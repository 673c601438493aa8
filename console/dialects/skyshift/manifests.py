"""Finds the objects of a stream by kind, and reads the fields that all of them have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from console.dialects.codes import MISSING_KEY, NOT_A_MAPPING
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.repairs import did_you_mean
from console.dialects.skyshift.codes import (
    IGNORED_FIELD,
    JOB_IN_CONFIG,
    NOT_READ,
    NOT_USED,
    SERVER_FIELDS,
    UNKNOWN_KIND,
)
from console.dialects.skyshift.labels import read_labels
from console.dialects.skyshift.names import check_name
from console.dialects.skyshift.schema import Labels
from console.dialects.wording import listed, shorten
from console.dialects.written import UNREAD, Read

#: The kinds of a config.
KINDS: Final = ("Cluster", "Scheduler", "PlacementTemplate", "FilterPolicy")
JOB: Final = "Job"
#: Other kinds of SkyShift, which are not read.
OTHER_KINDS: Final = ("Endpoints", "Link", "Namespace", "Role", "Service", "User")

#: The fields of every object.
HEADER: Final = ("kind", "metadata", "spec", "status")
METADATA: Final = Shape(
    "metadata",
    ("name", "labels", "annotations", "namespace", "creation_timestamp", "resource_version"),
)
#: SkyShift ignores unknown fields of a Job.
METADATA_OF_JOB: Final = Shape(METADATA.what, METADATA.keys, IGNORED_FIELD)
#: Fields of metadata that SkyShift sets.
SERVER_FILLED: Final = ("creation_timestamp", "resource_version")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of a text."""

    kind: str
    node: MapNode
    path: str

    def fields(self, findings: Findings) -> Fields:
        """Return the fields of the object."""
        return Fields(self.node, self.path, Shape(f"a {self.kind}", HEADER), findings)


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of an object."""

    name: Read[str] = None
    namespace: Read[str] = None
    labels: Labels = None


def read_manifests(roots: Sequence[Node], findings: Findings) -> Iterator[Manifest]:
    """Yield the objects of all documents in the order of the text, and report other values."""
    for index, root in enumerate(roots):
        path = f"[{index}]" if len(roots) > 1 else ""
        if isinstance(root, MapNode):
            manifest = _manifest(root, path, findings)
            if manifest is not None:
                yield manifest
        elif not isinstance(root, UnreadNode) and not is_null(root):
            what = "a list" if isinstance(root, ListNode) else "text"
            findings.add(
                NOT_A_MAPPING,
                Place(root.start, root.end, path),
                f"An object is a mapping, not {what}.",
                "It has kind, metadata and spec.",
            )


def is_null(node: Node) -> bool:
    """Return whether *node* is an empty value."""
    return isinstance(node, ScalarNode) and node.is_null


def _manifest(root: MapNode, path: str, findings: Findings) -> Manifest | None:
    """Return the object of a document; None if its kind is not one of a config."""
    own = f"{path}.kind" if path else "kind"
    kind = root.entries.get("kind", (None, None))[1]
    if isinstance(kind, UnreadNode):
        return None
    if not isinstance(kind, ScalarNode) or not kind.text.strip():
        first: Node = kind or next((key for key, _ in root.entries.values()), root)
        findings.add(
            MISSING_KEY,
            Place(first.start, first.end, own),
            'An object needs "kind", which is missing here.',
            f"A config has objects of the kinds {listed(KINDS, 'and')}.",
        )
        return None
    if kind.text in KINDS:
        return Manifest(kind.text, root, path)
    place = Place(kind.start, kind.end, own)
    if kind.text == JOB:
        findings.add(
            JOB_IN_CONFIG,
            place,
            "Jobs are submitted, not configured.",
            "Remove the Job here, and submit it as a workload. For placements that several "
            "workloads share, add a PlacementTemplate.",
        )
    elif kind.text in OTHER_KINDS:
        findings.add(NOT_READ, place, f"{kind.text} is not read.")
    else:
        hint, repairs = did_you_mean(findings, place, kind.text, KINDS)
        findings.add(
            UNKNOWN_KIND,
            place,
            f'"{shorten(kind.text)}" is not a kind of a config.',
            hint or f"A config has {listed(KINDS, 'and')}.",
            repairs,
        )
    return None


def read_header(
    fields: Fields, what: str | None, *, required: bool = True, shape: Shape = METADATA
) -> Header:
    """
    Return the metadata of an object, and report fields that the server sets.

    *what* is the noun for the object if its name has the syntax of names; None: any name.
    """
    metadata = fields.mapping("metadata", shape, required=required)
    if not isinstance(metadata, Fields):
        _note_server_fields([(fields, "status")])
        return Header() if metadata is None and not required else Header(name=UNREAD)
    _note_server_fields([(fields, "status"), *((metadata, key) for key in SERVER_FILLED)])
    metadata.mapping_of_any("annotations")
    header = Header(
        name=metadata.text("name", required=required),
        namespace=metadata.text("namespace"),
        labels=read_labels(metadata, "labels"),
    )
    if what is not None:
        check_name(header.name, what, fields.findings)
    return header


def _note_server_fields(candidates: Sequence[tuple[Fields, str]]) -> None:
    found = [(key, place) for own, key in candidates if (place := own.key_place(key))]
    if found:
        names = listed(sorted(key for key, _ in found), "and")
        message = f"Set by the server and not read: {names}."
        candidates[0][0].findings.add(SERVER_FIELDS, min(place for _, place in found), message)


def note_unused(fields: Fields, keys: Sequence[str]) -> None:
    """Report those of the fields *keys* that are present: they have no effect here."""
    found = [(key, place) for key in keys if (place := fields.key_place(key))]
    if found:
        names = listed((key for key, _ in found), "and")
        message = f"Not used for the placement of workloads: {names}."
        fields.findings.add(NOT_USED, min(place for _, place in found), message)
