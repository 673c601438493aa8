"""
Settings of Kueue that have no effect here: a warning for each, and a fact for the policy.

They are searched in the manifests independently of the parser, so they are also reported for a text
with errors. Values that violate Kueue's schema are ignored here, because the parser reports them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from console.dialects.findings import Findings, Place
from console.dialects.kueue.feature_gates import OFF, ON, unsupported_behavior
from console.dialects.kueue.lint_codes import NOT_ACTED_ON, SETTINGS_NOT_USED
from console.dialects.kueue.manifests import Manifest
from console.dialects.kueue.schema import UnsupportedDoc
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.wording import listed, shorten
from console.engine.model.unsupported_settings import Unsupported

#: Labels and annotations of Kueue that request unsupported features. Submissions have labels only,
#: so annotations of a migrated job are labels.
LABELS: Final = {
    "kueue.x-k8s.io/elastic-job": Unsupported.LABELED_ELASTIC_SIZE,
    "kueue.x-k8s.io/podset-required-topology": Unsupported.LABELED_TOPOLOGY,
    "kueue.x-k8s.io/podset-preferred-topology": Unsupported.LABELED_TOPOLOGY,
    "kueue.x-k8s.io/podset-unconstrained-topology": Unsupported.LABELED_TOPOLOGY,
}
#: The label with a maximum run time, which is supported.
RUN_TIME_LABEL: Final = "kueue.x-k8s.io/max-exec-time-seconds"
_AT_ONCE: Final = "workloads are admitted at once"
_ANYWHERE: Final = "pods may run on any node of their flavor"
_BY_PRIORITY: Final = (
    "past usage of LocalQueues does not count; workloads wait by priority and time of submission"
)
_AS_SUBMITTED: Final = "requests count as they were submitted"


def find_unsupported(manifest: Manifest, findings: Findings) -> list[UnsupportedDoc]:
    """Report every unsupported setting of *manifest*, and return those that the policy needs."""
    find = _FINDERS.get(manifest.kind)
    return list(find(_Object(manifest, findings))) if find is not None else []


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of an object: its path, its key and its value."""

    path: str
    key: ScalarNode
    value: Node

    @property
    def place(self) -> Place:
        return Place(self.key.start, self.key.end, self.path)

    @property
    def items(self) -> tuple[Node, ...]:
        """The items of a list; empty for other values."""
        return tuple(self.value.items) if isinstance(self.value, ListNode) else ()

    @property
    def entries(self) -> dict[str, tuple[ScalarNode, Node]]:
        """The fields of a mapping; empty for other values."""
        return self.value.entries if isinstance(self.value, MapNode) else {}

    @property
    def is_empty(self) -> bool:
        """Whether the value is null or an empty list or mapping."""
        if isinstance(self.value, ScalarNode):
            return self.value.is_null
        return not (self.items or self.entries)


@dataclass(frozen=True, slots=True)
class _Object:
    """An object whose unsupported fields are searched."""

    manifest: Manifest
    findings: Findings
    #: Path from the manifest to the searched settings.
    root: tuple[str, ...] = ()

    def field(self, *keys: str) -> _Field | None:
        """Return the field at the path *keys*; None if it is absent."""
        node: Node = self.manifest.node
        path, found = self.manifest.path, None
        for key in (*self.root, *keys):
            entry = node.entries.get(key) if isinstance(node, MapNode) else None
            if entry is None:
                return None
            path = f"{path}.{key}" if path else key
            found, node = _Field(path, *entry), entry[1]
        return found

    def set(self, *keys: str) -> _Field | None:
        """Return the field at the path *keys*; None if it is absent or empty."""
        found = self.field(*keys)
        return None if found is None or found.is_empty else found

    def text(self, *keys: str) -> str:
        """Return the text at the path *keys*; "" if there is none."""
        found = self.field(*keys)
        return _text(found.value) if found is not None else ""

    @property
    def _name(self) -> str:
        return self.text("metadata", "name")

    def note(self, field: _Field, instead: str) -> None:
        """Warn that *field* is not supported, and describe the behavior *instead*."""
        name = field.path.rpartition(".")[2]
        self.findings.add(NOT_ACTED_ON, field.place, f"{name} is not supported: {instead}.")

    def doc(self, field: _Field, kind: Unsupported, *names: str) -> UnsupportedDoc:
        """Return the fact about *field* for the policy."""
        # An operator's object stands for the Configuration that the operator generates.
        owner = ("Configuration", "") if self.root else (self.manifest.kind, self._name)
        return UnsupportedDoc(owner=owner, kind=kind, names=names, place=field.place)


def _queue(queue: _Object) -> Iterator[UnsupportedDoc]:
    version = queue.manifest.version
    checks = queue.set("spec", "admissionChecks")
    if checks is not None and version == "v1beta1":
        yield from _checks(queue, checks, [_text(item) for item in checks.items])
    strategy = queue.set("spec", "admissionChecksStrategy")
    rules = queue.set("spec", "admissionChecksStrategy", "admissionChecks")
    if strategy is not None and rules is not None:
        named = [_text(_value(rule, "name")) for rule in rules.items]
        yield from _checks(queue, strategy, named)
    scope = queue.field("spec", "admissionScope")
    mode = queue.text("spec", "admissionScope", "admissionMode")
    if scope is not None and mode == "UsageBasedAdmissionFairSharing":
        queue.note(scope, _BY_PRIORITY)
        yield queue.doc(scope, Unsupported.PAST_USAGE)
    concurrent = queue.field("spec", "concurrentAdmissionPolicy")
    if version != "v1beta1" and concurrent is not None and isinstance(concurrent.value, MapNode):
        queue.note(concurrent, "a workload is tried in one flavor at a time")
        yield queue.doc(concurrent, Unsupported.CONCURRENT_FLAVORS)


def _checks(queue: _Object, field: _Field, names: list[str]) -> Iterator[UnsupportedDoc]:
    known = tuple(dict.fromkeys(filter(None, names)))
    if not known:
        return
    shown = listed([shorten(name) for name in known[:3]] + ["others"] * (len(known) > 3), "and")
    what = f"check {shown} is" if len(known) == 1 else f"checks {shown} are"
    queue.note(field, f"{_AT_ONCE}; {what} ignored")
    yield queue.doc(field, Unsupported.ADMISSION_CHECKS, *known)


def _flavor(flavor: _Object) -> Iterator[UnsupportedDoc]:
    topology, name = flavor.set("spec", "topologyName"), flavor.text("spec", "topologyName")
    if topology is not None and name:
        flavor.note(topology, "pods may run on any node of the flavor")
        yield flavor.doc(topology, Unsupported.TOPOLOGY, name)


def _local_queue(local: _Object) -> Iterator[UnsupportedDoc]:
    sharing = local.field("spec", "fairSharing")
    if sharing is not None and isinstance(sharing.value, MapNode):
        local.note(sharing, _BY_PRIORITY)
    return iter(())


def _configuration(settings: _Object) -> Iterator[UnsupportedDoc]:
    ready = settings.set("waitForPodsReady")
    # v1beta1 has a switch, which is off by default; in v1beta2 the setting's presence turns it on.
    switch = settings.text("waitForPodsReady", "enable")
    needs_switch = settings.manifest.version != "v1beta2"
    if ready is not None and needs_switch and not switch:
        settings.findings.add(
            SETTINGS_NOT_USED,
            ready.place,
            "waitForPodsReady is off: in v1beta1 it needs enable: true.",
        )
    elif ready is not None and (not needs_switch or switch == "true"):
        settings.note(
            ready,
            "a workload holds its quota from its admission to its end, whether its pods become "
            "ready or not, and no admission waits for them",
        )
        yield settings.doc(ready, Unsupported.PODS_READY)
    usage = settings.set("admissionFairSharing")
    if usage is not None:
        settings.note(usage, _BY_PRIORITY)
    _gates(settings)
    excluded = settings.set("resources", "excludeResourcePrefixes")
    if excluded is not None:
        settings.note(excluded, f"{_AS_SUBMITTED}, resources with these prefixes, too")
        names = tuple(filter(None, map(_text, excluded.items)))
        yield settings.doc(excluded, Unsupported.EXCLUDED_RESOURCES, *names)
    transformed = settings.set("resources", "transformations")
    if transformed is not None:
        settings.note(transformed, f"{_AS_SUBMITTED}; none is counted as another")
        names = tuple(filter(None, (_text(_value(each, "input")) for each in transformed.items)))
        yield settings.doc(transformed, Unsupported.TRANSFORMATIONS, *names)
    devices = settings.set("resources", "deviceClassMappings")
    if devices is not None:
        settings.note(devices, f"{_AS_SUBMITTED}; claimed devices do not count")


def _gates(settings: _Object) -> None:
    gates = settings.field("featureGates")
    for name, (key, value) in gates.entries.items() if gates is not None else ():
        assert gates is not None, "the field has entries"
        place = _Field(f"{gates.path}.{name}", key, value).place
        word = _text(value).lower()
        instead = unsupported_behavior(name, word == "true") if word in ("true", "false") else None
        if name not in ON and name not in OFF:
            settings.findings.add(
                SETTINGS_NOT_USED, place, f"Feature gate {shorten(name)} is not used."
            )
        elif instead is not None:
            settings.findings.add(
                NOT_ACTED_ON, place, f"{name}: {word} is not supported: {instead}."
            )


def _operator(operator: _Object) -> Iterator[UnsupportedDoc]:
    if operator.manifest.version == "v1alpha1":
        yield from _configuration(replace(operator, root=("spec", "config")))


def _check_object(check: _Object) -> Iterator[UnsupportedDoc]:
    _note_object(check, f"{_AT_ONCE}; this check is ignored")
    return iter(())


def _topology_object(topology: _Object) -> Iterator[UnsupportedDoc]:
    _note_object(topology, _ANYWHERE)
    return iter(())


def _note_object(each: _Object, instead: str) -> None:
    kind = each.field("kind")
    assert kind is not None, "every manifest has a kind"
    place = Place(kind.value.start, kind.value.end, kind.path)
    name = shorten(each.text("metadata", "name"))
    what = f'{each.manifest.kind} "{name}"' if name else f"This {each.manifest.kind}"
    each.findings.add(NOT_ACTED_ON, place, f"{what} is not supported: {instead}.")


def _workload(workload: _Object) -> Iterator[UnsupportedDoc]:
    active = workload.field("spec", "active")
    if active is not None and _text(active.value).lower() == "false":
        workload.note(active, "Workload objects are not read; deactivate the workload instead")
    limit = workload.set("spec", "maximumExecutionTimeSeconds")
    if limit is not None:
        instead = f"Workload objects are not read; submit it with label {RUN_TIME_LABEL}"
        workload.note(limit, instead)
    pod_sets = workload.field("spec", "podSets")
    for index, pod_set in enumerate(pod_sets.items if pod_sets is not None else ()):
        entry = pod_set.entries.get("topologyRequest") if isinstance(pod_set, MapNode) else None
        if pod_sets is not None and entry is not None:
            workload.note(_Field(f"{pod_sets.path}[{index}].topologyRequest", *entry), _ANYWHERE)
    return iter(())


_FINDERS: Final[dict[str, Callable[[_Object], Iterator[UnsupportedDoc]]]] = {
    "ClusterQueue": _queue,
    "ResourceFlavor": _flavor,
    "LocalQueue": _local_queue,
    "Configuration": _configuration,
    "Kueue": _operator,
    "AdmissionCheck": _check_object,
    "Topology": _topology_object,
    "Workload": _workload,
}


def _value(node: Node, key: str) -> Node | None:
    entry = node.entries.get(key) if isinstance(node, MapNode) else None
    return entry[1] if entry is not None else None


def _text(node: Node | None) -> str:
    """Return the text of a scalar, stripped; "" for other nodes."""
    return "" if not isinstance(node, ScalarNode) or node.is_null else node.text.strip()
