"""Running jobs under another policy: whether they would still be placed on their clusters."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.disciplines.placement.criteria import failures
from console.engine.disciplines.placement.job_placement import JobPlacement, job_placement
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    FILTER_POLICY_PLUGIN,
    PlacementSpec,
)
from console.engine.disciplines.placement.verdicts import excluding_policy
from console.engine.live.running import Running
from console.engine.model.inventory import Cluster, Inventory
from console.engine.model.running_outcomes import Loss


def loss(spec: PlacementSpec, running: Running, inventory: Inventory) -> Loss | None:
    """
    Return whether filters of *spec* remove a cluster on which *running* has pods.

    Capacity is not considered, nor clusters that are gone: no policy changes them.
    """
    job = job_placement(spec, running.workload)
    clusters = [
        inventory.clusters[name] for name in _clusters(running) if name in inventory.clusters
    ]
    if job.problem:
        return Loss.PLACEMENT
    return Loss.PLACEMENT if any(_removes(spec, each, job) for each in clusters) else None


def _clusters(running: Running) -> Iterable[str]:
    places = (place for assigned in running.assignment for place in assigned.places)
    return dict.fromkeys(place.cluster for place in places if place.cluster is not None)


def _removes(spec: PlacementSpec, cluster: Cluster, job: JobPlacement) -> bool:
    plugins = {each.name for each in spec.plugins}
    labels = spec.labels_of(cluster.name, cluster.labels)
    if AFFINITY_PLUGIN in plugins and failures(job.placement.filters, labels):
        return True
    return FILTER_POLICY_PLUGIN in plugins and excluding_policy(spec, cluster.name, job) is not None
