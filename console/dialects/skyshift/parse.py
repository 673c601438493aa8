"""Objects of a text to the document, with all findings about single fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings
from console.dialects.nodes import Node
from console.dialects.skyshift.labels import read_labels
from console.dialects.skyshift.manifests import Manifest, note_unused, read_header, read_manifests
from console.dialects.skyshift.names import read_cluster_name
from console.dialects.skyshift.parse_placement import read_placement
from console.dialects.skyshift.parse_scheduler import read_scheduler
from console.dialects.skyshift.schema import (
    ClusterDoc,
    Document,
    FilterPolicyDoc,
    Labels,
    PlacementDoc,
    SchedulerDoc,
    TemplateDoc,
)
from console.dialects.written import UNREAD, Read
from console.engine.disciplines.placement.read_placement import PLACEMENT_FIELDS

#: Fields of a Cluster that tell SkyShift how to reach or to create it.
UNUSED_OF_CLUSTER: Final = (
    *("cloud", "region", "cpus", "memory", "disk_size", "accelerators", "ports", "num_nodes"),
    *("provision", "config_path", "access_config"),
)
CLUSTER: Final = Shape("the spec of a Cluster", ("manager", *UNUSED_OF_CLUSTER))
TEMPLATE: Final = Shape("the spec of a PlacementTemplate", PLACEMENT_FIELDS)
FILTER_POLICY: Final = Shape("the spec of a FilterPolicy", ("cluster_filter", "labels_selector"))
CLUSTER_FILTER: Final = Shape("a cluster filter", ("include", "exclude"))


def parse(roots: Sequence[Node], findings: Findings) -> Document:
    """Read the objects of all documents; invalid parts are reported and omitted."""
    clusters: list[ClusterDoc] = []
    templates: list[TemplateDoc] = []
    policies: list[FilterPolicyDoc] = []
    schedulers: list[SchedulerDoc] = []
    for manifest in read_manifests(roots, findings):
        match manifest.kind:
            case "Cluster":
                clusters.append(_cluster(manifest, findings))
            case "PlacementTemplate":
                templates.append(_template(manifest, findings))
            case "FilterPolicy":
                policies.append(_filter_policy(manifest, findings))
            case "Scheduler":
                schedulers.append(read_scheduler(manifest, findings))
    return Document(
        clusters=tuple(clusters),
        templates=tuple(templates),
        filter_policies=tuple(policies),
        schedulers=tuple(schedulers),
    )


def _cluster(manifest: Manifest, findings: Findings) -> ClusterDoc:
    fields = manifest.fields(findings)
    header = read_header(fields, None)
    spec = fields.mapping("spec", CLUSTER)
    manager: Read[str] = None
    if isinstance(spec, Fields):
        manager = spec.text("manager")
        note_unused(spec, UNUSED_OF_CLUSTER)
    return ClusterDoc(
        place=fields.place,
        name=read_cluster_name(header.name, findings),
        labels=header.labels,
        manager=manager,
    )


def _template(manifest: Manifest, findings: Findings) -> TemplateDoc:
    fields = manifest.fields(findings)
    header = read_header(fields, "a PlacementTemplate")
    spec = fields.mapping("spec", TEMPLATE)
    placement = read_placement(spec) if isinstance(spec, Fields) else PlacementDoc()
    return TemplateDoc(place=fields.place, name=header.name, placement=placement)


def _filter_policy(manifest: Manifest, findings: Findings) -> FilterPolicyDoc:
    fields = manifest.fields(findings)
    header = read_header(fields, "a FilterPolicy")
    spec = fields.mapping("spec", FILTER_POLICY)
    job_labels: Labels = None
    include: Read[tuple[Read[str], ...]] = None
    exclude: Read[tuple[Read[str], ...]] = None
    if isinstance(spec, Fields):
        job_labels = read_labels(spec, "labels_selector", values_may_be_empty=False)
        clusters = spec.mapping("cluster_filter", CLUSTER_FILTER)
        if isinstance(clusters, Fields):
            include = clusters.texts("include")
            exclude = clusters.texts("exclude")
        elif clusters is not None:
            include = UNREAD
    elif spec is not None:
        job_labels = include = UNREAD
    return FilterPolicyDoc(
        place=fields.place,
        name=header.name,
        job_labels=job_labels,
        include=include,
        exclude=exclude,
    )
