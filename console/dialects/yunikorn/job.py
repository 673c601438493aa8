"""Manifests: a Job or a Pod, and the fields of its submission."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from console.dialects.base import FieldPlace, JobReading
from console.dialects.codes import NOT_A_MAPPING
from console.dialects.collector import collector_paused
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place, ReadingStopped
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.numbers import read_int32
from console.dialects.pods import PodDoc, PodReader, nested, texts_of
from console.dialects.source import read_source
from console.dialects.wording import shorten
from console.dialects.written import Written, value_of
from console.dialects.yunikorn.job_codes import (
    BAD_REQUEST_QUANTITY,
    NOT_A_WORKLOAD,
    NOT_SUPPORTED,
    PRIORITY_CLASS_NOT_READ,
    SEVERAL_WORKLOADS,
    USER_NOT_TRUSTED,
)
from console.dialects.yunikorn.routing import APPLICATION_LABELS, QUEUE_LABELS
from console.dialects.yunikorn.task_groups import Gang, read_gang
from console.engine.model.policy import Policy

#: Kind -> its apiVersion.
VERSIONS: Final = {"Job": "batch/v1", "Pod": "v1"}
ALLOW_PREEMPTION: Final = "yunikorn.apache.org/allow-preemption"
#: Annotations with a user, which the author of a manifest chooses.
USER_ANNOTATIONS: Final = ("yunikorn.apache.org/user.info", "yunikorn.apache.org/username")
#: Labels that an annotation may state instead: those with the prefix of YuniKorn.
_ANNOTATED: Final = (QUEUE_LABELS[0], APPLICATION_LABELS[0])
_FLAGS: Final = {"true": True, "false": False}
#: The name of the only pod set, and the namespace of a workload without one.
_POD_SET: Final = "main"
_NAMESPACE: Final = "default"
_READER: Final = PodReader(BAD_REQUEST_QUANTITY, NOT_SUPPORTED)

JOB_SAMPLE: Final = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  parallelism: 4
  template:
    metadata:
      labels:
        applicationId: train-1
        queue: root.research.training
      annotations:
        yunikorn.apache.org/task-group-name: workers
        yunikorn.apache.org/task-groups: |-
          [{"name": "workers", "minMember": 2, "minResource": {"cpu": "500m", "memory": "2Gi"}}]
        yunikorn.apache.org/schedulingPolicyParameters: placeholderTimeoutInSeconds=600
    spec:
      schedulerName: yunikorn
      containers:
        - name: main
          image: ubuntu
          resources:
            requests: { cpu: 500m, memory: 2Gi }
"""


@dataclass(slots=True)
class _Result:
    """The fields of the submission, with their places in the text."""

    job: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


def read_job(text: str | bytes, policy: Policy | None = None) -> JobReading:
    """
    Read *text*, which is YAML or JSON, as one workload.

    The queue is not checked against *policy*: rules may create it.
    """
    with collector_paused():
        source = read_source(text, stream=True)
        result = _Result()
        if source.roots:
            with suppress(ReadingStopped):
                _read(source.roots, source.findings, result)
        diagnostics = source.findings.diagnostics()
        if source.findings.has_errors:
            return JobReading(diagnostics=diagnostics)
        places = {
            name: FieldPlace(path=each.path, span=source.positions.span(each.start, each.end))
            for name, each in result.places.items()
        }
        return JobReading(diagnostics=diagnostics, job=result.job, places=places)


def _read(roots: Sequence[Node], findings: Findings, result: _Result) -> None:
    heads: list[Fields] = []
    for index, root in enumerate(roots):
        path = f"[{index}]" if len(roots) > 1 else ""
        for node, own in _objects(root, path, findings):
            head = _head(node, own, findings)
            heads += [head] if head is not None else []
    if len(heads) > 1:
        second = heads[1].key_place("kind") or heads[1].place
        hint = "Submit each workload by itself."
        findings.add(SEVERAL_WORKLOADS, second, "This is another workload.", hint)
    elif heads:
        _read_workload(heads[0], result)
    elif not findings.has_errors:
        place = Place(roots[0].start, roots[0].end).first
        findings.add(NOT_A_WORKLOAD, place, "The text has no Job or Pod.")


def _objects(root: Node, path: str, findings: Findings) -> Iterator[tuple[MapNode, str]]:
    """Yield the objects of one document, which may be a List."""
    if isinstance(root, UnreadNode) or (isinstance(root, ScalarNode) and root.is_null):
        return
    if not isinstance(root, MapNode):
        place = Place(root.start, root.end, path)
        findings.add(NOT_A_MAPPING, place, "An object is a mapping with apiVersion and kind.")
        return
    items = root.entries.get("items", (None, None))[1]
    if _text(root, "kind").endswith("List") and isinstance(items, ListNode):
        for index, item in enumerate(items.items):
            own = f"{path}.items[{index}]" if path else f"items[{index}]"
            yield from _objects(item, own, findings)
    else:
        yield root, path


def _text(node: MapNode, key: str) -> str:
    value = node.entries.get(key, (None, None))[1]
    return value.text if isinstance(value, ScalarNode) else ""


def _head(node: MapNode, path: str, findings: Findings) -> Fields | None:
    """Return the fields of a Job or Pod; None, with a finding, for another object."""
    kind, version = _text(node, "kind"), _text(node, "apiVersion")
    fields = Fields(node, path, Shape(kind or "an object", ()), findings, takes_any=True)
    if VERSIONS.get(kind) == version:
        return fields
    place = fields.key_place("kind") or fields.place
    if kind in VERSIONS:
        shown = f"of version {shorten(version)}" if version else "without an apiVersion"
        place = fields.key_place("apiVersion") or place
        message = f"A {kind} {shown} is not read."
        findings.add(NOT_A_WORKLOAD, place, message, f"Write {VERSIONS[kind]}.")
        return None
    message = f"{shorten(kind) or 'An object without a kind'} is not part of a workload."
    findings.add(NOT_A_WORKLOAD, place, message, "A manifest has a Job or a Pod.")
    return None


def _read_workload(head: Fields, result: _Result) -> None:
    findings = head.findings
    spec = nested(head, "spec")
    template = nested(spec, "template") if spec is not None else None
    is_job = _kind(head) == "Job"
    if is_job and template is None:
        place = head.key_place("spec") or head.key_place("kind") or head.place
        findings.add(NOT_A_MAPPING, place, "The Job has no template of its pods.")
        return
    pod = template if is_job and template is not None else head
    own = nested(pod, "spec")
    annotations = _read_metadata(head, pod, result)
    requests = _READER.requests(own) if own is not None else {}
    doc = PodDoc(
        place=pod.key_place("spec") or pod.place,
        requests={name: each for name, each in sorted(requests.items()) if each},
        constraints=_READER.constraints(own) if own is not None else {},
    )
    if own is not None:
        _read_priority(own, result)
    copies = _copies(spec) if is_job and spec is not None else 1
    count_place = (spec.key_place("parallelism") if spec is not None else None) or doc.place
    gang = read_gang(annotations, findings)
    _put_pod_sets(doc, copies, count_place, gang, result)


def _kind(head: Fields) -> str:
    node = head.node("kind")
    return node.text if isinstance(node, ScalarNode) else ""


def _copies(spec: Fields) -> int:
    parallelism, completions = spec.priority("parallelism"), spec.priority("completions")
    copies = value_of(parallelism)
    copies = 1 if copies is None else copies
    return max(1, min(copies, value_of(completions) or copies))


def _read_metadata(head: Fields, pod: Fields, result: _Result) -> dict[str, Written[str]]:
    """Read the metadata of the workload and of its pods; return the annotations of the pods."""
    metadata = head.mapping_of_any("metadata")
    if metadata is None:
        place = head.key_place("kind") or head.place
        head.findings.add(NOT_A_MAPPING, place, "The workload has no metadata.", "Add its name.")
        return {}
    own, _ = metadata
    generated = own.text("generateName")
    name = own.text("name", required=generated is None)
    namespace = own.text("namespace")
    labels, annotations = _labels_of(own)
    if pod is not head:
        inner_labels, inner_annotations = _labels_of(nested(pod, "metadata"))
        for keys in (QUEUE_LABELS, APPLICATION_LABELS):
            # That of the pods decides under any key, because YuniKorn sees only pods.
            if any(key in inner_labels for key in keys):
                labels = {key: each for key, each in labels.items() if key not in keys}
        labels |= inner_labels
        annotations |= inner_annotations
    result.job |= {
        "name": value_of(name) or (value_of(generated) or "").rstrip("-"),
        "namespace": value_of(namespace) or _NAMESPACE,
        "tags": {key: each.value for key, each in labels.items()},
    }
    for field_name, read in (("name", name), ("namespace", namespace)):
        if isinstance(read, Written):
            result.places[field_name] = read.place
    for key, each in labels.items():
        result.places[f"tags.{key}"] = each.place
    _read_annotations(annotations, head.findings, result)
    return annotations


def _labels_of(metadata: Fields | None) -> tuple[dict[str, Written[str]], dict[str, Written[str]]]:
    """
    Return the labels and the annotations in metadata.

    An annotation stands for the label with the same key that is absent or empty.
    """
    labels, annotations = texts_of(metadata, "labels"), texts_of(metadata, "annotations")
    for key in _ANNOTATED:
        stated = labels.get(key)
        if key in annotations and (stated is None or not stated.value):
            labels[key] = annotations[key]
    return labels, annotations


def _read_annotations(
    annotations: dict[str, Written[str]], findings: Findings, result: _Result
) -> None:
    allows = annotations.get(ALLOW_PREEMPTION)
    if allows is not None and allows.value in _FLAGS:
        result.job["preemptible"] = _FLAGS[allows.value]
        result.places["preemptible"] = allows.place
    for key in USER_ANNOTATIONS:
        if key in annotations:
            findings.add(
                USER_NOT_TRUSTED,
                annotations[key].place,
                f"{key} is not read: any author can write any user there.",
                "Remove it; the user is the one who submits.",
            )


def _read_priority(spec: Fields, result: _Result) -> None:
    priority = spec.number("priority", read_int32)
    name = spec.text("priorityClassName", blank_is_absent=True)
    if isinstance(priority, Written):
        result.job["priority"] = priority.value
        result.places["priority"] = priority.place
    elif isinstance(name, Written) and priority is None:
        spec.findings.add(
            PRIORITY_CLASS_NOT_READ,
            name.place,
            f'The number of the priority class "{shorten(name.value)}" is not known.',
            "State priority with its number.",
        )


def _put_pod_sets(
    doc: PodDoc, copies: int, count_place: Place, gang: Gang | None, result: _Result
) -> None:
    """Add the pod sets of the submission: the pods themselves, and those of other task groups."""
    pod_sets: list[dict[str, Any]] = []
    own = gang.own if gang is not None else None
    first: dict[str, Any] = {"name": own.name if own else _POD_SET, "count": copies}
    if own is not None:
        first |= {"count": max(copies, own.least), "min_count": own.least}
    pod_sets.append(first | doc.fields())
    result.places |= {"pod_sets[0]": doc.place, "pod_sets[0].count": count_place}
    for each in gang.others if gang is not None else ():
        result.places[f"pod_sets[{len(pod_sets)}]"] = each.place
        pod_sets.append(each.fields())
    result.job["pod_sets"] = pod_sets
    if gang is not None and gang.facts:
        result.job["placement"] = {"gang": gang.facts}
        result.places["placement"] = gang.place
