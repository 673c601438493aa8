"""Manifests to typed documents, with all findings about single fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings
from console.dialects.kueue.lint_codes import NO_NAMESPACE, NOT_READ
from console.dialects.kueue.manifests import Manifest, Manifests
from console.dialects.kueue.names import check_name
from console.dialects.kueue.objects import ObjectReader
from console.dialects.kueue.parse_configuration import read_configuration
from console.dialects.kueue.parse_flavor import read_flavor
from console.dialects.kueue.parse_operator import read_operator
from console.dialects.kueue.parse_queue import read_cohort, read_queue
from console.dialects.kueue.schema import (
    CohortDoc,
    ConfigurationDoc,
    Document,
    FlavorDoc,
    LocalQueueDoc,
    NamespaceDoc,
    PriorityClassDoc,
    QueueDoc,
    UnsupportedDoc,
)
from console.dialects.kueue.unsupported import find_unsupported
from console.dialects.kueue.values import check_weight, read_quantity, read_whole32
from console.dialects.kueue.words import Stop
from console.dialects.nodes import Node
from console.dialects.source import MAX_BYTES
from console.dialects.written import Read, Written

LOCAL_QUEUE: Final = Shape(
    "the spec of a LocalQueue", ("clusterQueue", "stopPolicy", "fairSharing")
)
FAIR_SHARING: Final = Shape("fair sharing", ("weight",))
#: The namespace that kubectl uses if none is written.
DEFAULT_NAMESPACE: Final = "default"
_LONGEST_DESCRIPTION: Final = 2048


def parse(roots: Sequence[Node], findings: Findings) -> Document:
    """Read the manifests of all documents; invalid parts are reported and omitted."""
    return _Parser(findings).document(roots)


@dataclass(slots=True)
class _Parser:
    findings: Findings
    flavors: list[FlavorDoc] = field(default_factory=list)
    cohorts: list[CohortDoc] = field(default_factory=list)
    queues: list[QueueDoc] = field(default_factory=list)
    local_queues: list[LocalQueueDoc] = field(default_factory=list)
    priority_classes: list[PriorityClassDoc] = field(default_factory=list)
    namespaces: list[NamespaceDoc] = field(default_factory=list)
    configurations: list[ConfigurationDoc] = field(default_factory=list)
    unsupported: list[UnsupportedDoc] = field(default_factory=list)
    operators: list[ConfigurationDoc] = field(default_factory=list)

    def document(self, roots: Sequence[Node]) -> Document:
        """Return all objects of the documents."""
        manifests = Manifests(self.findings)
        objects = ObjectReader(self.findings)
        for manifest in manifests.each(roots):
            self._add(manifest, objects)
        objects.finish()
        return Document(
            flavors=tuple(self.flavors),
            cohorts=tuple(self.cohorts),
            queues=tuple(self.queues),
            local_queues=tuple(self.local_queues),
            priority_classes=tuple(self.priority_classes),
            namespaces=tuple(self.namespaces),
            configurations=tuple(self._effective_configurations()),
            unsupported=tuple(self.unsupported),
            manifests_known=manifests.all_known,
        )

    def _effective_configurations(self) -> list[ConfigurationDoc]:
        """Return the Configurations, or else those generated from the operator's objects."""
        if not self.configurations:
            return self.operators
        for operator in self.operators:
            self.findings.add(
                NOT_READ,
                operator.place._replace(end=operator.place.start),
                "This object of the operator is not read: the Configuration that Kueue runs with "
                "is here.",
            )
        return self.configurations

    def _add(self, manifest: Manifest, objects: ObjectReader) -> None:
        self.unsupported += find_unsupported(manifest, self.findings)
        match manifest.kind:
            case "ResourceFlavor":
                self.flavors.append(read_flavor(manifest, objects))
            case "Cohort":
                self.cohorts.append(read_cohort(manifest, objects))
            case "ClusterQueue":
                self.queues.append(read_queue(manifest, objects))
            case "LocalQueue":
                self.local_queues.append(self._local_queue(manifest, objects))
            case "WorkloadPriorityClass":
                self.priority_classes.append(_priority_class(manifest, objects))
            case "Namespace":
                self.namespaces.append(_namespace(manifest, objects))
            case "Configuration":
                self.configurations.append(read_configuration(manifest, self.findings))
            case "Kueue":
                self.operators.append(read_operator(manifest, objects))

    def _local_queue(self, manifest: Manifest, objects: ObjectReader) -> LocalQueueDoc:
        fields = objects.fields(manifest, "spec", "status")
        header = objects.header(fields, manifest)
        namespace: Read[str] = header.namespace
        if namespace is None and isinstance(header.name, Written):
            place = header.name.place
            self.findings.add(
                NO_NAMESPACE,
                place,
                f'LocalQueue "{header.name.value}" has no namespace; "{DEFAULT_NAMESPACE}" is '
                "assumed.",
                "Add metadata.namespace.",
            )
            namespace = Written(DEFAULT_NAMESPACE, place)
        spec = fields.mapping("spec", LOCAL_QUEUE)
        queue: Read[str] = None
        stop: Read[Stop] = None
        if isinstance(spec, Fields):
            queue = spec.text("clusterQueue")
            check_name(queue, "the name of a ClusterQueue", self.findings)
            stop = spec.choice("stopPolicy", Stop)
            sharing = spec.mapping("fairSharing", FAIR_SHARING)
            if isinstance(sharing, Fields):
                check_weight(sharing.number("weight", read_quantity), self.findings)
        return LocalQueueDoc(
            place=fields.place,
            name=header.name,
            deleted=header.deleted,
            namespace=namespace,
            queue=queue,
            stop=stop,
        )


def _priority_class(manifest: Manifest, objects: ObjectReader) -> PriorityClassDoc:
    fields = objects.fields(manifest, "value", "description")
    header = objects.header(fields, manifest)
    # The schema of v1beta1 has no limit, so the limit is that of a config.
    longest = MAX_BYTES if manifest.version == "v1beta1" else _LONGEST_DESCRIPTION
    fields.free_text("description", longest)
    return PriorityClassDoc(
        place=fields.place,
        name=header.name,
        deleted=header.deleted,
        value=fields.number("value", read_whole32, required=True),
    )


def _namespace(manifest: Manifest, objects: ObjectReader) -> NamespaceDoc:
    fields = objects.fields(manifest, "spec", "status")
    header = objects.header(fields, manifest)
    return NamespaceDoc(
        place=fields.place, name=header.name, deleted=header.deleted, labels=header.labels
    )
