"""Workloads with small requests, requests of all quota, and requests above the quota."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final

from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.model.amounts import SCALE, Unlimited
from console.engine.model.policy import Policy
from console.engine.model.selectors import Operator, Selector
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import rules_of
from console.errors import BadRequest
from console.reading import LARGEST_INTEGER
from console.workloads.submissions import RESERVED, Submission, read_submissions

#: Maximum number of entrances of a config; there may be thousands.
_MOST: Final = 4


def workloads_for(policy: Policy) -> list[Submission]:
    """Return workloads that request the quota of *policy*, without those that the API refuses."""
    found = []
    for local_queue, (queue, labels, namespace) in enumerate(_entrances(policy)):
        if local_queue == _MOST:
            break
        for size, requests in _requests(policy.queues.get(queue)):
            body = {"name": f"{size} {local_queue}", "namespace": namespace, "requests": requests}
            body["priority"] = None if size == "little" else 7
            tags = {key: value for key, value in labels.items() if key not in RESERVED}
            facts = {RESERVED[key]: labels[key] for key in labels.keys() & RESERVED.keys()}
            with suppress(BadRequest):
                found += read_submissions([{**facts, **body, "tags": tags}])
    return found


def _entrances(policy: Policy) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield each reachable queue with the labels and namespace that route to it."""
    routing = local_routing_of(policy)
    if routing is not None:
        for local_queue in routing.local_queues.values():
            yield local_queue.queue, {routing.queue_label: local_queue.name}, local_queue.namespace
    for rule in rules_of(policy):
        queue = policy.queues[rule.queue]
        labels: dict[str, str] = {}
        for flavor in (entry.flavor for group in queue.groups for entry in group.flavors[:1]):
            if flavor in spec_of(policy).flavors:
                labels |= _labels(spec_of(policy).flavors[flavor].selector)
        yield rule.queue, labels | _labels(rule.selector), ""


def _labels(selector: Selector) -> dict[str, str]:
    """Return labels that *selector* requires."""
    wanted = (Operator.IN, Operator.EXISTS)
    return {
        each.key: min(each.values, default="any")
        for each in selector.expressions
        if each.operator in wanted
    }


def _requests(queue: QueueSpec | None) -> Iterator[tuple[str, dict[str, Any]]]:
    owned = {
        resource: quota.nominal
        for group in (queue.groups if queue else ())
        for entry in group.flavors[:1]
        for resource, quota in entry.quotas.items()
    }
    yield "little", dict.fromkeys(owned, 1)
    yield (
        "all",
        {
            resource: Decimal(1 if isinstance(nominal, Unlimited) else nominal) / SCALE
            for resource, nominal in owned.items()
        },
    )
    yield "more", dict.fromkeys(owned, LARGEST_INTEGER)
