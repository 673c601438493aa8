"""
Routing: the strategy by which a policy leads workloads to queues.

A strategy is an immutable value in the policy. Strategies that a dialect may choose are in
`console/engine/routing`; the one here, which routes nothing, is the default.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from console.engine.model.route import Route
from console.engine.model.selectors import Selector
from console.engine.model.workload import Workload


class Destination(Protocol):
    """What a strategy may read of a queue."""

    @property
    def name(self) -> str:
        """The name of the queue."""

    @property
    def namespaces(self) -> Selector | None:
        """Selects the namespaces whose workloads the queue accepts; None: of none."""


class RouteFinder(Protocol):
    """Routes workloads under one policy; it may keep indexes, and the caller caches routes."""

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*."""


class Routing(Protocol):
    """A strategy: a queue and an effective priority for each workload."""

    @property
    def name(self) -> str:
        """The name of the strategy where two policies are compared."""

    @property
    def label_keys(self) -> frozenset[str]:
        """The keys of the labels of a workload that may affect its route."""

    @property
    def may_drain(self) -> bool:
        """Whether a route of a running workload may drain."""

    @property
    def takes_everything(self) -> bool:
        """Whether no workload is rejected, or left without a queue, because of its labels alone."""

    @property
    def is_without_quota(self) -> bool:
        """Whether every workload is admitted without a queue, and so without quota."""

    def attributes(self, workload: Workload) -> Hashable:
        """Return everything of *workload*, besides its labels, that may affect its route."""

    def finder(self, queues: Mapping[str, Destination]) -> RouteFinder:
        """Return what routes workloads to *queues*, by name."""

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """
        Return the labels that could change *route*, that of *workload*, each with its values.

        The values are those that the config names; there may be none.
        """

    def entrances(self) -> Mapping[Hashable, str]:
        """
        Return what leads to queues, each with the name of its queue.

        The key of an entrance is the same in every policy that has it. Of several
        entrances with one key, the first counts.
        """


@dataclass(frozen=True, slots=True)
class NoRouting:
    """The strategy of a policy without any: every workload is admitted without quota."""

    #: A config without rules is compared with one that has some.
    name = "rules"
    label_keys = frozenset[str]()
    may_drain = False
    takes_everything = True
    is_without_quota = True

    def attributes(self, workload: Workload) -> Hashable:
        """Return the requested priority, which becomes the effective one."""
        return workload.priority

    def finder(self, queues: Mapping[str, Destination]) -> RouteFinder:
        """Return what gives every workload a route without a queue."""
        return self

    def route(self, workload: Workload) -> Route:
        """Return a route without a queue."""
        return Route(priority=workload.priority or 0)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        """Return nothing: no label changes the route."""
        return {}

    def entrances(self) -> Mapping[Hashable, str]:
        """Return nothing: there are none."""
        return {}
