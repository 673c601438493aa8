"""The spec of the discipline: the queues of a config, and the settings of its scheduler."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar, Final, cast

from console.engine.disciplines.fairshare.resources import (
    EVERYTHING,
    NO_WEIGHT,
    NOTHING,
    RESOURCES,
    Bounds,
    PerResource,
)
from console.engine.disciplines.fairshare.tree import QueueTree
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.inventory import Node
from console.engine.model.origin import Origin
from console.engine.model.plain_spec import PlainSpec
from console.engine.model.policy import Policy, Queue

#: The name of the only capacity: all nodes together.
POOL: Final = "pool"

#: The name of the cluster that consists of the nodes in the text.
DECLARED_CLUSTER: Final = "config"

#: The priority of a queue that states none.
DEFAULT_PRIORITY: Final = 100

#: The queue above all others in a policy without `Settings.full_hierarchy`.
SHARED_PARENT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class FairQueue(Queue):
    """A queue of the tree; those without children may run workloads."""

    #: Guaranteed amounts; UNLIMITED guarantees everything that the parent divides.
    quota: Bounds = NOTHING
    #: Weights in the division of what remains after quotas; with 0, the queue gets none of it.
    weight: PerResource[float] = NO_WEIGHT
    #: The most that workloads below the queue may use together.
    limit: Bounds = NOTHING
    #: Higher ones get the surplus first, and are served first.
    priority: int = DEFAULT_PRIORITY
    #: In milliseconds since 1970 in UTC; of equal queues, the older one is first.
    created: int = 0
    #: Milliseconds that a workload runs before one of its queue may preempt it; None: inherited.
    preempt_min_runtime: int | None = None
    #: Milliseconds that a workload runs before one of another queue may; None: inherited.
    reclaim_min_runtime: int | None = None
    #: The name in messages, if it differs from the name.
    display_name: str = ""


class QueueRule(StrEnum):
    """Which queues may run workloads."""

    #: Every queue without children.
    ANY_LEAF = "any_leaf"
    #: Every queue whose parent exists, even if the queue has children itself.
    HAS_PARENT = "has_parent"


class PlacementStrategy(StrEnum):
    """Which of the nodes with room a pod gets."""

    #: The fullest, so that others stay empty.
    BINPACK = "binpack"
    #: The emptiest.
    SPREAD = "spread"


class ReclaimMethod(StrEnum):
    """Where the search for the minimum runtime of a workload begins, if another queue reclaims."""

    #: At its ancestor below the nearest queue that both workloads have in common.
    COMMON_ANCESTOR = "lca"
    #: At its own queue.
    QUEUE = "queue"


class WindowKind(StrEnum):
    """Where the window of past usage begins."""

    #: A fixed time before now.
    SLIDING = "sliding"
    #: At the last multiple of its length.
    TUMBLING = "tumbling"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageWindow:
    """The part of the past in which the usage of queues counts; all times in milliseconds."""

    kind: WindowKind = WindowKind.SLIDING
    length: int = 7 * 24 * 3_600_000
    #: Usage counts half after this time; None: all of it counts the same.
    half_life: int | None = None
    #: A time since 1970 in UTC at which a tumbling window begins.
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool:
    """The nodes that a scheduler uses, by a label."""

    key: str
    #: Empty: the nodes without the label.
    value: str = ""

    def includes(self, node: Node) -> bool:
        """Return whether a node belongs to the pool."""
        return node.labels.get(self.key, "") == self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of the scheduler."""

    #: The influence of past usage on fair shares; 0: none.
    k_value: float = 1.0
    #: At least 1. A queue reclaims beyond its fair share only from siblings that exceed theirs by
    #: more than this factor.
    saturation_multiplier: Fraction = Fraction(1)
    #: Milliseconds, for queues that state and inherit none.
    preempt_min_runtime: int = 0
    reclaim_min_runtime: int = 0
    reclaim_method: ReclaimMethod = ReclaimMethod.COMMON_ANCESTOR
    queue_rule: QueueRule = QueueRule.ANY_LEAF
    #: If False, every queue with a parent is a child of one unlimited queue, and the queues at the
    #: top of the text have no effect.
    full_hierarchy: bool = True
    #: Milliseconds after which a workload with fewer pods than its minimum is evicted; negative:
    #: never.
    stale_grace: int = 60_000
    #: Which history lowers the fair share of queues that have used much; None: none does.
    usage_window: UsageWindow | None = None
    #: Whose nodes count; None: all nodes do.
    node_pool: NodePool | None = None
    gpu_placement: PlacementStrategy = PlacementStrategy.BINPACK
    cpu_placement: PlacementStrategy = PlacementStrategy.BINPACK
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FairshareSpec(PlainSpec):
    """
    The queues and settings of a config.

    A queue whose parent is missing is not part of the tree, nor are the queues below it.
    """

    discipline: ClassVar[str] = "fairshare"

    #: All queues of the text, also those with children.
    queues: Mapping[str, FairQueue] = field(default_factory=dict)
    settings: Settings = Settings()
    #: The nodes of the text by name. They count as long as the organization has no clusters.
    nodes: Mapping[str, Node] = field(default_factory=dict)
    #: The queues as the discipline sees them.
    tree: QueueTree[FairQueue] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        queues = self.queues if self.settings.full_hierarchy else _flattened(self.queues)
        object.__setattr__(self, "tree", QueueTree(queues))

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """The queues with children, and their origins."""
        named = {each.parent for each in self.queues.values()}
        return {name: each.origin for name, each in self.queues.items() if name in named}

    @property
    def capacity_names(self) -> Collection[str]:
        """The name of the only capacity, if a queue exists."""
        return (POOL,) if self.queues else ()

    @property
    def object_count(self) -> int:
        """The number of queues."""
        return len(self.queues)

    def path(self, queue: str) -> tuple[str, ...]:
        """Return the queues above a queue, the nearest first."""
        return self.tree.path(queue)[1:]

    def includes(self, node: Node) -> bool:
        """Return whether workloads may use a node, by the node pool."""
        pool = self.settings.node_pool
        return pool is None or pool.includes(node)

    def takes_workloads(self, queue: str) -> bool:
        """Return whether workloads of a queue are considered."""
        if queue not in self.tree.members:
            return False
        if self.settings.queue_rule is QueueRule.HAS_PARENT:
            return self.tree.queues[queue].parent is not None
        return not self.tree.children(queue)

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return the queue and those above it."""
        return {"queue": {queue, *self.path(queue)}}

    def missing_reference(self, queue: str) -> str | None:
        """Return the parent that the queue, or one above it, names and the config lacks."""
        return self.tree.missing_parent(queue)

    def resources(self) -> tuple[str, ...]:
        """Return the resources that queues divide."""
        return tuple(RESOURCES) if self.queues else ()

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return the quotas of the queues at the top together."""
        total: dict[FlavorResource, Amount] = {}
        for name in self.tree.roots:
            for resource, quota in zip(RESOURCES, self.tree.queues[name].quota, strict=True):
                total[POOL, resource] = total.get((POOL, resource), 0) + quota
        return total


def _flattened(queues: Mapping[str, FairQueue]) -> dict[str, FairQueue]:
    """Return the queues with a parent as children of one unlimited queue."""
    shared = FairQueue(
        name=SHARED_PARENT,
        quota=EVERYTHING,
        weight=PerResource(1.0, 1.0, 1.0),
        limit=EVERYTHING,
    )
    flat = {SHARED_PARENT: shared}
    for name, queue in queues.items():
        if queue.parent is not None and name != SHARED_PARENT:
            flat[name] = replace(queue, parent=SHARED_PARENT)
    return flat


def fairshare_of(policy: Policy) -> FairshareSpec:
    """Return the spec of a policy of this discipline."""
    return cast(FairshareSpec, policy.spec)
