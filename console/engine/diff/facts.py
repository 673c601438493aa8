"""What the objects of a policy say, and what is said of them, one fact at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from console.engine.diff.plain import plain, said_fields
from console.engine.diff.quotas import quota_facts
from console.engine.model.policy import Cohort, Policy, Queue


class Fact(NamedTuple):
    """One thing that can be said of an object."""

    about: tuple[str, ...]
    #: Whether objects differ by it; most queues have the same order and preemption.
    tells: bool


#: The facts of one object, with their values as text.
Facts: TypeAlias = dict[Fact, str]


def flavor_facts(policy: Policy) -> dict[str, Facts]:
    """Return what is known of each flavor: its fields, and what nodes own of it."""
    found = {name: dict(_fields(flavor, (), tells=True)) for name, flavor in policy.flavors.items()}
    for kind, nodes in (("queue", policy.queues), ("cohort", policy.cohorts)):
        for name, node in nodes.items():
            for (flavor, resource, limit), number in quota_facts(node.groups).items():
                if flavor in found:
                    fact = Fact(("quota", kind, name, resource, limit), tells=True)
                    found[flavor][fact] = str(number)
    return found


def cohort_facts(policy: Policy) -> dict[str, Facts]:
    """Return what is known of each cohort: its fields, its quota and its members."""
    found = {name: dict(_node(cohort)) for name, cohort in policy.cohorts.items()}
    for kind, nodes in (("queue", policy.queues), ("cohort", policy.cohorts)):
        for name, node in nodes.items():
            if node.parent in found:
                found[node.parent][Fact(("member", kind, name), tells=True)] = ""
    return found


def queue_facts(policy: Policy) -> dict[str, Facts]:
    """Return what is known of each queue: its fields, its quota, and what leads to it."""
    found = {name: dict(_node(queue)) for name, queue in policy.queues.items()}
    for rule in policy.rules:
        if rule.queue in found:
            asks = repr((plain(rule.selector), plain(rule.priority)))
            found[rule.queue][Fact(("rule", asks), tells=True)] = ""
    if policy.local_routing is not None:
        for (namespace, name), local_queue in policy.local_routing.local_queues.items():
            if local_queue.queue in found:
                found[local_queue.queue][Fact(("local_queue", namespace, name), tells=True)] = ""
    return found


def _node(node: Queue | Cohort) -> Iterator[tuple[Fact, str]]:
    yield from _fields(node, ("groups",), tells=False)
    for cell, number in quota_facts(node.groups).items():
        yield Fact(("quota", *cell), tells=True), str(number)


def _fields(item: Any, without: tuple[str, ...], *, tells: bool) -> Iterator[tuple[Fact, str]]:
    for name, value in said_fields(item, ("name", *without)).items():
        yield Fact(("field", name), tells), repr(value)
