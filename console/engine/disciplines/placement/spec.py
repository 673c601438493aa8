"""
The spec of the discipline: declared clusters, placement templates, plugins and their settings.

Amounts that clusters offer are not part of it: they come in as the inventory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Final, cast

from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.origin import Origin
from console.engine.model.plain_spec import PlainSpec
from console.engine.model.policy import Policy, Queue

#: The name of the only queue, in which all jobs wait in the order of their arrival.
QUEUE: Final = "jobs"


class Operator(StrEnum):
    """The operator of an expression about a label of a cluster."""

    IN = "In"
    #: Also satisfied by a cluster without the label.
    NOT_IN = "NotIn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A condition on one label of a cluster."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()
    #: Its place in the config, which two equal expressions need not share.
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A named filter or preference: a cluster satisfies it if all labels and expressions hold."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    expressions: tuple[Expression, ...] = ()
    #: Of a preference, from `MIN_WEIGHT` to `MAX_WEIGHT`; without meaning for a filter.
    weight: int = 1
    #: As that of an expression.
    origin: Origin | None = field(default=None, compare=False, repr=False)


#: The weight of a cluster that satisfies no preference, and the largest one.
MIN_WEIGHT: Final = 1
MAX_WEIGHT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a job may go, and which of these clusters it prefers."""

    #: A cluster has to satisfy at least one; empty: every cluster may be used.
    filters: tuple[Criterion, ...] = ()
    #: The largest weight of the satisfied ones counts.
    preferences: tuple[Criterion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A placement that submissions refer to by its name."""

    name: str
    placement: Placement
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCluster:
    """A cluster that the config names, with labels that override reported ones key by key."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    #: Kind of its manager, such as ``k8s`` or ``slurm``; None: not stated.
    manager: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPolicy:
    """Clusters that jobs with certain labels may use; it applies if its plugin is listed."""

    name: str
    #: Labels that a job has to have; without any, the policy applies to no job.
    job_labels: Mapping[str, str] = field(default_factory=dict)
    #: Names of the clusters that remain; empty: none remains.
    include: tuple[str, ...] = ()
    #: Names of clusters that are removed from those.
    exclude: tuple[str, ...] = ()
    origin: Origin | None = None


class OnUnplaceable(StrEnum):
    """The result for a job that no cluster can take now."""

    #: It waits, and is placed when capacity or labels change.
    WAIT = "wait"
    #: It is rejected at once, as SkyShift does.
    FAIL = "fail"


class Reserve(StrEnum):
    """Whether a placed job reduces what its nodes offer to later jobs."""

    #: From its placement to its end.
    IMMEDIATE = "immediate"
    #: Only reports of clusters reduce the offer, as in SkyShift: jobs placed between two reports
    #: may use the same capacity.
    NONE = "none"


class GpuRule(StrEnum):
    """How a request for ``gpus`` without a model is compared with a node."""

    #: With the sum of its generic and named accelerators.
    INTENDED = "intended"
    #: As SkyShift does: the request is dropped if it exceeds the named accelerators of the node.
    SKYSHIFT_HEAD = "skyshift_head"


class Rank(StrEnum):
    """The order of the clusters that may take a job."""

    #: By the weight of preferences, and by free capacity among clusters of equal weight.
    LEXICOGRAPHIC = "lexicographic"
    #: By capacity times weight, as in SkyShift: a large cluster may precede a preferred one.
    PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginUse:
    """A plugin of the scheduler, in the order in which plugins are asked."""

    name: str
    #: Factor of its score.
    weight: int = 1
    origin: Origin | None = None


#: Names of the plugins that are part of the discipline, as in SkyShift.
DEFAULT_PLUGIN: Final = "DefaultPlugin"
AFFINITY_PLUGIN: Final = "ClusterAffinityPluginV2"
FILTER_POLICY_PLUGIN: Final = "ClusterAffinityPlugin"

#: The plugins that a config may list.
PLUGINS: Final = frozenset((DEFAULT_PLUGIN, AFFINITY_PLUGIN, FILTER_POLICY_PLUGIN))

#: The plugins of a config that lists none.
STANDARD_PLUGINS: Final = (PluginUse(name=DEFAULT_PLUGIN), PluginUse(name=AFFINITY_PLUGIN))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementQueue(Queue):
    """The queue of all jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementSpec(PlainSpec):
    """The clusters, templates, filter policies and scheduler settings of a config."""

    discipline: ClassVar[str] = "placement"

    #: The queue of all jobs; empty without a config.
    queues: Mapping[str, PlacementQueue] = field(default_factory=dict)
    clusters: Mapping[str, DeclaredCluster] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    filter_policies: Mapping[str, FilterPolicy] = field(default_factory=dict)
    plugins: tuple[PluginUse, ...] = STANDARD_PLUGINS
    on_unplaceable: OnUnplaceable = OnUnplaceable.WAIT
    reserve: Reserve = Reserve.IMMEDIATE
    gpu_rule: GpuRule = GpuRule.INTENDED
    rank: Rank = Rank.LEXICOGRAPHIC
    #: Of the scheduler's settings; None if the text has none.
    settings_origin: Origin | None = None

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """An empty mapping: no node contains the queue."""
        return {}

    @property
    def capacity_names(self) -> Collection[str]:
        """The names of the declared clusters."""
        return self.clusters.keys()

    def labels_of(self, cluster: str, reported: Mapping[str, str]) -> dict[str, str]:
        """Return the labels of *cluster*: declared ones override *reported* ones, key by key."""
        declared = self.clusters.get(cluster)
        return {**reported, **(declared.labels if declared is not None else {})}

    @property
    def object_count(self) -> int:
        """The number of clusters, templates and filter policies."""
        return len(self.clusters) + len(self.templates) + len(self.filter_policies)

    def path(self, queue: str) -> tuple[str, ...]:
        """Return nothing: no node is above the queue."""
        return ()

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return everything: all jobs may use all clusters."""
        return {"queue": {queue}, "cluster": set(self.clusters)}

    def missing_reference(self, queue: str) -> str | None:
        """Return None: the queue refers to nothing."""
        return None

    def resources(self) -> tuple[str, ...]:
        """Return nothing: the config limits no resource."""
        return ()

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return nothing: the config guarantees no amount."""
        return {}


def placement_of(policy: Policy) -> PlacementSpec:
    """Return the spec of a policy of this discipline."""
    return cast(PlacementSpec, policy.spec)
