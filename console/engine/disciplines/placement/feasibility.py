"""
Whether a job can ever be placed: what the clusters could hold if nothing ran on them.

All reported nodes count, also those that accept no pods now and those of clusters that are not
ready: a job that they could take only waits. The answer depends on the job, the labels of clusters
and what their nodes offer, so that it holds until the config or a report changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from console.engine.disciplines.placement.fit import (
    GPUS,
    Need,
    amounts_of,
    is_device,
    lacking,
    replicas_that_fit,
)
from console.engine.disciplines.placement.spec import GpuRule
from console.engine.disciplines.placement.trace import ClusterRoom, ClusterStep, NeverPlaced
from console.engine.model.inventory import Cluster


class EmptyCluster:
    """What the nodes of one cluster offer, whether they accept pods now or not."""

    def __init__(self, cluster: Cluster, rule: GpuRule) -> None:
        self.name = cluster.name
        self._rule = rule
        #: The first node that offers these amounts, and the number of such nodes.
        self._kinds: list[tuple[str, Mapping[str, int], int]] = []
        known: dict[tuple[tuple[str, int], ...], int] = {}
        for node in cluster.nodes:
            offered = amounts_of(node.offered, node.labels)
            key = tuple(sorted(offered.items()))
            if key in known:
                name, amounts, count = self._kinds[known[key]]
                self._kinds[known[key]] = name, amounts, count + 1
            else:
                known[key] = len(self._kinds)
                self._kinds.append((node.name, offered, 1))

    @property
    def has_nodes(self) -> bool:
        """Whether any node is reported."""
        return bool(self._kinds)

    def replicas(self, need: Need, most: int) -> int:
        """Return how many replicas the cluster could hold, at most *most*."""
        need, found = self._compared(need), 0
        for _, offered, count in self._kinds:
            found += count * replicas_that_fit(need, offered, self._rule, most)
            if found >= most:
                return most
        return found

    def closest(self, need: Need) -> tuple[str | None, Mapping[str, int]]:
        """Return the node that lacks the smallest part of *need*, and what it lacks."""
        need = self._compared(need)
        wanted = dict(need.amounts)
        best: tuple[float, str, Mapping[str, int]] | None = None
        for name, offered, _ in self._kinds:
            lacks = lacking(need, offered, self._rule)
            part = sum(amount / max(1, wanted.get(key, amount)) for key, amount in lacks.items())
            if best is None or part < best[0]:
                best = part, name, lacks
        return (None, {}) if best is None else best[1:]

    def _compared(self, need: Need) -> Need:
        """Return the part of *need* that counts whatever runs: SkyShift may drop ``gpus``."""
        if self._rule is GpuRule.INTENDED:
            return need
        amounts = tuple(each for each in need.amounts if each[0] != GPUS)
        return Need(amounts, sum(amount for name, amount in amounts if is_device(name)))


def never_placed(
    pod_set: str,
    replicas: int,
    need: Need,
    clusters: Iterable[tuple[EmptyCluster, ClusterStep | None]],
) -> NeverPlaced | None:
    """
    Return why *replicas* of a pod set can never be placed together; None: they can.

    *clusters* are all clusters, each with why its labels remove it. Without any, and as long as
    those that remain have not reported nodes, it is not known.
    """
    known = list(clusters)
    admitted = [cluster for cluster, removed in known if removed is None]
    if not known or (admitted and not any(each.has_nodes for each in admitted)):
        return None
    possible = 0
    for cluster in admitted:
        possible += cluster.replicas(need, replicas - possible)
        if possible >= replicas:
            return None
    rooms = tuple(_room(cluster, removed, need, replicas) for cluster, removed in known)
    return NeverPlaced(pod_set=pod_set, replicas=replicas, request=dict(need.amounts), rooms=rooms)


def _room(
    cluster: EmptyCluster, removed: ClusterStep | None, need: Need, replicas: int
) -> ClusterRoom:
    possible = cluster.replicas(need, replicas)
    node, lacks = (None, {}) if possible else cluster.closest(need)
    return ClusterRoom(
        cluster=cluster.name,
        replicas=possible,
        node=node,
        lacks=lacks,
        is_excluded=removed is not None,
        failed=() if removed is None else removed.failed,
        policy="" if removed is None else removed.policy,
    )
