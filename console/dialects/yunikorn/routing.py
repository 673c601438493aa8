"""Routing by placement rules, which find the queue of an application."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

from console.engine.disciplines.hierarchy.placement import (
    NO_RULE_MATCHED,
    Application,
    place,
)
from console.engine.disciplines.hierarchy.placement_route import Placed, PlacementRoute
from console.engine.disciplines.hierarchy.reasons import (
    NOT_CREATED,
    NOT_PLACED,
    PLACEMENT_FAILED,
)
from console.engine.disciplines.hierarchy.spec import (
    DEFAULT_PARTITION,
    HierarchySpec,
    Partition,
    PlacementRule,
    RuleKind,
)
from console.engine.disciplines.hierarchy.tree import RuntimeTree
from console.engine.disciplines.hierarchy.users import groups_of
from console.engine.model.route import Route
from console.engine.model.routing import Destination
from console.engine.model.workload import Workload

#: The labels with the submitted queue; the first one that a workload has counts.
QUEUE_LABELS: Final = ("yunikorn.apache.org/queue", "queue")
#: The labels with the id of the application.
APPLICATION_LABELS: Final = ("yunikorn.apache.org/app-id", "applicationId")
#: The tag with the namespace.
NAMESPACE_TAG: Final = "namespace"


@dataclass(frozen=True, kw_only=True)
class PlacementRouting:
    """
    Placement rules route every workload to a leaf queue of its partition.

    The partition is the one before the colon in the submitted queue, ``gpu:root.team``, or else
    the default one, or the first one of a config without it.
    """

    spec: HierarchySpec

    name = "placement"
    may_drain = False
    takes_everything = False
    is_without_quota = False
    reads_users = True

    @cached_property
    def label_keys(self) -> frozenset[str]:
        """The labels of the queue, and those that tag rules name."""
        return frozenset({*QUEUE_LABELS, *self._tags})

    @cached_property
    def _tags(self) -> frozenset[str]:
        """The names of the tags of all rules, as they are written."""
        rules = (rule for each in self.spec.partitions.values() for rule in each.rules)
        return frozenset(each.value for rule in rules for each in _chain(rule) if _is_tag(each))

    @cached_property
    def _folded_tags(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self._tags)

    def attributes(self, workload: Workload) -> Hashable:
        """Return the user with groups, the priority, and all that tag rules may read."""
        known = self._folded_tags
        tags = (each for each in workload.labels.items() if each[0].lower() in known)
        read = tuple(sorted(tags)) if known else ()
        return workload.priority, workload.user, workload.groups, workload.namespace, read

    def finder(self, queues: Mapping[str, Destination]) -> PlacementFinder:
        """Return a finder that asks the rules."""
        return PlacementFinder(self)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return the label of the queue with all leaf queues."""
        named = [key for key in QUEUE_LABELS if workload.labels.get(key)]
        return {(named or QUEUE_LABELS[-1:])[0]: self._leaves}

    @cached_property
    def _leaves(self) -> tuple[str, ...]:
        return tuple(name for name, each in self.spec.queues.items() if each.is_leaf)

    def entrances(self) -> Mapping[Hashable, str]:
        """Return every leaf queue by its own name."""
        return {name: name for name in self._leaves}

    def partition_of(self, workload: Workload) -> tuple[Partition, str]:
        """Return the partition of a workload, and the submitted queue in it; empty if none."""
        partitions = self.spec.partitions
        queue = submitted_queue(workload.labels)
        before, colon, after = queue.partition(":")
        if colon and before.lower() in partitions:
            return partitions[before.lower()], after
        first = next(iter(partitions.values()))
        return partitions.get(DEFAULT_PARTITION, first), queue


class PlacementFinder:
    """Routes workloads by the rules of their partition, which may create queues for them."""

    def __init__(self, routing: PlacementRouting) -> None:
        self._routing = routing
        self._trees = {
            name: RuntimeTree.build(routing.spec, name) for name in routing.spec.partitions
        }

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*, without a queue if no rule accepts it."""
        found = self.place(workload)
        priority, placed = workload.priority or 0, partial(self.place, workload)
        if found.placement.queue is None:
            is_unmatched = found.placement.problem == NO_RULE_MATCHED
            reason = NOT_PLACED if is_unmatched else PLACEMENT_FAILED
            return PlacementRoute(priority=priority, rejection=reason, placed=placed)
        if found.refusal is not None:
            return PlacementRoute(priority=priority, rejection=NOT_CREATED, placed=placed)
        queue = found.partition.full_name(found.placement.queue)
        return PlacementRoute(queue=queue, priority=priority, placed=placed)

    def place(self, workload: Workload) -> Placed:
        """Return the partition of a workload, and what its rules answer."""
        partition, submitted = self._routing.partition_of(workload)
        tree, application = self._trees[partition.name], application_of(workload, submitted)
        placement = place(tree, partition.rules, application)
        queue = placement.queue
        if queue is None or queue in tree.queues:
            return Placed(partition, placement)
        refusal = tree.creation_refusal(queue, application.user, application.groups)
        return Placed(partition, placement, refusal)


def application_of(workload: Workload, queue: str) -> Application:
    """
    Return what placement rules read of a workload.

    A workload without groups has one that is named like its user, and every label is a tag.
    """
    tags = dict(workload.labels)
    if workload.namespace:
        tags[NAMESPACE_TAG] = workload.namespace
    return Application(
        id=application_id(workload.labels) or workload.id,
        user=workload.user,
        groups=groups_of(workload.user, workload.groups),
        queue=queue,
        tags=tags,
    )


def submitted_queue(labels: Mapping[str, str]) -> str:
    """Return the queue that labels name, or an empty text."""
    return next((labels[key] for key in QUEUE_LABELS if labels.get(key)), "")


def application_id(labels: Mapping[str, str]) -> str:
    """Return the id of the application that labels name, or an empty text."""
    return next((labels[key] for key in APPLICATION_LABELS if labels.get(key)), "")


def _chain(rule: PlacementRule) -> Iterator[PlacementRule]:
    each: PlacementRule | None = rule
    while each is not None:
        yield each
        each = each.parent


def _is_tag(rule: PlacementRule) -> bool:
    return rule.kind is RuleKind.TAG
