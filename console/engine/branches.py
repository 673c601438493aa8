"""Branches: what becomes of a workload when a label that it lacks is there after all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from console.engine.landing import Landing, accepted_flavors, land
from console.engine.policy import Policy
from console.engine.routing import Router

#: Missing labels that are looked at, and values of each.
MOST_LABELS, MOST_VALUES = 12, 12

#: Stands for every value that nothing asks for; text that is stored never has a NUL.
_OTHER = "\x00"


@dataclass(frozen=True, slots=True)
class Branch:
    """Values of one label that lead to the same end, and that end."""

    #: Empty: any value that is not told of otherwise.
    values: tuple[str, ...]
    landing: Landing

    @property
    def flavors(self) -> tuple[str, ...]:
        """The flavors that accept the workload then."""
        return accepted_flavors(self.landing)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLabel:
    """A label that the config asks for and the workload lacks, and what it would change."""

    key: str
    branches: tuple[Branch, ...]
    #: Values that were not looked at.
    more: int = 0


def missing_labels(
    policy: Policy, landing: Landing, router: Router | None = None
) -> tuple[MissingLabel, ...]:
    """
    Return the labels that the workload of *landing* lacks and that could change its way.

    Those of rules after the one that took it have no say. A label that would lead to the
    same end whatever its value is left out. *router* is one of the same policy.
    """
    router = router or Router(policy)
    found = []
    for key, values in list(_asked(policy, landing))[:MOST_LABELS]:
        branches = _branches(policy, router, landing, key, values[:MOST_VALUES])
        if any(_end(each.landing) != _end(landing) for each in branches):
            more = max(0, len(values) - MOST_VALUES)
            found.append(MissingLabel(key=key, branches=branches, more=more))
    return tuple(found)


def _branches(
    policy: Policy, router: Router, landing: Landing, key: str, values: tuple[str, ...]
) -> tuple[Branch, ...]:
    ends: dict[tuple[object, ...], tuple[list[str], Landing]] = {}
    for value in (*values, _OTHER):
        labels = {**landing.workload.labels, key: value}
        found = land(policy, replace(landing.workload, labels=labels), router)
        ends.setdefault(_end(found), ([], found))[0].append(value)
    return tuple(
        # What any other value does, those that are named do as well: one word for both.
        Branch(() if _OTHER in alike else tuple(alike), end)
        for alike, end in ends.values()
    )


def _end(landing: Landing) -> tuple[object, ...]:
    if landing.queue is None:
        return (landing.reason,)
    return (
        landing.queue,
        landing.priority,
        landing.route.rule,
        accepted_flavors(landing),
    )


def _asked(policy: Policy, landing: Landing) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the labels that are absent and that routing or the flavors ask about."""
    asked: dict[str, dict[str, None]] = {}
    routing = policy.local_routing
    if routing is not None:
        names = (n for space, n in routing.local_queues if space == landing.workload.namespace)
        asked[routing.queue_label] = dict.fromkeys(names)
        asked[routing.priority_label] = dict.fromkeys(routing.priority_classes)
    last = landing.route.rule
    selectors = [rule.selector for rule in policy.rules if last is None or rule.index <= last]
    queue = policy.queues.get(landing.route.queue or "")
    for group in queue.groups if queue is not None else ():
        flavors = (policy.flavors.get(entry.flavor) for entry in group.flavors)
        selectors += [flavor.selector for flavor in flavors if flavor is not None]
    for selector in selectors:
        for each in selector.expressions:
            asked.setdefault(each.key, {}).update(dict.fromkeys(each.values))
    for key, values in asked.items():
        if key not in landing.workload.labels:
            yield key, tuple(values)
