"""Router: routes workloads under one policy, with a cache by labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TypeAlias

from console.engine.model.policy import Policy
from console.engine.model.route import Route
from console.engine.model.workload import Workload

#: Maximum number of cached routes. If labels are unique to each workload, none is used again.
_MOST_CACHED = 20_000

_Labels: TypeAlias = tuple[tuple[str, str], ...]


def knows_user(policy: Policy, workload: Workload) -> bool:
    """
    Return whether a recorded workload has all that *policy* reads of its user.

    While a config that reads no users was active, users were not recorded.
    """
    return bool(workload.user) or not policy.routing.reads_users


class Router:
    """
    Routes workloads under one policy.

    Each distinct set of the labels and attributes that the strategy uses is routed once.
    Workloads with the same set share one route.
    """

    def __init__(self, policy: Policy) -> None:
        self._label_keys = policy.routing.label_keys
        self._attributes = policy.routing.attributes
        self._find = policy.routing.finder(policy.queues).route
        self._routes: dict[tuple[_Labels, Hashable], Route] = {}
        #: Routes by the identity of the labels, which many workloads share; each entry keeps its
        #: labels alive.
        self._by_identity: dict[tuple[int, Hashable], tuple[Mapping[str, str], Route]] = {}

    def route(self, workload: Workload) -> Route:
        """Return the route of *workload*; a deactivated one has that as its problem."""
        found = self._active_route(workload)
        if workload.inactive is None or found.rejection is not None:
            return found
        return replace(found, problem=workload.inactive)

    def _active_route(self, workload: Workload) -> Route:
        attributes = self._attributes(workload)
        shared = (id(workload.labels), attributes)
        known = self._by_identity.get(shared)
        if known is not None:
            return known[1]
        labels = tuple(
            sorted(item for item in workload.labels.items() if item[0] in self._label_keys)
        )
        key = (labels, attributes)
        found = self._routes.get(key)
        if found is None:
            if len(self._routes) >= _MOST_CACHED:
                self._routes.clear()
            found = self._routes[key] = self._find(workload)
        if len(self._by_identity) >= _MOST_CACHED:
            self._by_identity.clear()
        self._by_identity[shared] = (workload.labels, found)
        return found
