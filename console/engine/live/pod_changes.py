"""Changes of the pods of a running workload: pods that end, are released, or get other places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from console.engine.model.decision import Assignment, Place, PlacedPods, PodSetAssignment, Resize
from console.engine.model.workload import PodSet, Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """Some pods of one pod set, as an executor reports them."""

    pod_set: str
    count: int
    #: Only pods on this cluster and node; None: on any.
    cluster: str | None = None
    node: str | None = None
    #: Only pods that share these accelerators; None: any. Executors do not report them.
    devices: tuple[int, ...] | None = None

    def includes(self, place: Place) -> bool:
        """Return whether the pods may be in *place*."""
        return (
            self.cluster in (None, place.cluster)
            and self.node in (None, place.node)
            and self.devices in (None, place.devices)
        )

    @property
    def is_anywhere(self) -> bool:
        """Whether the report names no place."""
        return self.cluster is None and self.node is None


def running_pods(assignment: Assignment, group: PodGroup) -> int:
    """Return how many pods run where *group* may be, whatever its count."""
    return sum(_running(each, group) for each in assignment if each.name == group.pod_set)


def stopping_pods(assignment: Assignment, group: PodGroup) -> int:
    """Return how many pods have to stop where *group* may be, whatever its count."""
    return sum(
        place.count
        for each in assignment
        if each.name == group.pod_set
        for place in each.stopping
        if group.includes(place)
    )


def without_running(assignment: Assignment, group: PodGroup) -> Assignment:
    """Return *assignment* without as many running pods of *group* as there are, up to its count."""
    return tuple(
        _without_running(each, group) if each.name == group.pod_set else each for each in assignment
    )


def without_stopping(assignment: Assignment, group: PodGroup) -> Assignment:
    """Return *assignment* without as many stopping pods of *group* as there are."""
    return tuple(
        replace(each, stopping=_without(each.stopping, group))
        if each.name == group.pod_set
        else each
        for each in assignment
    )


def resized(assignment: Assignment, resize: Resize) -> Assignment:
    """Return *assignment* with the granted pods, and with the taken ones as pods to stop."""
    changed = []
    for assigned in assignment:
        each = assigned
        taken = [pods.place for pods in resize.taken if pods.pod_set == each.name]
        granted = [pods.place for pods in resize.granted if pods.pod_set == each.name]
        for place in taken:
            each = _without_running(each, _group_at(each.name, place))
        changed.append(
            replace(
                each,
                count=each.count + sum(place.count for place in granted),
                places=_merged((*each.places, *granted)),
                stopping=_merged((*each.stopping, *taken)),
            )
        )
    return tuple(changed)


def missing_pods(workload: Workload, assignment: Assignment) -> dict[str, int]:
    """
    Return how many pods of each pod set have no place on a cluster, without zeros.

    Pod sets that another discipline has started with flavors lack none, even if they started with
    fewer pods than requested.
    """
    counts = {each.name: each.count for each in assignment if is_on_clusters(each)}
    missing = {
        each.name: each.count - counts[each.name]
        for each in workload.pod_sets
        if each.name in counts
    }
    return {name: count for name, count in missing.items() if count}


def is_short(workload: Workload, assignment: Assignment, lost: Iterable[PlacedPods] = ()) -> bool:
    """
    Return whether fewer pods of a pod set run than it requires.

    Pods that have to stop, and those of *lost*, do not run.
    """
    counts = {each.name: each.count for each in assignment}
    for pods in lost:
        counts[pods.pod_set] -= pods.place.count
    return any(
        counts[each.name] < each.minimum for each in workload.pod_sets if each.name in counts
    )


def has_lost_pods(before: Assignment, after: Assignment) -> bool:
    """Return whether fewer pods of a pod set run in *after* than in *before*."""
    counts = {each.name: each.count for each in after}
    return any(counts.get(each.name, 0) < each.count for each in before)


def is_on_clusters(assigned: PodSetAssignment) -> bool:
    """Return whether all running pods of *assigned* have places on clusters."""
    if assigned.flavors or any(place.cluster is None for place in assigned.places):
        return False
    return bool(assigned.places) or not assigned.count


def after_finish(workload: Workload, pod_set: str, count: int) -> Workload:
    """Return *workload* without *count* pods of *pod_set* that have finished."""
    return replace(
        workload,
        pod_sets=tuple(
            with_count(each, each.count - count) if each.name == pod_set else each
            for each in workload.pod_sets
        ),
        has_finished_pods=True,
    )


def with_count(pod_set: PodSet, count: int) -> PodSet:
    """Return *pod_set* with *count* pods, of which it requires at most as many as before."""
    least = None if pod_set.min_count is None else min(pod_set.min_count, count)
    return replace(pod_set, count=count, min_count=least)


def placed_pods(assignment: Assignment) -> Iterable[PlacedPods]:
    """Yield the running pods of *assignment* by pod set and place."""
    for each in assignment:
        for place in each.places:
            yield PlacedPods(pod_set=each.name, place=place)


def _running(assigned: PodSetAssignment, group: PodGroup) -> int:
    if assigned.places:
        return sum(place.count for place in assigned.places if group.includes(place))
    return assigned.count if group.is_anywhere else 0


def _without_running(assigned: PodSetAssignment, group: PodGroup) -> PodSetAssignment:
    count = min(group.count, _running(assigned, group))
    places = _without(assigned.places, group)
    return replace(assigned, count=assigned.count - count, places=places)


def _without(places: Iterable[Place], group: PodGroup) -> tuple[Place, ...]:
    """Return *places* without pods of *group*, of the first places first."""
    left, kept = group.count, []
    for place in places:
        here = min(left, place.count) if group.includes(place) else 0
        left -= here
        if here < place.count:
            kept.append(replace(place, count=place.count - here))
    return tuple(kept)


def _group_at(pod_set: str, place: Place) -> PodGroup:
    return PodGroup(
        pod_set=pod_set,
        count=place.count,
        cluster=place.cluster,
        node=place.node,
        devices=place.devices,
    )


def _merged(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return *places* with the pods of equal ones added up."""
    merged: dict[tuple[object, ...], Place] = {}
    for place in places:
        key = place.cluster, place.node, place.flavor, place.devices
        before = merged.get(key)
        merged[key] = replace(place, count=place.count + (before.count if before else 0))
    return tuple(merged.values())
