"""
Protocol of routing strategies, which assign workloads to queues, and the default strategy.

A strategy is an immutable value in the policy. Strategies that a dialect may choose are in
`console/engine/routing`; the default one here assigns no queue.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from console.engine.model.route import Route
from console.engine.model.selectors import Selector
from console.engine.model.workload import Workload


class Destination(Protocol):
    """The attributes of a queue that a strategy may read."""

    @property
    def name(self) -> str:
        """The name of the queue."""

    @property
    def namespaces(self) -> Selector | None:
        """The selector of namespaces whose workloads the queue accepts; None: of no namespace."""


class RouteFinder(Protocol):
    """Routes workloads under one policy; it may have indexes, and the caller caches routes."""

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*."""


class Routing(Protocol):
    """A routing strategy: it assigns a queue and an effective priority to each workload."""

    @property
    def name(self) -> str:
        """The name of the strategy in comparisons of policies."""

    @property
    def label_keys(self) -> frozenset[str]:
        """The keys of the labels of a workload that may affect its route."""

    @property
    def may_drain(self) -> bool:
        """Whether a route may drain running workloads."""

    @property
    def takes_everything(self) -> bool:
        """Whether every workload gets a queue or is admitted, whatever its labels."""

    @property
    def reads_users(self) -> bool:
        """Whether the route depends on the user and groups."""

    @property
    def is_without_quota(self) -> bool:
        """Whether every workload is admitted without a queue, and so without quota."""

    def attributes(self, workload: Workload) -> Hashable:
        """Return the attributes of *workload*, other than labels, that may affect its route."""

    def finder(self, queues: Mapping[str, Destination]) -> RouteFinder:
        """Return a finder that routes workloads to *queues*, by name."""

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """
        Return the labels that could change *route*, the route of *workload*, with their values.

        The values are those that occur in the config; there may be none.
        """

    def entrances(self) -> Mapping[Hashable, str]:
        """
        Return the name of the queue for the key of each rule or local queue.

        Keys are comparable between policies. Of several with the same key, the first counts.
        """


@dataclass(frozen=True, slots=True)
class NoRouting:
    """The strategy of a policy without routing: every workload is admitted without quota."""

    #: The name of rules, so that a config without rules can be compared with one that has some.
    name = "rules"
    label_keys = frozenset[str]()
    may_drain = False
    takes_everything = True
    is_without_quota = True
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        """Return the requested priority, which becomes the effective one."""
        return workload.priority

    def finder(self, queues: Mapping[str, Destination]) -> RouteFinder:
        """Return a finder that gives every workload a route without a queue."""
        return self

    def route(self, workload: Workload) -> Route:
        """Return a route without a queue."""
        return Route(priority=workload.priority or 0)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return an empty mapping: no label changes the route."""
        return {}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return an empty mapping."""
        return {}
