"""Inventory: the clusters and nodes of one organization, and the amounts that they offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.nodes import NAME_FIELD, NodeTerm, Taint, untolerated
from console.engine.model.workload import PodSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One machine of a cluster."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    #: Amounts that its pods may use together, in thousandths by resource; absent: zero.
    offered: Mapping[str, int] = field(default_factory=dict)
    #: Whether it accepts new pods.
    is_ready: bool = True

    def accepts(self, pod_set: PodSet) -> bool:
        """Return whether its labels and taints accept the pods of a pod set."""
        labels = self.labels
        if any(labels.get(key) != value for key, value in pod_set.node_selector.items()):
            return False
        if pod_set.affinity and not any(map(self._meets, pod_set.affinity)):
            return False
        return untolerated(self.taints, pod_set.tolerations) is None

    def _meets(self, term: NodeTerm) -> bool:
        fields = {NAME_FIELD: self.name}
        return all(each.holds(fields if each.is_field else self.labels) for each in term)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Nodes under one manager, such as a Kubernetes or Slurm cluster."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    #: In the order in which they were first reported; their names are unique in the cluster.
    nodes: tuple[Node, ...] = ()
    #: Whether it accepts new pods.
    is_ready: bool = True
    #: Why it accepts no new pods, such as ``draining``, ``error`` or ``silent``; empty if it does.
    status: str = ""
    #: Whether its pods count as lost: it is silent or reports an error.
    has_failed: bool = False
    #: Its number in the order of registration, which no later cluster of the same name has.
    sequence: int = 0
    #: Rises with each change of the cluster or of its nodes.
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """
    All clusters of an organization at one time, by name; empty until they are reported.

    The clusters are in the order of registration. An inventory shares the clusters that have not
    changed with the one before.
    """

    clusters: Mapping[str, Cluster] = field(default_factory=dict)

    def has_lost(self, cluster: str, node: str) -> bool:
        """Return whether the pods on a node are lost: the cluster has failed, or one is gone."""
        found = self.clusters.get(cluster)
        return found is None or found.has_failed or all(each.name != node for each in found.nodes)
