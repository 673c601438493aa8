"""Requests of pending workloads by queue, with their highest priority."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

from console.orgs.models import Organization
from console.workloads.models import PendingClass
from console.workloads.stored_texts import as_text


@dataclass(slots=True)
class QueuePending:
    """The pending workloads of one queue."""

    #: Number of workloads by priority.
    counts: Counter[int] = field(default_factory=Counter)
    #: What all of them request, in thousandths, by resource.
    requests: Counter[str] = field(default_factory=Counter)


def pending_by_queue(org: Organization) -> dict[str, QueuePending]:
    """
    Return the pending workloads of each queue that has some.

    Reads one row for each pending class instead of the workloads.
    """
    found: dict[str, QueuePending] = {}
    rows = PendingClass.objects.filter(org=org, count__gt=0)
    for queue, priority, requests, count in rows.values_list(
        "queue", "priority", as_text("requests"), "count"
    ):
        pending = found.setdefault(queue, QueuePending())
        pending.counts[priority] += count
        for resource, amount in json.loads(requests).items():
            pending.requests[resource] += amount * count
    return found
