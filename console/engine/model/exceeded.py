"""Bounds that a request exceeds even if nothing else runs: the workload can never start."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BoundKind(StrEnum):
    """A number of the config, or what the nodes of all clusters offer."""

    #: The most that a queue may use.
    LIMIT = "limit"
    #: The guaranteed amount, within which workloads stay that cannot be preempted.
    QUOTA = "quota"
    #: The most that a hierarchical queue may use, and what a user or group may use there.
    MAXIMUM = "maximum"
    USER_LIMIT = "user_limit"
    GROUP_LIMIT = "group_limit"
    #: Names, labels or taints exclude every node.
    NODE_CONSTRAINTS = "node_constraints"
    #: The node that comes closest to one pod.
    NODE = "node"
    #: All nodes together.
    NODES = "nodes"

    @property
    def is_of_config(self) -> bool:
        """Whether another config can raise the bound."""
        return self not in _OF_NODES


_OF_NODES = frozenset({BoundKind.NODE_CONSTRAINTS, BoundKind.NODE, BoundKind.NODES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Exceeded:
    """
    One bound that a request exceeds, whatever else runs.

    Amounts are in thousandths. For `NODE_CONSTRAINTS`, *requested* is the number of nodes.
    """

    kind: BoundKind = BoundKind.LIMIT
    #: The queue whose number it is. For NODE, the name of the node.
    name: str = ""
    #: For NODE, the cluster of the node.
    cluster: str = ""
    #: For limits of users and groups, the user or group; ``*``: all without a limit of their own.
    holder: str = ""
    #: For NODES, ``pods`` if the number of pods is compared.
    resource: str = ""
    requested: int = 0
    most: int = 0
    #: The number of pods that request it together.
    pods: int = 1
