"""The objects of a text as written: every field with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.written import Read, Written
from console.engine.disciplines.fairshare.spec import (
    PlacementStrategy,
    QueueRule,
    ReclaimMethod,
    UsageWindow,
)
from console.engine.model.amounts import Amount
from console.engine.model.nodes import Taint

#: Labels by key, each with the places of both.
Labels: TypeAlias = Read[tuple[tuple[Written[str], Read[str]], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceDoc:
    """Quota, weight and limit of one resource of a queue."""

    place: Place
    quota: Read[Amount] = None
    weight: Read[float] = None
    limit: Read[Amount] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueDoc:
    """A Queue."""

    place: Place
    name: Read[str]
    created: Read[int] = None
    display_name: Read[str] = None
    parent: Read[str] = None
    priority: Read[int] = None
    #: The place of the mapping of resources; None if it could not be read.
    resources_place: Place | None = None
    #: By resource; absent ones are missing, and those that could not be read are None.
    resources: dict[str, ResourceDoc | None] = field(default_factory=dict)
    preempt_min_runtime: Read[int] = None
    reclaim_min_runtime: Read[int] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityClassDoc:
    """A PriorityClass."""

    place: Place
    name: Read[str]
    value: Read[int] = None
    #: The place of ``globalDefault: true``; None otherwise.
    default: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDoc:
    """A Node."""

    place: Place
    name: Read[str]
    labels: Labels = None
    taints: tuple[Taint, ...] = ()
    #: In thousandths by resource.
    offered: dict[str, int] = field(default_factory=dict)
    is_ready: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardDoc:
    """A SchedulingShard; None is the default of a setting."""

    place: Place
    name: Read[str]
    k_value: Read[float] = None
    saturation_multiplier: Read[Fraction] = None
    preempt_min_runtime: Read[int] = None
    reclaim_min_runtime: Read[int] = None
    reclaim_method: Read[ReclaimMethod] = None
    queue_rule: Read[QueueRule] = None
    full_hierarchy: Read[bool] = None
    stale_grace: Read[int] = None
    usage_window: UsageWindow | None = None
    node_pool_key: Read[str] = None
    node_pool: Read[str] = None
    gpu_placement: Read[PlacementStrategy] = None
    cpu_placement: Read[PlacementStrategy] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """All objects of a text, in its order."""

    queues: tuple[QueueDoc, ...] = ()
    priority_classes: tuple[PriorityClassDoc, ...] = ()
    nodes: tuple[NodeDoc, ...] = ()
    shards: tuple[ShardDoc, ...] = ()

    def objects(self) -> Iterator[object]:
        """Yield every object."""
        yield from self.queues
        yield from self.priority_classes
        yield from self.nodes
        yield from self.shards
