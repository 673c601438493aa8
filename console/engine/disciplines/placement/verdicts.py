"""Verdicts on single clusters: why a built-in plugin removes one, and the rank of the others."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple

from console.engine.disciplines.placement.criteria import failures
from console.engine.disciplines.placement.fit import Need
from console.engine.disciplines.placement.index import ClusterCapacity, Shortage
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    FILTER_POLICY_PLUGIN,
    FilterPolicy,
    PlacementSpec,
)
from console.engine.disciplines.placement.trace import (
    ClusterStage,
    ClusterStep,
    PluginScore,
    PluginWords,
)


class Ranked(NamedTuple):
    """A cluster that remains, with the values that rank it and the replicas that go there."""

    cluster: str
    score: int
    weight: int
    replicas: int
    #: Of installed plugins, see `ClusterStep`.
    said: tuple[PluginWords, ...] = ()
    scores: tuple[PluginScore, ...] = ()
    #: Numerator and denominator; None: not added up.
    total: tuple[int | Fraction, int] | None = None
    #: If not all replicas fit: what a further one lacks; None: not determined.
    shortage: Shortage | None = None

    @property
    def step(self) -> ClusterStep:
        """The same for the trace."""
        return ClusterStep(
            cluster=self.cluster,
            score=self.score,
            weight=self.weight,
            replicas=self.replicas,
            said=self.said,
            scores=self.scores,
            total="" if self.total is None else str(Fraction(*self.total)),
            node=None if self.shortage is None else self.shortage.node,
            lacks={} if self.shortage is None else self.shortage.lacks,
        )


class Matched(NamedTuple):
    """What the labels of one cluster mean for one job."""

    #: Why they remove the cluster; None: it remains.
    removed: ClusterStep | None
    #: The largest weight of the satisfied preferences.
    weight: int


def not_ready(cluster: str, match: Matched) -> ClusterStep:
    """Return that *cluster* is not ready; *match* is what its labels mean for the job."""
    return ClusterStep(
        cluster=cluster, stage=ClusterStage.NOT_READY, is_excluded=match.removed is not None
    )


def without_room(
    cluster: ClusterCapacity, need: Need, match: Matched, *, with_node: bool
) -> ClusterStep:
    """
    Return why no node of *cluster* fits one replica; *with_node* adds the closest node.

    *match* is what the labels of the cluster mean for the job.
    """
    shortage = cluster.shortage(need, with_node=with_node)
    return ClusterStep(
        cluster=cluster.name,
        stage=ClusterStage.CAPACITY,
        node=shortage.node,
        lacks=shortage.lacks,
        could_fit=shortage.could_fit,
        is_excluded=match.removed is not None,
    )


def _affinity(
    spec: PlacementSpec, cluster: ClusterCapacity, job: JobPlacement
) -> ClusterStep | None:
    failed = failures(job.placement.filters, cluster.labels)
    if not failed:
        return None
    return ClusterStep(cluster=cluster.name, stage=ClusterStage.AFFINITY, failed=failed)


def _filter_policy(
    spec: PlacementSpec, cluster: ClusterCapacity, job: JobPlacement
) -> ClusterStep | None:
    policy = excluding_policy(spec, cluster.name, job)
    if policy is None:
        return None
    return ClusterStep(cluster=cluster.name, stage=ClusterStage.FILTER_POLICY, policy=policy.name)


def excluding_policy(spec: PlacementSpec, cluster: str, job: JobPlacement) -> FilterPolicy | None:
    """Return the first filter policy that removes *cluster* for *job*; None: none does."""
    for each in spec.filter_policies.values():
        if applies(each, job.labels) and (cluster not in each.include or cluster in each.exclude):
            return each
    return None


def applies(policy: FilterPolicy, labels: Mapping[str, str]) -> bool:
    """Return whether *policy* applies to a job with *labels*."""
    return bool(policy.job_labels) and policy.job_labels.items() <= labels.items()


#: The plugins that depend on labels alone, by name.
STAGES: Final = {
    AFFINITY_PLUGIN: _affinity,
    FILTER_POLICY_PLUGIN: _filter_policy,
}
