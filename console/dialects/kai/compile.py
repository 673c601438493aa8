"""Compiles objects without errors to the policy of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from console.dialects.findings import Place
from console.dialects.kai.routing import DEFAULT_CLASS, QueueLabelRouting
from console.dialects.kai.schema import (
    Document,
    Labels,
    NodeDoc,
    PriorityClassDoc,
    QueueDoc,
    ResourceDoc,
    ShardDoc,
)
from console.dialects.numbers import LEAST_PRIORITY
from console.dialects.positions import Positions
from console.dialects.written import Read, Written, value_of
from console.engine.disciplines.fairshare.resources import RESOURCES, Bounds, PerResource
from console.engine.disciplines.fairshare.spec import (
    FairQueue,
    FairshareSpec,
    NodePool,
    Settings,
)
from console.engine.model.amounts import Amount
from console.engine.model.inventory import Node
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.routing.local_queues import PriorityClass

T = TypeVar("T")
NAME: Final = "kai"
#: The label of a node with the name of its pool.
NODE_POOL_LABEL: Final = "kai.scheduler/node-pool"


def compile_policy(document: Document, positions: Positions) -> Policy:
    """Return the policy of a document without errors; without objects, it has no queue."""
    if not any(document.objects()):
        return Policy(dialect=NAME, spec=FairshareSpec())

    def origin(place: Place) -> Origin:
        return positions.span(place.start, place.end)

    queues = [_queue(each, origin) for each in document.queues]
    shard = next(iter(document.shards), None)
    spec = FairshareSpec(
        queues={each.name: each for each in queues},
        settings=_settings(shard, origin) if shard is not None else Settings(),
        nodes={each.name: each for each in map(_node, document.nodes)},
    )
    classes = [_priority_class(each, origin) for each in document.priority_classes]
    default = next((each for each in document.priority_classes if each.default), None)
    routing = QueueLabelRouting(
        queues=tuple(name for name in spec.queues if spec.takes_workloads(name)),
        priority_classes={each.name: each for each in classes},
        default_class=DEFAULT_CLASS if default is None else _priority_class(default, origin),
    )
    return Policy(dialect=NAME, spec=spec, routing=routing, least_priority=LEAST_PRIORITY)


def name_of(read: Read[str]) -> str:
    """Return a text that is present in every document without errors."""
    text = value_of(read)
    assert text is not None, read
    return text


def _stated(read: Read[T], default: T) -> T:
    return read.value if isinstance(read, Written) else default


def _queue(queue: QueueDoc, origin: Callable[[Place], Origin]) -> FairQueue:
    stated = FairQueue(name=name_of(queue.name))
    return FairQueue(
        name=stated.name,
        parent=value_of(queue.parent),
        quota=_bounds(queue.resources, lambda each: each.quota),
        weight=_per_resource(queue.resources, lambda each: each.weight, 0.0),
        limit=_bounds(queue.resources, lambda each: each.limit),
        priority=_stated(queue.priority, stated.priority),
        created=_stated(queue.created, stated.created),
        preempt_min_runtime=value_of(queue.preempt_min_runtime),
        reclaim_min_runtime=value_of(queue.reclaim_min_runtime),
        display_name=_stated(queue.display_name, ""),
        origin=origin(queue.place),
    )


def _bounds(
    resources: Mapping[str, ResourceDoc | None], pick: Callable[[ResourceDoc], Read[Amount]]
) -> Bounds:
    nothing: Amount = 0
    return _per_resource(resources, pick, nothing)


def _per_resource(
    resources: Mapping[str, ResourceDoc | None],
    pick: Callable[[ResourceDoc], Read[T]],
    default: T,
) -> PerResource[T]:
    stated = (resources.get(resource) for resource in RESOURCES)
    return PerResource(
        *(default if each is None else _stated(pick(each), default) for each in stated)
    )


def _priority_class(each: PriorityClassDoc, origin: Callable[[Place], Origin]) -> PriorityClass:
    return PriorityClass(
        name=name_of(each.name), value=_stated(each.value, 0), origin=origin(each.place)
    )


def _node(node: NodeDoc) -> Node:
    return Node(
        name=name_of(node.name),
        labels=_labels(node.labels),
        taints=node.taints,
        offered=node.offered,
        is_ready=node.is_ready,
    )


def _labels(labels: Labels) -> dict[str, str]:
    if not isinstance(labels, Written):
        return {}
    return {key.value: value_of(value) or "" for key, value in labels.value}


def _settings(shard: ShardDoc, origin: Callable[[Place], Origin]) -> Settings:
    plain = Settings()
    return Settings(
        k_value=_stated(shard.k_value, plain.k_value),
        saturation_multiplier=_stated(shard.saturation_multiplier, plain.saturation_multiplier),
        preempt_min_runtime=_stated(shard.preempt_min_runtime, plain.preempt_min_runtime),
        reclaim_min_runtime=_stated(shard.reclaim_min_runtime, plain.reclaim_min_runtime),
        reclaim_method=_stated(shard.reclaim_method, plain.reclaim_method),
        queue_rule=_stated(shard.queue_rule, plain.queue_rule),
        full_hierarchy=_stated(shard.full_hierarchy, plain.full_hierarchy),
        stale_grace=_stated(shard.stale_grace, plain.stale_grace),
        usage_window=shard.usage_window,
        node_pool=NodePool(
            key=_stated(shard.node_pool_key, NODE_POOL_LABEL), value=_stated(shard.node_pool, "")
        ),
        gpu_placement=_stated(shard.gpu_placement, plain.gpu_placement),
        cpu_placement=_stated(shard.cpu_placement, plain.cpu_placement),
        origin=origin(shard.place),
    )
