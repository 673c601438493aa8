"""Missing labels: labels that a workload lacks and that would change its route."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.routing.route_result import accepted_flavors, find_route_result
from console.engine.routing.router import Router

#: Missing labels to try, and values of each.
MOST_LABELS, MOST_VALUES = 12, 12

#: Stands for every value that no selector names; stored text never has a NUL.
_OTHER = "\x00"


@dataclass(frozen=True, slots=True)
class Branch:
    """The values of one label that have the same route result, and that result."""

    #: Empty: any value that no other branch lists.
    values: tuple[str, ...]
    route_result: RouteResult

    @property
    def flavors(self) -> tuple[str, ...]:
        """The flavors that accept the workload with that label."""
        return accepted_flavors(self.route_result)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLabel:
    """A label that the config refers to and the workload lacks, with its possible results."""

    key: str
    branches: tuple[Branch, ...]
    #: Number of values that were not tried.
    more: int = 0


def missing_labels(
    policy: Policy, route_result: RouteResult, router: Router | None = None
) -> tuple[MissingLabel, ...]:
    """
    Return the missing labels of the workload of *route_result* that could change its route.

    Labels of rules after the matching one have no effect. A label whose values all have the
    present result is omitted. *router* must be one of the same policy.
    """
    router = router or Router(policy)
    found = []
    for key, values in list(_absent_labels(policy, route_result))[:MOST_LABELS]:
        branches = _branches(policy, router, route_result, key, values[:MOST_VALUES])
        if any(_result_key(each.route_result) != _result_key(route_result) for each in branches):
            more = max(0, len(values) - MOST_VALUES)
            found.append(MissingLabel(key=key, branches=branches, more=more))
    return tuple(found)


def _branches(
    policy: Policy, router: Router, route_result: RouteResult, key: str, values: tuple[str, ...]
) -> tuple[Branch, ...]:
    branches: dict[tuple[object, ...], tuple[list[str], RouteResult]] = {}
    for value in (*values, _OTHER):
        labels = {**route_result.workload.labels, key: value}
        found = find_route_result(policy, replace(route_result.workload, labels=labels), router)
        branches.setdefault(_result_key(found), ([], found))[0].append(value)
    return tuple(
        # The branch of all other values needs no list of values.
        Branch(() if _OTHER in alike else tuple(alike), result)
        for alike, result in branches.values()
    )


def _result_key(route_result: RouteResult) -> tuple[object, ...]:
    if route_result.queue is None:
        return (route_result.reason,)
    return (
        route_result.queue,
        route_result.priority,
        route_result.route.rule,
        accepted_flavors(route_result),
    )


def _absent_labels(
    policy: Policy, route_result: RouteResult
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the labels that routing or the queue refers to and the workload lacks."""
    route, workload = route_result.route, route_result.workload
    values_by_key: dict[str, dict[str, None]] = {}
    referenced = [policy.routing.label_values(workload, route)]
    queue = policy.queue(route.queue)
    if queue is not None:
        referenced.append(load_discipline(policy.discipline).referenced_labels(policy, queue))
    for labels in referenced:
        for key, values in labels.items():
            values_by_key.setdefault(key, {}).update(dict.fromkeys(values))
    for key, found in values_by_key.items():
        if key not in workload.labels:
            yield key, tuple(found)
