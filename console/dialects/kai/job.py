"""Manifests: a PodGroup with its Pods, a Job or a Pod, and the fields of its submission."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from console.dialects.base import FieldPlace, JobReading
from console.dialects.codes import NOT_A_MAPPING
from console.dialects.collector import collector_paused
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Findings, Place, ReadingStopped
from console.dialects.kai.job_codes import (
    BAD_MINIMUM,
    NOT_A_WORKLOAD,
    NOT_SUPPORTED,
    SEVERAL_WORKLOADS,
    SUBGROUP_OF_POD,
)
from console.dialects.kai.job_pods import READER, read_pod
from console.dialects.kai.routing import PRIORITY_LABEL, QUEUE_LABELS
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.pods import PodDoc, items_of, nested, texts_of
from console.dialects.source import Source, read_source
from console.dialects.wording import shorten
from console.dialects.written import Read, Written, value_of
from console.engine.model.policy import Policy

#: The labels with the preemptibility, and with the subgroup of a pod.
PREEMPTIBILITY_LABEL: Final = "kai.scheduler/preemptibility"
SUBGROUP_LABEL: Final = "kai.scheduler/subgroup-name"
#: Annotations: the PodGroup of a Pod, and the pods of a Job that start together.
_GROUP_OF_POD: Final = "pod-group-name"
MINIMUM_OF_JOB: Final = "kai.scheduler/batch-min-member"
_TOPOLOGY: Final = (
    "kai.scheduler/topology",
    "kai.scheduler/topology-required-placement",
    "kai.scheduler/topology-preferred-placement",
)
_PREEMPTIBILITY: Final = {"preemptible": True, "non-preemptible": False}
VERSIONS: Final = {"PodGroup": "scheduling.run.ai/v2alpha2", "Job": "batch/v1", "Pod": "v1"}
_WITHOUT_TOPOLOGY: Final = "Remove it, and choose nodes by their labels."
_WHOLE = re.compile(r"[0-9]{1,9}")
#: The name of the only pod set, and the namespace of a workload without one.
_POD_SET: Final = "main"
_NAMESPACE: Final = "default"

JOB_SAMPLE: Final = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  labels: { kai.scheduler/queue: ml-team, priorityClassName: train }
  annotations: { kai.scheduler/batch-min-member: "2" }
spec:
  parallelism: 4
  template:
    metadata:
      annotations: { gpu-fraction: "0.5" }
    spec:
      schedulerName: kai-scheduler
      containers:
        - name: main
          image: ubuntu
          resources:
            requests: { cpu: 500m, memory: 2Gi }
"""


@dataclass(slots=True)
class _Objects:
    """The objects of a text by kind."""

    groups: list[Fields] = field(default_factory=list)
    jobs: list[Fields] = field(default_factory=list)
    pods: list[Fields] = field(default_factory=list)


@dataclass(slots=True)
class _Gang:
    """Pods of which a minimum starts together."""

    name: str
    #: Where the minimum is stated, or else what it belongs to.
    place: Place
    minimum: Read[int] = None
    pods: list[PodDoc] = field(default_factory=list)
    #: The number of pods, if there is one of them for all.
    copies: int = 1

    @property
    def count(self) -> int:
        """The number of its pods."""
        return len(self.pods) * self.copies


@dataclass(slots=True)
class _Result:
    """The fields of the submission, with their places in the text."""

    job: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


def read_job(text: str | bytes, policy: Policy | None = None) -> JobReading:
    """
    Read *text*, which is YAML or JSON, as one workload.

    References to queues and priority classes are not checked against *policy*: a workload may be
    submitted before its queue exists.
    """
    with collector_paused():
        source = read_source(text, stream=True)
        result = _Result()
        if source.roots:
            with suppress(ReadingStopped):
                _read(_objects(source.roots, source.findings), source, result)
        diagnostics = source.findings.diagnostics()
        if source.findings.has_errors:
            return JobReading(diagnostics=diagnostics)
        places = {
            name: FieldPlace(path=each.path, span=source.positions.span(each.start, each.end))
            for name, each in result.places.items()
        }
        return JobReading(diagnostics=diagnostics, job=result.job, places=places)


def _objects(roots: Sequence[Node], findings: Findings) -> _Objects:
    found = _Objects()
    for index, root in enumerate(roots):
        path = f"[{index}]" if len(roots) > 1 else ""
        for node, own in _flat(root, path, findings):
            _sort(node, own, found, findings)
    return found


def _flat(root: Node, path: str, findings: Findings) -> Iterator[tuple[MapNode, str]]:
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
            yield from _flat(item, own, findings)
    else:
        yield root, path


def _sort(node: MapNode, path: str, found: _Objects, findings: Findings) -> None:
    kind, version = _text(node, "kind"), _text(node, "apiVersion")
    fields = Fields(node, path, Shape(kind or "an object", ()), findings, takes_any=True)
    by_kind = {"PodGroup": found.groups, "Job": found.jobs, "Pod": found.pods}
    if kind in by_kind and version == VERSIONS[kind]:
        by_kind[kind].append(fields)
        return
    place = fields.key_place("kind") or fields.place
    if kind in by_kind:
        shown = f"of version {shorten(version)} " if version else "without an apiVersion "
        message = f"A {kind} {shown}is not read."
        findings.add(
            NOT_A_WORKLOAD,
            fields.key_place("apiVersion") or place,
            message,
            f"Write {VERSIONS[kind]}.",
        )
    else:
        message = f"{shorten(kind) or 'An object without a kind'} is not part of a workload."
        hint = "A manifest has a Job, a Pod, or a PodGroup with its Pods."
        findings.add(NOT_A_WORKLOAD, place, message, hint)


def _text(node: MapNode, key: str) -> str:
    value = node.entries.get(key, (None, None))[1]
    return value.text if isinstance(value, ScalarNode) else ""


def _read(objects: _Objects, source: Source, result: _Result) -> None:
    findings = source.findings
    heads = [*objects.groups, *objects.jobs] or objects.pods
    if not heads:
        if not findings.has_errors:
            root = source.roots[0]
            message = "The text has no Job, Pod or PodGroup."
            findings.add(NOT_A_WORKLOAD, Place(root.start, root.end), message)
        return
    head, *others = heads
    if objects.jobs:
        others += objects.pods
    if others:
        second = others[0]
        place = second.key_place("kind") or second.place
        hint = "Submit each workload by itself."
        if not objects.groups and not objects.jobs:
            hint = "Add the PodGroup of these Pods, or submit each Pod by itself."
        findings.add(SEVERAL_WORKLOADS, place, "This is another workload.", hint)
        return
    if objects.groups:
        _read_group(head, objects.pods, result)
    elif objects.jobs:
        _read_batch_job(head, result)
    else:
        _read_head(head, (head,), result)
        _refuse_topology(head)
        _put_gangs([_gang_of(head, read_pod(head), 1)], result, findings)


def _gang_of(head: Fields, pod: PodDoc, copies: int) -> _Gang:
    place = head.key_place("spec") or head.place
    return _Gang(_POD_SET, place=place, pods=[pod], copies=copies)


def _read_head(head: Fields, labelled: Sequence[Fields], result: _Result) -> None:
    """
    Read the metadata of the workload.

    Queue, priority class and preemptibility are those of the first object in *labelled* that
    states them.
    """
    metadata = head.mapping_of_any("metadata")
    if metadata is None:
        place = head.key_place("kind") or head.place
        head.findings.add(NOT_A_MAPPING, place, "The workload has no metadata.", "Add its name.")
        return
    own, _ = metadata
    generated = own.text("generateName")
    name = own.text("name", required=generated is None)
    namespace = own.text("namespace")
    stated = [texts_of(nested(each, "metadata"), "labels") for each in labelled]
    tags = {key: each.value for key, each in stated[0].items()}
    for keys in (QUEUE_LABELS, (PRIORITY_LABEL,), (PREEMPTIBILITY_LABEL,)):
        if not any(key in tags for key in keys):
            found = ((key, each[key].value) for each in stated for key in keys if key in each)
            tags |= dict([first]) if (first := next(found, None)) else {}
    result.job |= {
        "name": value_of(name) or (value_of(generated) or "").rstrip("-"),
        "namespace": value_of(namespace) or _NAMESPACE,
        "tags": tags,
    }
    if tags.get(PREEMPTIBILITY_LABEL) in _PREEMPTIBILITY:
        result.job["preemptible"] = _PREEMPTIBILITY[tags[PREEMPTIBILITY_LABEL]]
    for key, read in (("name", name), ("namespace", namespace)):
        if isinstance(read, Written):
            result.places[key] = read.place
    labels = own.key_place("labels")
    if labels is not None:
        result.places["tags"] = labels


def _put_priority_class(spec: Fields | None, result: _Result) -> None:
    """Use the priority class of a spec, unless a label states one."""
    name = value_of(spec.text("priorityClassName", blank_is_absent=True)) if spec else None
    if name:
        result.job.get("tags", {}).setdefault(PRIORITY_LABEL, name)


def _read_batch_job(job: Fields, result: _Result) -> None:
    spec = nested(job, "spec")
    template = None if spec is None else nested(spec, "template")
    _read_head(job, (job, template) if template is not None else (job,), result)
    _refuse_topology(job)
    if spec is None or template is None:
        place = job.key_place("spec") or job.key_place("kind") or job.place
        job.findings.add(NOT_A_MAPPING, place, "The Job has no template of its pods.")
        return
    _put_priority_class(nested(template, "spec"), result)
    parallelism, completions = spec.priority("parallelism"), spec.priority("completions")
    copies = value_of(parallelism)
    copies = 1 if copies is None else copies
    copies = min(copies, value_of(completions) or copies)
    gang = _gang_of(job, read_pod(template), max(1, copies))
    stated = texts_of(nested(job, "metadata"), "annotations").get(MINIMUM_OF_JOB)
    if stated is None:
        # Without it, KAI starts each pod of a Job by itself.
        gang.minimum = Written(1, gang.place)
    elif _WHOLE.fullmatch(stated.value):
        gang.minimum, gang.place = Written(int(stated.value), stated.place), stated.place
    else:
        message = f'{MINIMUM_OF_JOB}: "{shorten(stated.value)}" is not a whole number.'
        job.findings.add(BAD_MINIMUM, stated.place, message, 'Write it like "2".')
    _put_gangs([gang], result, job.findings)


def _read_group(group: Fields, pods: list[Fields], result: _Result) -> None:
    findings, spec = group.findings, nested(group, "spec")
    _read_head(group, (group, *pods), result)
    _refuse_topology(group)
    if not pods:
        place = group.key_place("kind") or group.place
        message = "The PodGroup has no Pods."
        findings.add(NOT_A_WORKLOAD, place, message, "Add the Pods of the group to the text.")
        return
    if spec is not None and result.job:
        _put_spec_of_group(spec, result)
    for pod in pods:
        _refuse_topology(pod)
        if result.job:
            _put_priority_class(nested(pod, "spec"), result)
    _check_group_of_pods(pods, result.job.get("name", ""), findings)
    gangs = _gangs(group, spec)
    for pod in pods:
        _join(pod, gangs)
    for gang in gangs.values():
        if not gang.pods and not findings.has_errors:
            message = f'The subgroup "{shorten(gang.name)}" has no Pods.'
            findings.add(SUBGROUP_OF_POD, gang.place, message, "Add them, or remove it.")
    _put_gangs(list(gangs.values()), result, findings)


def _put_spec_of_group(spec: Fields, result: _Result) -> None:
    """Add queue, priority class and preemptibility of a PodGroup, which decide over labels."""
    tags = result.job["tags"]
    queue = value_of(spec.text("queue", blank_is_absent=True))
    if queue:
        tags[QUEUE_LABELS[0]] = queue
    name = value_of(spec.text("priorityClassName", blank_is_absent=True))
    if name:
        tags[PRIORITY_LABEL] = name
    preemptibility = value_of(spec.text("preemptibility", blank_is_absent=True))
    if preemptibility in _PREEMPTIBILITY:
        result.job["preemptible"] = _PREEMPTIBILITY[preemptibility]


def _check_group_of_pods(pods: list[Fields], name: str, findings: Findings) -> None:
    for pod in pods:
        stated = texts_of(nested(pod, "metadata"), "annotations").get(_GROUP_OF_POD)
        if stated is not None and stated.value != name:
            message = f'The Pod belongs to the PodGroup "{shorten(stated.value)}".'
            hint = f'The PodGroup of this text is "{shorten(name)}".'
            findings.add(SEVERAL_WORKLOADS, stated.place, message, hint)


def _gangs(group: Fields, spec: Fields | None) -> dict[str, _Gang]:
    """Return the groups that hold pods, by name; one without a name if there are no subgroups."""
    place = group.key_place("spec") or group.place
    if spec is None:
        return {"": _Gang(_POD_SET, place=place)}
    READER.refuse(spec, "topologyConstraint", "Topology constraints", _WITHOUT_TOPOLOGY)
    found: dict[str, _Gang] = {}
    parents = set()
    for each in items_of(spec, "subGroups"):
        READER.refuse(each, "topologyConstraint", "Topology constraints", _WITHOUT_TOPOLOGY)
        name, parent = each.text("name", required=True), each.text("parent", blank_is_absent=True)
        minimum = each.priority("minMember")
        if isinstance(parent, Written):
            parents.add(parent.value)
        if isinstance(name, Written) and name.value in found:
            message = f'Another subgroup is called "{shorten(name.value)}".'
            spec.findings.add(SUBGROUP_OF_POD, name.place, message, "Rename one of the two.")
        elif isinstance(name, Written):
            found[name.value] = _Gang(name.value, _place_of(minimum, name.place), minimum)
    if found:
        return {name: each for name, each in found.items() if name not in parents}
    minimum = spec.priority("minMember")
    return {"": _Gang(_POD_SET, _place_of(minimum, place), minimum)}


def _place_of(minimum: Read[int], other: Place) -> Place:
    return minimum.place if isinstance(minimum, Written) else other


def _join(pod: Fields, gangs: Mapping[str, _Gang]) -> None:
    """Add a Pod to its group."""
    doc = read_pod(pod)
    if "" in gangs:
        gangs[""].pods.append(doc)
        return
    label = texts_of(nested(pod, "metadata"), "labels").get(SUBGROUP_LABEL)
    if label is not None and label.value in gangs:
        gangs[label.value].pods.append(doc)
        return
    message = f"The Pod names no subgroup in the label {SUBGROUP_LABEL}."
    place = pod.key_place("metadata") or pod.place
    if label is not None:
        message = f'The PodGroup has no subgroup "{shorten(label.value)}" that holds Pods.'
        place = label.place
    pod.findings.add(SUBGROUP_OF_POD, place, message)


def _refuse_topology(head: Fields) -> None:
    for key, each in texts_of(nested(head, "metadata"), "annotations").items():
        if key in _TOPOLOGY:
            message = "Topology constraints are not supported."
            head.findings.add(NOT_SUPPORTED, each.place, message, _WITHOUT_TOPOLOGY)


def _put_gangs(gangs: list[_Gang], result: _Result, findings: Findings) -> None:
    """Add the pod sets of the submission, and where the text states them."""
    pod_sets: list[dict[str, Any]] = []
    for gang in gangs:
        if not gang.count:
            continue
        kinds: dict[str, list[PodDoc]] = {}
        for pod in gang.pods:
            kinds.setdefault(pod.key, []).append(pod)
        minimum = value_of(gang.minimum)
        minimum = 1 if minimum is None else minimum
        is_partial = minimum < gang.count
        problem = _problem(minimum, gang.count, len(kinds))
        if problem:
            findings.add(BAD_MINIMUM, gang.place, problem, "Change the minimum or the pods.")
        for index, pods in enumerate(kinds.values()):
            name = gang.name if not index else f"{gang.name}-{index + 1}"
            counts = {"count": len(pods) * gang.copies}
            if is_partial:
                counts["min_count"] = minimum
            own = f"pod_sets[{len(pod_sets)}]"
            result.places |= {own: pods[0].place, f"{own}.count": gang.place}
            pod_sets.append({"name": name, **counts, **pods[0].fields()})
    result.job["pod_sets"] = pod_sets


def _problem(minimum: int, count: int, kinds: int) -> str:
    """Return why a group with pods of so many *kinds* cannot have a minimum; "" if it can."""
    if not 1 <= minimum <= count:
        return f"The minimum is {minimum}, and the group has {_pods(count)}."
    if minimum == count:
        return ""
    if kinds > 1:
        return f"The minimum is {minimum} of {_pods(count)}, which do not request the same."
    return ""


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"
