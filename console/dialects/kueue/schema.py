"""Kueue's objects as written: every field that is read, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.kueue.words import (
    BorrowPolicy,
    FlavorPreference,
    FlavorSearch,
    QueueingStrategy,
    QuotaCheck,
    Reclaim,
    SelectorOperator,
    SharingStrategy,
    Stop,
    TolerationOperator,
    WithinQueue,
)
from console.dialects.quantity import Quantity
from console.dialects.written import Read, Unread, Written
from console.engine.model.nodes import TaintEffect
from console.engine.model.unsupported_settings import Unsupported

#: Labels by key, each with the places of both.
Labels: TypeAlias = Read[tuple[tuple[Written[str], Read[str]], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaintDoc:
    """One of a flavor's ``nodeTaints``."""

    place: Place
    key: Read[str]
    value: Read[str]
    effect: Read[TaintEffect]


@dataclass(frozen=True, slots=True, kw_only=True)
class TolerationDoc:
    """One of a flavor's ``tolerations``."""

    place: Place
    key: Read[str]
    operator: Read[TolerationOperator]
    value: Read[str]
    effect: Read[TaintEffect]
    seconds: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorDoc:
    """A ResourceFlavor."""

    place: Place
    name: Read[str]
    deleted: Place | None
    node_labels: Labels
    taints: Read[tuple[TaintDoc, ...]]
    tolerations: Read[tuple[TolerationDoc, ...]]
    topology: Read[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDoc:
    """The quota of one resource in one flavor."""

    place: Place
    name: Read[str]
    nominal: Read[Quantity]
    borrowing: Read[Quantity]
    lending: Read[Quantity]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaDoc:
    """One flavor inside a resource group."""

    place: Place
    name: Read[str]
    #: None if the list is invalid.
    resources: tuple[ResourceDoc | Unread, ...] | None

    def each(self) -> Iterator[ResourceDoc]:
        """Yield the valid resources."""
        for resource in self.resources or ():
            if isinstance(resource, ResourceDoc):
                yield resource


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDoc:
    """One resource group of a queue or a cohort."""

    place: Place
    covered: Read[tuple[Read[str], ...]]
    flavors: Read[tuple[QuotaDoc, ...]]

    def quotas(self) -> tuple[QuotaDoc, ...]:
        """Return the valid flavors."""
        return self.flavors.value if isinstance(self.flavors, Written) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionDoc:
    """One expression of a label selector."""

    place: Place
    key: Read[str]
    operator: Read[SelectorOperator]
    values: Read[tuple[Read[str], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorDoc:
    """A label selector: labels and expressions must all match."""

    labels: Labels
    expressions: tuple[ExpressionDoc, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FungibilityDoc:
    """The ``flavorFungibility`` of a queue, in the words of v1beta2."""

    place: Place
    when_can_borrow: Read[FlavorSearch]
    when_can_preempt: Read[FlavorSearch]
    preference: Read[FlavorPreference]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionDoc:
    """The ``preemption`` of a queue."""

    place: Place
    within_queue: Read[WithinQueue]
    reclaim: Read[Reclaim]
    borrow: Read[BorrowPolicy]
    threshold: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRuleDoc:
    """One rule of ``admissionChecksStrategy``."""

    place: Place
    name: Read[str]
    on_flavors: Read[tuple[Read[str], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDoc:
    """A node of the quota tree: the common fields of a ClusterQueue and a Cohort."""

    place: Place
    name: Read[str]
    #: The place of its deletionTimestamp; None if it is not being deleted. Same in other objects.
    deleted: Place | None
    #: The parent cohort, from the field of the version.
    parent: Read[str]
    resource_groups: Read[tuple[GroupDoc, ...]]
    weight: Read[Quantity]

    @property
    def groups(self) -> tuple[GroupDoc, ...]:
        """The valid resource groups."""
        return self.resource_groups.value if isinstance(self.resource_groups, Written) else ()

    def quotas(self) -> Iterator[QuotaDoc]:
        """Yield the flavors of all groups in order."""
        for group in self.groups:
            yield from group.quotas()


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortDoc(NodeDoc):
    """A Cohort."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDoc(NodeDoc):
    """A ClusterQueue."""

    #: The place of the fields of its spec; None without a spec.
    spec: Place | None
    strategy: Read[QueueingStrategy]
    namespaces: Read[SelectorDoc]
    fungibility: FungibilityDoc | None
    preemption: PreemptionDoc | None
    stop: Read[Stop]
    checks: Read[tuple[CheckRuleDoc, ...]]
    #: The place of ``concurrentAdmissionPolicy``.
    concurrent_admission: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueDoc:
    """A LocalQueue."""

    place: Place
    name: Read[str]
    deleted: Place | None
    #: ``default`` if none is written, as in kubectl.
    namespace: Read[str]
    #: The ClusterQueue; the schema allows its absence, and then nothing is admitted.
    queue: Read[str]
    stop: Read[Stop]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityClassDoc:
    """A WorkloadPriorityClass."""

    place: Place
    name: Read[str]
    deleted: Place | None
    value: Read[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceDoc:
    """A Namespace, of which only the labels are read."""

    place: Place
    name: Read[str]
    deleted: Place | None
    labels: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationDoc:
    """The settings of Kueue's Configuration that affect admission."""

    place: Place
    #: The place of ``fairSharing``; None if it is absent or not enabled.
    fair_sharing: Place | None
    strategies: Read[tuple[Written[SharingStrategy], ...]]
    quota_check: Read[QuotaCheck]
    #: The values of feature gates, by name.
    gates: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedDoc:
    """A setting of an object that has no effect, with its place."""

    #: Kind and name of the object; an empty name for the Configuration.
    owner: tuple[str, str]
    kind: Unsupported
    names: tuple[str, ...] = ()
    place: Place


ObjectDoc: TypeAlias = (
    FlavorDoc | CohortDoc | QueueDoc | LocalQueueDoc | PriorityClassDoc | NamespaceDoc
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """All objects of a text, by kind, in the order of the text."""

    flavors: tuple[FlavorDoc, ...] = ()
    cohorts: tuple[CohortDoc, ...] = ()
    queues: tuple[QueueDoc, ...] = ()
    local_queues: tuple[LocalQueueDoc, ...] = ()
    priority_classes: tuple[PriorityClassDoc, ...] = ()
    namespaces: tuple[NamespaceDoc, ...] = ()
    configurations: tuple[ConfigurationDoc, ...] = ()
    #: Settings of these objects that have no effect.
    unsupported: tuple[UnsupportedDoc, ...] = ()
    #: False if a possible object was not recognized.
    manifests_known: bool = True

    def nodes(self) -> Iterator[QueueDoc | CohortDoc]:
        """Yield the objects that can have quota: queues and cohorts."""
        yield from self.queues
        yield from self.cohorts

    def objects(self) -> Iterator[ObjectDoc]:
        """Yield the objects with names, kind by kind."""
        yield from self.flavors
        yield from self.cohorts
        yield from self.queues
        yield from self.local_queues
        yield from self.priority_classes
        yield from self.namespaces

    def gate(self, name: str) -> bool:
        """Return whether the first Configuration turns the feature gate *name* on."""
        return any(each.gates.get(name, False) for each in self.configurations[:1])

    def all_known(self) -> bool:
        """Return whether every object and its name is valid."""
        return self.manifests_known and not any(
            isinstance(each.name, Unread) for each in self.objects()
        )
