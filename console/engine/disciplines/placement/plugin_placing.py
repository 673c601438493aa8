"""
Placement of one pod set when the config lists installed plugins.

All plugins of the config are asked in its order, as in SkyShift: each sees the clusters that those
before it kept. Then scores are added up with the weights of the plugins, and the first plugin
spreads the replicas. Without installed plugins, `nominate` needs none of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from console.engine.disciplines.placement.criteria import largest_weight
from console.engine.disciplines.placement.fit import Need
from console.engine.disciplines.placement.index import CapacityIndex, ClusterCapacity
from console.engine.disciplines.placement.job_placement import JobPlacement
from console.engine.disciplines.placement.plugin import Cluster, Job
from console.engine.disciplines.placement.plugin_answers import AskedPlugin, PluginUnanswered
from console.engine.disciplines.placement.spec import (
    DEFAULT_PLUGIN,
    MAX_WEIGHT,
    PLUGINS,
    Criterion,
    Placement,
    PlacementSpec,
    Rank,
)
from console.engine.disciplines.placement.trace import (
    ClusterStage,
    ClusterStep,
    PluginScore,
    PluginWords,
)
from console.engine.disciplines.placement.verdicts import (
    STAGES,
    Matched,
    Ranked,
    not_ready,
    without_room,
)
from console.engine.model.amounts import SCALE
from console.engine.model.decision import Place
from console.engine.model.workload import PodSet

#: Maximum number of placements that are kept in the form for plugins.
_MOST_REMEMBERED: Final = 10_000


class Placed(NamedTuple):
    """The clusters for one pod set, and the nodes for its replicas as far as they fit."""

    ranked: list[Ranked]
    removed: list[ClusterStep]
    places: list[Place]
    #: The number of replicas without a place.
    left: int
    #: The plugin that failed; then nothing else is known but the removed clusters.
    failure: PluginWords | None = None


@dataclass(slots=True)
class _Candidate:
    """A cluster that remains so far."""

    capacity: ClusterCapacity
    weight: int = 1
    said: list[PluginWords] = field(default_factory=list)
    scores: list[PluginScore] = field(default_factory=list)
    #: Sum of the scores of installed plugins with their factors.
    extra: int | Fraction = 0
    #: The sum with the capacity, multiplied so that it usually is a whole number.
    total: int | Fraction = 0

    def ranked(self, replicas: int, scale: int) -> Ranked:
        """Return the cluster with the *replicas* that go there; totals are divided by *scale*."""
        return Ranked(
            self.capacity.name,
            self.capacity.score,
            self.weight,
            replicas,
            tuple(self.said),
            tuple(self.scores),
            (self.total, scale),
        )


class PluginPlacing:
    """Asks all plugins of one spec."""

    def __init__(self, spec: PlacementSpec, index: CapacityIndex) -> None:
        self._spec = spec
        self._index = index
        self._asked = {
            each.name: AskedPlugin(each) for each in spec.plugins if each.name not in PLUGINS
        }
        #: Whether verdicts may change with any change of free amounts.
        self.reads_free = any(each.reads_free for each in self._asked.values())
        #: The weight of DefaultPlugin; 0 if it is not listed.
        self.capacity_factor = next(
            (each.weight for each in spec.plugins if each.name == DEFAULT_PLUGIN), 0
        )
        self._spreads = self._asked.get(spec.plugins[0].name) if spec.plugins else None
        #: By identity of the placement, which each entry keeps alive.
        self._shown: dict[int, tuple[JobPlacement, Placement]] = {}

    @property
    def spread_by(self) -> str:
        """The name of the installed plugin that spreads replicas; "" if none does."""
        return self._spreads.name if self._spreads is not None else ""

    def place(
        self,
        pod_set: PodSet,
        need: Need,
        placement: JobPlacement,
        matched: Mapping[str, Matched],
        *,
        with_nodes: bool,
    ) -> Placed:
        """
        Return where the replicas of *pod_set* would go; nothing is reserved.

        *matched* tells for every cluster what its labels mean for the job.
        """
        removed: list[ClusterStep] = []
        job = Job(
            pod_set=pod_set.name,
            replicas=pod_set.count,
            requests=MappingProxyType(dict(pod_set.requests)),
            labels=MappingProxyType(dict(placement.labels)),
            placement=self._placement(placement),
        )
        try:
            kept = self._filtered(job, need, placement, matched, removed, with_nodes=with_nodes)
            scale = self._rank(job, placement, kept)
            return self._spread(job, need, kept, removed, scale)
        except PluginUnanswered as error:
            failure = PluginWords(plugin=error.plugin, sentence=error.error)
            return Placed([], removed, [], pod_set.count, failure)

    # Phases

    def _filtered(
        self,
        job: Job,
        need: Need,
        placement: JobPlacement,
        matched: Mapping[str, Matched],
        removed: list[ClusterStep],
        *,
        with_nodes: bool,
    ) -> list[_Candidate]:
        """Return the clusters that all plugins keep; the others are added to *removed*."""
        steps: dict[str, ClusterStep] = {}
        left: list[_Candidate] = []
        for name, cluster in self._index.clusters.items():
            if cluster.is_ready:
                left.append(_Candidate(cluster, matched[name].weight))
            else:
                steps[name] = not_ready(name, matched[name])
        try:
            for use in self._spec.plugins:
                asked = self._asked.get(use.name)
                if asked is not None:
                    self._ask(asked, job, left, steps)
                else:
                    for each in left:
                        step = self._removed(
                            use.name, each.capacity, need, placement, matched, with_nodes=with_nodes
                        )
                        if step is not None:
                            told = replace(step, said=tuple(each.said)) if each.said else step
                            steps[each.capacity.name] = told
                left = [each for each in left if each.capacity.name not in steps]
        finally:
            removed += (steps[name] for name in self._index.clusters if name in steps)
        return left

    def _removed(
        self,
        plugin: str,
        cluster: ClusterCapacity,
        need: Need,
        placement: JobPlacement,
        matched: Mapping[str, Matched],
        *,
        with_nodes: bool,
    ) -> ClusterStep | None:
        """Return why a *plugin* of the discipline removes *cluster*; None: it does not."""
        if plugin == DEFAULT_PLUGIN:
            if cluster.fits(need):
                return None
            return without_room(cluster, need, matched[cluster.name], with_node=with_nodes)
        # The first step of all plugins that depend on labels alone.
        first = matched[cluster.name].removed
        return None if first is None else STAGES[plugin](self._spec, cluster, placement)

    def _ask(
        self,
        asked: AskedPlugin,
        job: Job,
        candidates: list[_Candidate],
        steps: dict[str, ClusterStep],
    ) -> None:
        if not asked.filters or not candidates:
            return
        verdicts = asked.verdicts(job, self._views(candidates, with_free=asked.gets_free))
        for each, verdict in zip(candidates, verdicts, strict=True):
            if verdict.sentence:
                each.said.append(PluginWords(plugin=asked.name, sentence=verdict.sentence))
            if not verdict.keeps:
                steps[each.capacity.name] = ClusterStep(
                    cluster=each.capacity.name,
                    stage=ClusterStage.PLUGIN,
                    plugin=asked.name,
                    said=tuple(each.said),
                )

    def _rank(self, job: Job, placement: JobPlacement, kept: list[_Candidate]) -> int:
        """
        Sort *kept*: the best cluster first, equal ones in the order of the index.

        Returns the number by which all totals are multiplied.
        """
        by_product = self._spec.rank is Rank.PRODUCT
        scale = SCALE * (largest_weight(placement.placement) if by_product else 1)
        if not kept:
            return scale
        for asked in self._asked.values():
            if asked.scores:
                found = asked.scores_of(job, self._views(kept, with_free=asked.gets_free))
                for each, score in zip(kept, found, strict=True):
                    if score is not None:
                        each.extra += asked.weight * score
                        each.scores.append(
                            PluginScore(plugin=asked.name, score=str(score), factor=asked.weight)
                        )
        for each in kept:
            weight = MAX_WEIGHT * each.weight if by_product else 1
            capacity = self.capacity_factor * each.capacity.score * weight
            each.total = capacity + each.extra * scale
        if by_product or not self.capacity_factor:
            kept.sort(key=lambda each: each.total, reverse=True)
        else:
            kept.sort(key=lambda each: (each.weight, each.total), reverse=True)
        return scale

    def _spread(
        self,
        job: Job,
        need: Need,
        kept: list[_Candidate],
        removed: list[ClusterStep],
        scale: int,
    ) -> Placed:
        counts: Mapping[str, int] | None = None
        if self._spreads is not None and kept:
            counts = self._spreads.spread(job, self._views(kept, with_free=True))
        left, places, ranked = job.replicas, [], []
        for each in kept:
            here, name = 0, each.capacity.name
            most = left if counts is None else counts.get(name, 0)
            if most:
                for node, count in each.capacity.fill(need, most):
                    places.append(Place(count=count, cluster=name, node=node))
                    here += count
                left -= here
            ranked.append(each.ranked(here, scale))
        return Placed(ranked, removed, places, left)

    # Arguments of plugins

    def _views(self, candidates: Sequence[_Candidate], *, with_free: bool) -> tuple[Cluster, ...]:
        return tuple(each.capacity.view(with_free=with_free) for each in candidates)

    def _placement(self, job: JobPlacement) -> Placement:
        """Return the placement of *job* with immutable labels."""
        known = self._shown.get(id(job))
        if known is None:
            if len(self._shown) >= _MOST_REMEMBERED:
                self._shown.clear()
            placement = Placement(
                filters=tuple(map(_immutable, job.placement.filters)),
                preferences=tuple(map(_immutable, job.placement.preferences)),
            )
            known = self._shown[id(job)] = job, placement
        return known[1]


def _immutable(criterion: Criterion) -> Criterion:
    return replace(criterion, labels=MappingProxyType(dict(criterion.labels)))
