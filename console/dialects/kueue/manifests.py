"""Finds the manifests of a stream, a List or a ConfigMap, by kind and apiVersion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from console.dialects.codes import MISSING_KEY, NOT_A_LIST, NOT_A_MAPPING
from console.dialects.embedded import read_embedded
from console.dialects.fields import Shape
from console.dialects.findings import Findings, Place
from console.dialects.kueue.codes import DUPLICATE_OBJECT, UNKNOWN_KIND, UNKNOWN_VERSION
from console.dialects.kueue.lint_codes import NOT_READ
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.repairs import did_you_mean, replace
from console.dialects.wording import listed, shorten

GROUP: Final = "kueue.x-k8s.io"
CONFIG_GROUP: Final = f"config.{GROUP}"
#: The operator that installs Kueue on OpenShift.
OPENSHIFT_GROUP: Final = "kueue.openshift.io"
#: The key of the ConfigMap from which Kueue's controller reads its Configuration.
CONFIG_FILE: Final = "controller_manager_config.yaml"
_BETA: Final = ("v1beta2", "v1beta1")

#: Kind -> its group, and the supported versions, the newest first.
KINDS: Final = {
    "ResourceFlavor": (GROUP, _BETA),
    "Cohort": (GROUP, (*_BETA, "v1alpha1")),
    "ClusterQueue": (GROUP, _BETA),
    "LocalQueue": (GROUP, _BETA),
    "WorkloadPriorityClass": (GROUP, _BETA),
    "Namespace": ("", ("v1",)),
    "Configuration": (CONFIG_GROUP, _BETA),
    "Kueue": (OPENSHIFT_GROUP, ("v1", "v1alpha1")),
}
#: Kinds whose names other API groups also use.
_COMMON_WORDS: Final = ("Configuration", "Kueue")
#: Other kinds of Kueue's CustomResourceDefinitions, in any version, which are not read.
OTHER_KINDS: Final = (
    "AdmissionCheck",
    "CapacityProvider",
    "ClusterQueueBinding",
    "DynamicQuotaOrchestrator",
    "DynamicResourceAllocationConfig",
    "MultiKueueCluster",
    "MultiKueueConfig",
    "PreemptionConfig",
    "ProvisioningRequestConfig",
    "SpecifiedCapacity",
    "Topology",
    "Workload",
)


#: Those of them that request unsupported behavior, for which there is a finding of its own.
UNSUPPORTED_KINDS: Final = ("AdmissionCheck", "Topology")


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object of Kueue, or a Namespace."""

    kind: str
    version: str
    node: MapNode
    path: str
    #: The number of its document in the stream, from 0.
    document: int


@dataclass(slots=True)
class Manifests:
    """Finds the objects of a text, and reports values that are not objects."""

    findings: Findings
    #: Whether every possible object of Kueue was recognized.
    all_known: bool = True
    #: Ids of the scalars of ConfigMaps that were read; aliases may reach one again.
    _files: set[int] = field(default_factory=set)

    def each(self, roots: Sequence[Node]) -> Iterator[Manifest]:
        """Yield the objects of all documents, in the order of the text."""
        for index, root in enumerate(roots):
            path = f"[{index}]" if len(roots) > 1 else ""
            yield from self._objects(root, path, index)

    def _objects(self, node: Node, path: str, document: int) -> Iterator[Manifest]:
        if isinstance(node, ScalarNode) and node.is_null:
            return
        if not isinstance(node, MapNode):
            self.all_known = False
            if not isinstance(node, UnreadNode):
                what = "a list" if isinstance(node, ListNode) else "text"
                self.findings.add(
                    NOT_A_MAPPING,
                    Place(node.start, node.end, path),
                    f"A manifest is a mapping, not {what}.",
                    "It begins with apiVersion and kind.",
                )
            return
        kind, version = self._scalar(node, "kind"), self._scalar(node, "apiVersion")
        if kind is None:
            self.all_known = False
            self._note_missing(node, path, "kind")
        elif kind.text.endswith("List"):
            yield from self._items(node, path, document)
        elif version is None:
            self.all_known = False
            self._note_missing(node, path, "apiVersion")
        elif (kind.text, version.text) == ("ConfigMap", "v1"):
            yield from self._config_map(node, kind, path, document)
        elif (manifest := self._manifest(node, kind, version, path, document)) is not None:
            yield manifest

    def _items(self, node: MapNode, path: str, document: int) -> Iterator[Manifest]:
        own = f"{path}.items" if path else "items"
        items = node.entries.get("items", (None, None))[1]
        if isinstance(items, ListNode):
            for index, item in enumerate(items.items):
                yield from self._objects(item, f"{own}[{index}]", document)
        elif items is None:
            self.all_known = False
            self._note_missing(node, path, "items")
        elif not isinstance(items, UnreadNode) and not _is_null(items):
            self.all_known = False
            place = Place(items.start, items.end, own)
            self.findings.add(NOT_A_LIST, place, "items must be a list of manifests.")

    def _config_map(
        self, node: MapNode, kind: ScalarNode, path: str, document: int
    ) -> Iterator[Manifest]:
        """Yield the Configuration in the file that Kueue's controller reads, if it is present."""
        data = node.entries.get("data", (None, None))[1]
        file = data.entries.get(CONFIG_FILE) if isinstance(data, MapNode) else None
        text = file[1] if file is not None else None
        if not isinstance(text, ScalarNode) or CONFIG_GROUP not in text.text:
            place = Place(kind.start, kind.end, _join(path, "kind"))
            self.findings.add(
                NOT_READ, place, f"ConfigMap without {CONFIG_FILE} of Kueue is not read."
            )
            return
        if id(text) in self._files:
            place = Place(kind.start, kind.end, _join(path, "kind"))
            message = "This ConfigMap repeats the Configuration of another one; Kueue has one."
            self.findings.add(DUPLICATE_OBJECT, place, message, "Remove one of them.")
            return
        self._files.add(id(text))
        embedded = read_embedded(text, self.findings)
        own = _join(path, f"data.{CONFIG_FILE}")
        manifest = None if embedded is None else self._configuration(embedded.root, own, document)
        if manifest is not None:
            yield manifest

    def _configuration(self, root: Node, path: str, document: int) -> Manifest | None:
        """Return the Configuration in a file of Kueue's controller, or None."""
        if not isinstance(root, MapNode):
            if not isinstance(root, UnreadNode):
                place = Place(root.start, root.end, path)
                self.findings.add(NOT_A_MAPPING, place, "The file must hold a Configuration.")
            return None
        kind, version = self._scalar(root, "kind"), self._scalar(root, "apiVersion")
        if kind is None or version is None:
            self._note_missing(root, path, "kind" if kind is None else "apiVersion")
            return None
        manifest = self._manifest(root, kind, version, path, document)
        return manifest if manifest is not None and manifest.kind == "Configuration" else None

    def _manifest(
        self, node: MapNode, kind: ScalarNode, api: ScalarNode, path: str, document: int
    ) -> Manifest | None:
        group, _, version = api.text.rpartition("/")
        if kind.text in KINDS:
            own_group, versions = KINDS[kind.text]
            if group == own_group and version in versions:
                return Manifest(kind.text, version, node, path, document)
            if group in (GROUP, own_group, "") or kind.text not in _COMMON_WORDS:
                self._note_version(kind.text, api, _join(path, "apiVersion"))
                return None
        place = Place(kind.start, kind.end, _join(path, "kind"))
        if group in (GROUP, CONFIG_GROUP) and kind.text not in OTHER_KINDS:
            self.all_known = False
            hint, repairs = did_you_mean(self.findings, place, kind.text, KINDS)
            own = [name for name, (own_group, _) in KINDS.items() if own_group == group]
            self.findings.add(
                UNKNOWN_KIND,
                place,
                f'"{shorten(kind.text)}" is not a kind of {shorten(api.text)}.',
                hint or f"It has {listed(own, 'and')}.",
                repairs,
            )
            return None
        found = Manifest(kind.text, version, node, path, document)
        if group == GROUP and kind.text in UNSUPPORTED_KINDS:
            return found
        self.findings.add(
            NOT_READ,
            place,
            f"{shorten(kind.text)} of {shorten(api.text)} is not read.",
        )
        return found if group == GROUP else None

    def _note_version(self, kind: str, api: ScalarNode, path: str) -> None:
        self.all_known = False
        group, versions = KINDS[kind]
        known = [f"{group}/{version}" if group else version for version in versions]
        place = Place(api.start, api.end, path)
        self.findings.add(
            UNKNOWN_VERSION,
            place,
            f'"{shorten(api.text)}" is not an apiVersion of {kind} that is read; '
            f"write {listed(known)}.",
            "",
            (replace(place, known[0]),),
        )

    def _scalar(self, node: MapNode, key: str) -> ScalarNode | None:
        """Return the value of *key* in any letter case; the reader reports a wrong case later."""
        entry = node.entries.get(key)
        if entry is None:
            alike = (e for text, e in node.entries.items() if text.casefold() == key.casefold())
            entry = next(alike, None)
        value = entry[1] if entry is not None else None
        return value if isinstance(value, ScalarNode) and value.text.strip() else None

    def _note_missing(self, node: MapNode, path: str, key: str) -> None:
        entry = node.entries.get(key)
        first: Node = next((name for name, _ in node.entries.values()), node)
        if entry is not None:
            first = entry[1]
            if isinstance(first, UnreadNode):
                return
        self.findings.add(
            MISSING_KEY,
            Place(first.start, first.end, _join(path, key)),
            f'A manifest needs "{key}", which is missing here.',
            "A manifest begins with apiVersion and kind; a List of them has items.",
        )


#: The fields of every manifest.
HEADER: Final = ("apiVersion", "kind", "metadata")
METADATA: Final = Shape(
    "metadata",
    (
        *("name", "namespace", "labels", "annotations", "generateName"),
        *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers"),
        *("generation", "managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"),
    ),
)
#: Present while the object is being deleted.
DELETED: Final = "deletionTimestamp"
#: Fields of metadata that the API server sets and that are not read.
SERVER_FILLED: Final = tuple(key for key in METADATA.keys[5:] if key != DELETED)
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.is_null
