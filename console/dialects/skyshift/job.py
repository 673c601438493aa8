"""Jobs: SkyShift's description of one workload, and the fields of its submission."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from console.dialects.base import FieldPlace, JobReading
from console.dialects.codes import NOT_A_MAPPING
from console.dialects.collector import collector_paused
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place, ReadingStopped
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.numbers import NumberProblem
from console.dialects.positions import Positions
from console.dialects.repairs import did_you_mean
from console.dialects.skyshift.codes import (
    IGNORED_FIELD,
    NO_REPLICAS,
    NOT_A_JOB,
    UNKNOWN_TEMPLATE,
)
from console.dialects.skyshift.compile import compile_placement, labels_of
from console.dialects.skyshift.manifests import (
    HEADER,
    JOB,
    METADATA_OF_JOB,
    Header,
    is_null,
    note_unused,
    read_header,
)
from console.dialects.skyshift.names import check_name
from console.dialects.skyshift.numbers import read_whole
from console.dialects.skyshift.parse_placement import read_placement
from console.dialects.skyshift.plain import placement_to_plain
from console.dialects.skyshift.resources import read_resources
from console.dialects.skyshift.schema import PlacementDoc
from console.dialects.source import read_source
from console.dialects.wording import listed, shorten
from console.dialects.written import Read, Written, value_of
from console.engine.disciplines.placement.read_placement import PLACEMENT_FIELDS, is_name
from console.engine.disciplines.placement.spec import PlacementSpec
from console.engine.model.amounts import amount_to_number
from console.engine.model.policy import Policy

#: Fields that tell SkyShift how to run a Job, which is the task of the executor here.
UNUSED_OF_JOB: Final = ("image", "run", "envs", "ports", "volumes", "restart_policy")
JOB_SHAPE: Final = Shape("a Job", HEADER, IGNORED_FIELD)
SPEC: Final = Shape(
    "the spec of a Job", ("replicas", "resources", "placement", *UNUSED_OF_JOB), IGNORED_FIELD
)
PLACEMENT: Final = Shape("a placement", (*PLACEMENT_FIELDS, "template"))
#: The namespace of a Job without one.
DEFAULT_NAMESPACE: Final = "default"
#: The name of the only pod set.
POD_SET: Final = "main"
JOB_SAMPLE: Final = """\
kind: Job
metadata:
  name: my-job
spec:
  replicas: 2
  resources: { cpus: 1, memory: 128M }
  placement:
    filters:
      - name: dev-outside-eu
        match_labels: { purpose: dev }
        match_expressions:
          - { key: location, operator: NotIn, values: [eu] }
    preferences:
      - { name: in-the-us, match_labels: { location: us }, weight: 50 }
"""
#: Maximum number of templates that a hint lists.
MOST_LISTED: Final = 5


def read_job(text: str | bytes, policy: Policy | None = None) -> JobReading:
    """Read *text*, which is YAML or JSON, as one Job; its template has to be one of *policy*."""
    with collector_paused():
        source = read_source(text)
        job: dict[str, Any] = {}
        places: dict[str, Place] = {}
        if source.root is not None:
            with suppress(ReadingStopped):
                job = _job(source.root, source.findings, _templates(policy), places)
        diagnostics = source.findings.diagnostics()
        if source.findings.has_errors:
            return JobReading(diagnostics=diagnostics)
        return JobReading(
            diagnostics=diagnostics, job=job, places=_field_places(places, source.positions)
        )


def _templates(policy: Policy | None) -> tuple[str, ...] | None:
    if policy is None:
        return None
    return tuple(policy.spec.templates) if isinstance(policy.spec, PlacementSpec) else ()


def _field_places(places: Mapping[str, Place], positions: Positions) -> dict[str, FieldPlace]:
    return {
        name: FieldPlace(path=place.path, span=positions.span(place.start, place.end))
        for name, place in places.items()
    }


def _job(
    root: Node,
    findings: Findings,
    templates: tuple[str, ...] | None,
    places: dict[str, Place],
) -> dict[str, Any]:
    """Return the fields of the submission, and add where the text states them to *places*."""
    if not isinstance(root, MapNode):
        if not isinstance(root, UnreadNode):
            what = "a list" if isinstance(root, ListNode) else "text"
            if is_null(root):
                what = "empty"
            place = Place(root.start, root.end)
            message = f"A Job is a mapping, not {what}."
            findings.add(NOT_A_MAPPING, place, message, "It has kind, metadata and spec.")
        return {}
    _check_kind(root, findings)
    fields = Fields(root, "", JOB_SHAPE, findings)
    header = read_header(fields, "a Job", shape=METADATA_OF_JOB)
    spec = fields.mapping("spec", SPEC)
    pod_set: dict[str, Any] = {"name": POD_SET, "count": 1, "requests": {}}
    placement: dict[str, Any] = {}
    _note_places_of_header(header, places)
    if isinstance(spec, Fields):
        _note_places_of_spec(spec, places)
        note_unused(spec, UNUSED_OF_JOB)
        requests = read_resources(spec)
        pod_set["count"] = value_of(spec.number("replicas", _read_replicas)) or 1
        pod_set["requests"] = {name: amount_to_number(each) for name, each in requests.items()}
        placement = _placement(spec, templates)
    job = {
        "name": value_of(header.name),
        "namespace": value_of(header.namespace) or DEFAULT_NAMESPACE,
        "tags": labels_of(header.labels),
        "pod_sets": [pod_set],
    }
    return job | ({"placement": placement} if placement else {})


def _note_places_of_header(header: Header, places: dict[str, Place]) -> None:
    for field, read in (("name", header.name), ("namespace", header.namespace)):
        if isinstance(read, Written):
            places[field] = read.place
    if isinstance(header.labels, Written):
        places["tags"] = header.labels.place
        for key, _ in header.labels.value:
            places[f"tags.{key.value}"] = key.place


def _note_places_of_spec(spec: Fields, places: dict[str, Place]) -> None:
    fields = {
        "pod_sets[0].count": "replicas",
        "pod_sets[0].requests": "resources",
        "placement": "placement",
    }
    for field, key in fields.items():
        place = spec.key_place(key)
        if place is not None:
            places[field] = place


def _check_kind(root: MapNode, findings: Findings) -> None:
    """Report another kind; SkyShift takes an object without a kind for a Job."""
    kind = root.entries.get("kind", (None, None))[1]
    if not isinstance(kind, ScalarNode) or kind.is_null or kind.text == JOB:
        return
    place = Place(kind.start, kind.end, "kind")
    hint, repairs = did_you_mean(findings, place, kind.text, (JOB,))
    findings.add(
        NOT_A_JOB,
        place,
        f'A workload is described by a Job, not by "{shorten(kind.text)}".',
        hint or "Other objects belong to the config.",
        repairs,
    )


def _placement(spec: Fields, templates: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the placement of a Job as plain values; empty if it has errors."""
    findings, at = spec.findings, spec.key_place("placement")
    if at is not None and spec.node("placement") is None:
        message = "placement must be a mapping, not null."
        findings.add(NOT_A_MAPPING, at, message, "Omit placement, or write {}.")
    fields = spec.mapping("placement", PLACEMENT)
    template: Read[str] = None
    placement = PlacementDoc()
    if isinstance(fields, Fields):
        template = fields.text("template")
        check_name(template, "a PlacementTemplate", findings)
        _check_template(template, templates, findings)
        placement = read_placement(fields)
    if findings.has_errors:
        return {}
    plain = placement_to_plain(compile_placement(placement))
    name = value_of(template)
    return plain | ({"template": name} if name is not None else {})


def _check_template(
    template: Read[str], templates: tuple[str, ...] | None, findings: Findings
) -> None:
    """Report a template that the config does not have."""
    if templates is None or not isinstance(template, Written) or not is_name(template.value):
        return
    if template.value in templates:
        return
    hint, repairs = did_you_mean(findings, template.place, template.value, templates)
    if not hint:
        hint = "The config has no PlacementTemplate."
        if templates:
            hint = f"Templates of the config: {listed(templates[:MOST_LISTED], 'and')}."
    message = f'The config has no PlacementTemplate "{shorten(template.value)}".'
    findings.add(UNKNOWN_TEMPLATE, template.place, message, hint, repairs)


def _read_replicas(text: str, *, plain: bool) -> int | NumberProblem:
    number = read_whole(text, plain=plain)
    if isinstance(number, NumberProblem) or number > 0:
        return number
    return NumberProblem(NO_REPLICAS, f"{number} is too small; a Job has at least 1 replica")
