"""Search for a few running jobs after whose end a job would be placed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Final

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.ending_workloads import few_that_suffice, proven_end
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.placement.criterion_changes import placement_of_job
from console.engine.disciplines.placement.derived import placer_of
from console.engine.disciplines.placement.fit import need_of
from console.engine.live.running import Running

#: Maximum number of clusters to try one by one, those with the most free capacity first.
_CLUSTERS: Final = 4

#: Number of running jobs of a cluster that are tried alone.
_ALONE: Final = 8


def ending_jobs(trials: Trials) -> Attempts:
    """
    Return the search for a few running jobs after whose end the job is placed.

    For each cluster that the job may use, and then for all of them, it tries the largest jobs
    alone, and then several. The shortest result is proven first.
    """
    placer = placer_of(trials.state)
    matched = placer.match(placement_of_job(trials))
    usable = [
        each
        for each in placer.index.clusters.values()
        if each.is_ready and matched[each.name].removed is None
    ]
    usable.sort(key=lambda each: -each.score)
    groups: list[tuple[str, ...]] = [(each.name,) for each in usable[:_CLUSTERS]]
    if len(usable) > 1:
        groups.append(tuple(each.name for each in usable))
    needed = _needed_by(trials)
    found: list[tuple[str, ...]] = []
    attempts = [
        partial(_with, trials, found, needed, group, is_last=group is groups[-1])
        for group in groups
    ]
    return Attempts(ChangeKind.FINISH, attempts, most_tried=len(attempts), most_found=1)


def _with(
    trials: Trials,
    found: list[tuple[str, ...]],
    needed: Mapping[str, int],
    clusters: tuple[str, ...],
    *,
    is_last: bool,
) -> Change | None:
    """Add the jobs whose end makes room on *clusters* to *found*; at last, prove the shortest."""
    chosen = _few(trials, needed, frozenset(clusters))
    if chosen:
        found.append(tuple(sorted(each.workload.id for each in chosen)))
    return proven_end(trials, found) if is_last else None


def _few(trials: Trials, needed: Mapping[str, int], clusters: frozenset[str]) -> list[Running]:
    snapshot = trials.scratch

    def fits_without(gone: list[Running]) -> bool:
        for each in gone:
            snapshot.node_usage.count(each.workload, each.assignment, -1)
        try:
            return trials.fits(snapshot, (each.workload.id for each in gone))
        finally:
            for each in gone:
                snapshot.node_usage.count(each.workload, each.assignment, 1)

    for each in islice(_in_turn(trials, needed, clusters), _ALONE):
        if fits_without([each]):
            return [each]
    return few_that_suffice(_in_turn(trials, needed, clusters), fits_without)


def _in_turn(
    trials: Trials, needed: Mapping[str, int], clusters: frozenset[str]
) -> Iterator[Running]:
    """Yield the jobs that run on *clusters*: the largest first, of equal ones the latest."""

    def order(running: Running) -> tuple[float, int]:
        part = sum(
            min(1.0, amount / needed[resource])
            for (cluster, resource), amount in running.usage.items()
            if cluster in clusters and resource in needed
        )
        return -part, -running.reservation

    running = (each for queue in trials.queue.tree.queues for each in queue.running)
    there = (
        each
        for each in running
        if not each.evicting and any(cluster in clusters for cluster, _ in each.usage)
    )
    yield from sorted(there, key=order)


def _needed_by(trials: Trials) -> Mapping[str, int]:
    """Return what the job requests in total, by resource, without zeros."""
    needed: dict[str, int] = {}
    for each in trials.workload.pod_sets:
        for resource, amount in need_of(each.requests).amounts:
            needed[resource] = needed.get(resource, 0) + amount * each.count
    return needed
