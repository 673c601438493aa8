"""The common fields of manifests: name, labels, and fields set by the API server."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place
from console.dialects.kueue.lint_codes import SERVER_FIELDS
from console.dialects.kueue.manifests import (
    DELETED,
    HEADER,
    LAST_APPLIED,
    METADATA,
    SERVER_FILLED,
    Manifest,
)
from console.dialects.kueue.names import (
    check_label_key,
    check_labels,
    check_name,
    check_namespace_name,
)
from console.dialects.kueue.schema import Labels
from console.dialects.wording import listed
from console.dialects.written import UNREAD, Read, Written

#: Limit of the API server for all annotations of an object together.
_LONGEST_ANNOTATION: Final = 256 * 1024


@dataclass(slots=True)
class _Filled:
    """The fields set by the API server in one document of the stream."""

    first: Place
    fields: set[str] = field(default_factory=set)


class ServerFields:
    """Collects fields set by the API server, for one finding per document."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._filled: dict[int, _Filled] = {}

    def add(self, document: int, name: str, place: Place) -> None:
        """Record a field of *document* that the API server sets."""
        self._filled.setdefault(document, _Filled(place)).fields.add(name)

    def note(self) -> None:
        """Report every document with such fields, at the first of them."""
        for filled in self._filled.values():
            names = listed(sorted(filled.fields), "and")
            message = f"Set by the server and not read: {names}."
            self._findings.add(SERVER_FIELDS, filled.first, message)


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of an object."""

    name: Read[str]
    namespace: Read[str]
    labels: Labels
    #: The place of its deletionTimestamp; None if it is not being deleted.
    deleted: Place | None


class ObjectReader:
    """Reads the common fields of manifests."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._server = ServerFields(findings)

    def fields(self, manifest: Manifest, *own: str) -> Fields:
        """Return the fields of an object: the common ones, and *own* ones of its kind."""
        shape = Shape(f"a {manifest.kind}", (*HEADER, *own))
        fields = Fields(manifest.node, manifest.path, shape, self._findings)
        if "status" in own and (place := fields.key_place("status")):
            self._server.add(manifest.document, "status", place)
        return fields

    def header(self, fields: Fields, manifest: Manifest) -> Header:
        """Return the metadata of an object; a name is required."""
        metadata = fields.mapping("metadata", METADATA, required=True)
        if not isinstance(metadata, Fields):
            return Header(UNREAD, None, None, None)
        for key in SERVER_FILLED:
            if place := metadata.key_place(key):
                self._server.add(manifest.document, key, place)
        self._annotations(metadata, manifest)
        metadata.text("generateName", blank_is_absent=True)
        header = Header(
            name=metadata.text("name", required=True),
            namespace=metadata.text("namespace", blank_is_absent=True),
            labels=metadata.texts_by_key("labels", "the value of a label"),
            deleted=metadata.key_place(DELETED) if metadata.node(DELETED) is not None else None,
        )
        if manifest.kind == "Namespace":
            check_namespace_name(header.name, self._findings)
        else:
            check_name(header.name, f"the name of a {manifest.kind}", self._findings)
        check_namespace_name(header.namespace, self._findings)
        if isinstance(header.labels, Written):
            check_labels(header.labels.value, "label", self._findings)
        return header

    def _annotations(self, metadata: Fields, manifest: Manifest) -> None:
        """Check annotations, which are texts by key; kubectl sets one of them."""
        read = metadata.mapping_of_any("annotations")
        if read is None:
            return
        annotations, keys = read
        for key in keys:
            annotations.free_text(key, _LONGEST_ANNOTATION)
            place = annotations.key_place(key) or annotations.place
            if key == LAST_APPLIED:
                self._server.add(manifest.document, "last-applied-configuration", place)
            check_label_key(Written(key, place), "the key of an annotation", self._findings)

    def finish(self) -> None:
        """Report fields set by the API server."""
        self._server.note()
