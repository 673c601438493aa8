"""Search for one other label of a cluster with which a job would be placed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from console.engine.counterfactual.attempts import Attempts
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.counterfactual.trials import Trials
from console.engine.disciplines.placement.criteria import conditions, holds, is_satisfied
from console.engine.disciplines.placement.criterion_changes import placement_of_job
from console.engine.disciplines.placement.derived import placer_of
from console.engine.disciplines.placement.fit import Need, need_of
from console.engine.disciplines.placement.index import ClusterCapacity
from console.engine.disciplines.placement.spec import Operator, Placement, placement_of
from console.engine.disciplines.placement.trace import ClusterStage

#: Maximum number of changes to try, and to return. Each is a proof.
_TRIED: Final = 8
_MOST_FOUND: Final = 2


@dataclass(frozen=True, slots=True)
class _Label:
    """A label of a cluster with another value; None: without the label."""

    cluster: ClusterCapacity
    key: str
    value: str | None

    @property
    def labels(self) -> dict[str, str]:
        """All labels of the cluster after the change."""
        return _changed(self.cluster.labels, self.key, self.value)


def cluster_label_changes(trials: Trials) -> Attempts:
    """
    Return the search for labels of ready clusters that only lack one to satisfy a filter.

    It finds at most one change per cluster, and tries the clusters with the most free capacity
    first. The label is changed in the config if that declares the cluster, which overrides reports.
    """
    found: set[str] = set()
    attempts = [partial(_with, trials, found, each) for each in _candidates(trials)]
    return Attempts(
        ChangeKind.CLUSTER_LABEL, attempts, most_tried=trials.most(_TRIED), most_found=_MOST_FOUND
    )


def _candidates(trials: Trials) -> Iterator[_Label]:
    job = placement_of_job(trials)
    placer = placer_of(trials.state)
    matched = placer.match(job)
    pod_sets = trials.workload.pod_sets
    clusters = placer.index.clusters.values()
    needs = [(need_of(each.requests), each.count) for each in pod_sets]
    # How many replicas of the first pod set fit where the job may go already.
    need, count = needs[0]
    allowed = sum(
        _room(each, need, count)
        for each in clusters
        if each.is_ready and matched[each.name].removed is None
    )
    for cluster in sorted(clusters, key=lambda each: -each.score):
        step = matched[cluster.name].removed
        if not cluster.is_ready or step is None or step.stage is not ClusterStage.AFFINITY:
            continue
        if not any(cluster.fits(each) for each, _ in needs):
            continue
        if len(needs) == 1 and allowed + _room(cluster, need, count) < count:
            continue
        yield from _nearest(cluster, job.placement)


def _room(cluster: ClusterCapacity, need: Need, most: int) -> int:
    return sum(count for _, count in cluster.fill(need, most))


def _nearest(cluster: ClusterCapacity, placement: Placement) -> Iterator[_Label]:
    """Yield the single labels with which *cluster* satisfies a filter, each once."""
    seen: set[tuple[str, str | None]] = set()
    for each in placement.filters:
        failing = [some for some in conditions(each) if not holds(some, cluster.labels)]
        if len({some.key for some in failing}) != 1:
            continue
        key = failing[0].key
        values: tuple[str | None, ...] = (None,)
        if any(some.operator is Operator.IN for some in failing):
            values = next(some.values for some in failing if some.operator is Operator.IN)
        for value in values:
            labels = _changed(cluster.labels, key, value)
            if (key, value) not in seen and is_satisfied(each, labels):
                seen.add((key, value))
                yield _Label(cluster, key, value)


def _changed(labels: Mapping[str, str], key: str, value: str | None) -> dict[str, str]:
    others = {name: text for name, text in labels.items() if name != key}
    return others if value is None else {**others, key: value}


def _with(trials: Trials, found: set[str], label: _Label) -> Change | None:
    name = label.cluster.name
    if name in found:
        return None
    spec = placement_of(trials.policy)
    declared = spec.clusters.get(name)
    if declared is not None:
        labels = _changed(declared.labels, label.key, label.value)
        clusters = {**spec.clusters, name: replace(declared, labels=labels)}
        policy = replace(trials.policy, spec=replace(spec, clusters=clusters))
        started = trials.starts(policy=policy)
    else:
        known = trials.state.inventory
        reported = replace(known.clusters[name], labels=label.labels)
        inventory = replace(known, clusters={**known.clusters, name: reported})
        started = trials.starts(inventory=inventory)
    if started is None:
        return None
    found.add(name)
    return Change(
        kind=ChangeKind.CLUSTER_LABEL,
        subject=label.key,
        from_=label.cluster.labels.get(label.key),
        to=label.value,
        cluster=name,
        who_loses=started.who_loses,
        who_waits=started.who_waits,
        origin=declared.origin if declared is not None else None,
    )
