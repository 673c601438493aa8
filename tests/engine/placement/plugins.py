"""Plugins for tests, some with the rules of the discipline itself, and their installation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Final

from console.dialects.reading_cache import clear_cached_readings
from console.engine.disciplines.placement.criteria import best_weight, is_satisfied, largest_weight
from console.engine.disciplines.placement.plugin import (
    KEEP,
    Cluster,
    Job,
    PlacementPlugin,
    Verdict,
    drop,
)
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.model.plugins import FoundPlugin, Guard, without_limit


@contextmanager
def installed(plugins: Mapping[str, object], *, guard: Guard = without_limit) -> Iterator[None]:
    """Install *plugins* by name within the context, in place of all others."""
    before = HOST.plugins, HOST.problems, HOST.packages, HOST.guard
    found = [FoundPlugin(name=n, plugin=p, package="tests 1.0") for n, p in plugins.items()]
    HOST.install(found, guard)
    clear_cached_readings()
    try:
        yield
    finally:
        HOST.plugins, HOST.problems, HOST.packages, HOST.guard = before
        clear_cached_readings()


class SameAffinity(PlacementPlugin):
    """The rule of ClusterAffinityPluginV2."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        filters = job.placement.filters
        if not filters or any(is_satisfied(each, cluster.labels) for each in filters):
            return KEEP
        return drop("It satisfies no filter.")


class SameAffinityByLabels(SameAffinity):
    """The same rule, stated to depend on labels alone."""

    reads_free = False


class SameDefault(PlacementPlugin):
    """The rule of DefaultPlugin with `rank: product`."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        return KEEP if cluster.room(job) else drop("It has no room.")

    def score(self, job: Job, cluster: Cluster) -> Fraction:
        weight = best_weight(job.placement, cluster.labels)
        return cluster.capacity * Fraction(100 * weight, largest_weight(job.placement))

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> Mapping[str, int]:
        counts, left = {}, job.replicas
        for each in clusters:
            counts[each.name] = min(left, each.room(job))
            left -= counts[each.name]
        return counts


#: Plugins with the rules of the discipline, by name.
SAME: Final[Mapping[str, PlacementPlugin]] = {
    "same-default": SameDefault(),
    "same-affinity": SameAffinity(),
    "same-affinity-by-labels": SameAffinityByLabels(),
}
