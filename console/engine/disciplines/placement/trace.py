"""Facts of the discipline in the trace of a workload: the verdict on every cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from console.engine.model.trace import FailedExpression, Trace
from console.engine.model.trace_sections import TraceSection, register_section


class ClusterStage(StrEnum):
    """The stage that removed a cluster, or that none did."""

    KEPT = "kept"
    #: The cluster accepts no pods now.
    NOT_READY = "not_ready"
    #: No node of it fits one replica.
    CAPACITY = "capacity"
    #: It satisfies no filter of the job.
    AFFINITY = "affinity"
    #: A filter policy of the config removes it.
    FILTER_POLICY = "filter_policy"
    #: An installed plugin removes it.
    PLUGIN = "plugin"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedFilter:
    """A filter of the job with its first condition that a cluster does not satisfy."""

    name: str
    failed: FailedExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginWords:
    """The sentence of an installed plugin, about a cluster or about its own failure."""

    plugin: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginScore:
    """The score that an installed plugin gives a cluster."""

    plugin: str
    #: A whole number, or a ratio such as ``3/2``; without the factor.
    score: str
    #: The weight of the plugin.
    factor: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStep:
    """The verdict on one cluster for one pod set."""

    cluster: str
    stage: ClusterStage = ClusterStage.KEPT
    #: Capacity score in thousandths: CPUs, and each accelerator as ten.
    score: int = 0
    #: The largest weight of the preferences that the cluster satisfies.
    weight: int = 0
    #: Number of replicas that go, or would go, to the cluster.
    replicas: int = 0
    #: The node that comes closest to one replica, or to a further one if the cluster remains, and
    #: what it lacks, in thousandths; None: not determined.
    node: str | None = None
    lacks: Mapping[str, int] = field(default_factory=dict)
    #: Whether an empty node would fit one replica.
    could_fit: bool = True
    #: For the stages NOT_READY and CAPACITY: whether its labels would remove the cluster, too.
    is_excluded: bool = False
    #: For the stage AFFINITY.
    failed: tuple[FailedFilter, ...] = ()
    #: For the stage FILTER_POLICY: the name of the policy.
    policy: str = ""
    #: For the stage PLUGIN: the name of the plugin.
    plugin: str = ""
    #: What installed plugins said about the cluster, in the order in which they were asked.
    said: tuple[PluginWords, ...] = ()
    #: The scores of installed plugins, and the sum with all factors, by which clusters are ranked:
    #: a whole number or a ratio; "" without such plugins.
    scores: tuple[PluginScore, ...] = ()
    total: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overtaken:
    """The most preferred cluster that remains, behind one with a smaller weight."""

    cluster: str
    #: The first cluster.
    by: str
    #: Both products of capacity and weight, in thousandths.
    score: int = 0
    by_score: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetPlacement:
    """The clusters for one pod set: those that remain in the order of rank, then the others."""

    pod_set: str = "main"
    replicas: int = 1
    clusters: tuple[ClusterStep, ...] = ()
    #: The largest weight of all preferences of the job; weights are shown as parts of it.
    largest_weight: int = 1
    #: Only if clusters are ranked by the product, and the most preferred one is not the first.
    overtaken: Overtaken | None = None
    #: The weight of the plugin that counts free capacity; 0 if the config does not list it.
    capacity_factor: int = 1
    #: The installed plugin that failed, so that nothing was decided.
    failure: PluginWords | None = None
    #: The installed plugin that spread the replicas; "" if none did.
    spread_by: str = ""

    @property
    def kept(self) -> tuple[ClusterStep, ...]:
        """The clusters that remain, in the order of rank."""
        return tuple(each for each in self.clusters if each.stage is ClusterStage.KEPT)

    @property
    def placed(self) -> int:
        """The number of replicas that fit."""
        return sum(each.replicas for each in self.clusters)


def product(step: ClusterStep, largest_weight: int) -> int:
    """Return the capacity times the weight in parts of 100 of *largest_weight*, in thousandths."""
    return 100 * step.weight * step.score // max(1, largest_weight)


def overtaken(kept: Sequence[ClusterStep], largest_weight: int) -> Overtaken | None:
    """Return the cluster of the largest weight of *kept*, if one of a smaller weight is first."""
    if not kept:
        return None
    first, preferred = kept[0], max(kept, key=lambda each: each.weight)
    if first.weight == preferred.weight or (
        product(first, largest_weight) < product(preferred, largest_weight)
    ):
        # In the second case, scores of installed plugins made the difference.
        return None
    return Overtaken(
        cluster=preferred.cluster,
        by=first.cluster,
        score=product(preferred, largest_weight),
        by_score=product(first, largest_weight),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRoom:
    """What one cluster could hold of a pod set if nothing ran there."""

    cluster: str
    #: At most the requested number.
    replicas: int = 0
    #: If it could hold none: the node that comes closest, and what it lacks, in thousandths.
    node: str | None = None
    lacks: Mapping[str, int] = field(default_factory=dict)
    #: Whether the labels of the cluster remove it: by filters of the job, or by a filter policy.
    is_excluded: bool = False
    failed: tuple[FailedFilter, ...] = ()
    policy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverPlaced:
    """A pod set whose replicas fit on no clusters that the job may use, whatever runs there."""

    pod_set: str = "main"
    replicas: int = 1
    #: Of one replica, in thousandths.
    request: Mapping[str, int] = field(default_factory=dict)
    #: All clusters, in the order of the index.
    rooms: tuple[ClusterRoom, ...] = ()

    @property
    def admitted(self) -> tuple[ClusterRoom, ...]:
        """The clusters that the job may use."""
        return tuple(each for each in self.rooms if not each.is_excluded)

    @property
    def possible(self) -> int:
        """How many replicas these could hold together."""
        return sum(each.replicas for each in self.admitted)


#: The name of the section, which is the name of the folder.
PLACEMENT: Final = "placement"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementFacts(TraceSection):
    """The placement of each pod set up to the first that cannot be placed."""

    pod_sets: tuple[PodSetPlacement, ...] = ()
    #: Why the placement that the job states is not valid: one sentence.
    problem: str = ""
    #: How clusters are ranked: the value of the setting.
    rank: str = ""
    #: The first pod set that can never be placed; None: all can.
    never: NeverPlaced | None = None


NO_FACTS: Final = PlacementFacts()

register_section(PLACEMENT, PlacementFacts)


def facts_of(trace: Trace) -> PlacementFacts:
    """Return the facts in a trace; empty for a trace of another discipline."""
    found = trace.sections.get(PLACEMENT)
    return found if isinstance(found, PlacementFacts) else NO_FACTS
