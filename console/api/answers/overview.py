"""Response body of the overview."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from console.api.answers.times import time_answer
from console.engine.model.amounts import amount_to_number
from console.engine.model.capacity_node import CapacityNode
from console.overview.items import Item, Kind, Subject
from console.overview.numbers import Number, Numbers

#: URL names of the kinds that have one URL.
_LINKS: Final = {
    Kind.REVERT_FAILED: "api:config-confirm",
    Kind.VERSION_UNCONFIRMED: "api:config-confirm",
    Kind.CHANGE_FAILED: "api:scheduled-changes",
    Kind.CHANGE_SCHEDULED: "api:scheduled-changes",
    Kind.EXPECTATIONS_BROKEN: "api:expectations",
    Kind.CLUSTER_AWAY: "api:capacity",
    Kind.QUEUE_STARVED: "api:queues",
    Kind.QUEUE_AT_CEILING: "api:queues",
    Kind.QUEUE_HELD: "api:queues",
    Kind.QUEUE_DRAINING: "api:queues",
    Kind.RULES_IDLE: "api:config",
    Kind.WEBHOOK_FAILING: "api:webhooks",
    Kind.TOKEN_EXPIRES: "api:tokens",
}
_STATES: Final = {Kind.REJECTED: "rejected", Kind.CANNOT_RUN: "pending"}


def item_answer(org: str, item: Item) -> dict[str, Any]:
    """Return an item of the organization with the slug *org*."""
    return {
        "key": item.key,
        "code": item.kind.value,
        "reason": item.reason or None,
        "level": item.level.value,
        "count": item.count,
        "is_exact": item.is_exact,
        "since": time_answer(item.since),
        "subjects": [_subject(each) for each in item.subjects],
        "link": _link(org, item),
    }


def numbers_answer(numbers: Numbers) -> dict[str, Any]:
    """Return the counts of running, pending and rejected workloads."""
    return {
        "running": _number(numbers.running),
        "pending": _number(numbers.pending) | {"cannot_run": numbers.cannot_run},
        "rejected": _number(numbers.rejected),
    }


def org_usage_answer(usage: CapacityNode) -> dict[str, Any]:
    """Return one flavor-resource of the whole organization."""
    return {
        "flavor": usage.flavor,
        "resource": usage.resource,
        "nominal": amount_to_number(usage.guaranteed),
        "used": amount_to_number(usage.used),
        "over": amount_to_number(usage.over),
        "demand": amount_to_number(usage.demand),
        "cannot_run_demand": amount_to_number(usage.cannot_run_demand),
    }


def _subject(subject: Subject) -> dict[str, Any]:
    return {
        "name": subject.name,
        "number": subject.number,
        "count": subject.count,
        "since": time_answer(subject.since),
        "until": time_answer(subject.until),
        "actor": subject.actor,
        "note": subject.note,
    }


def _link(org: str, item: Item) -> str | None:
    if item.kind in _STATES:
        query = urlencode({"state": _STATES[item.kind], "reason": item.reason})
        return f"{reverse('api:workloads', args=[org])}?{query}"
    name = _LINKS.get(item.kind)
    if name == "api:queues" and len(item.subjects) == 1:
        return reverse("api:queue", args=[org, item.subjects[0].name])
    return reverse(name, args=[org]) if name else None


def _number(number: Number) -> dict[str, Any]:
    week_ago = number.week_ago
    return {"now": number.now, "week_ago": None if week_ago is None else round(week_ago, 3)}
