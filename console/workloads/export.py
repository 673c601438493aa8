"""The list of workloads as rows of an export, read page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from console.engine.model.amounts import amount_to_number
from console.engine.wording.reasons import reason_message
from console.orgs.permissions import Actor
from console.paging import MAX_LIMIT, every_row
from console.time_formats import to_iso
from console.workloads.models import Workload
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import Order, list_workloads
from console.workloads.queries.workloads import reason_of
from console.workloads.stored_assignments import stored_flavors

#: Columns of the exported file.
EXPORTED = (
    *("id", "name", "type", "state", "reason", "message", "queue", "requests", "flavors"),
    *("priority", "requested_priority", "user", "project", "namespace", "labels"),
    *("config_version", "submitted_at", "admitted_at", "ended_at", "preemptions"),
)


def exported_rows(
    actor: Actor, conditions: WorkloadFilter, order: Order = Order.NEWEST
) -> Iterator[dict[str, Any]]:
    """Yield every workload that matches *conditions*, in an *order*."""
    rows = every_row(lambda cursor: list_workloads(actor.org, conditions, MAX_LIMIT, cursor, order))
    return map(_row, rows)


def _row(workload: Workload) -> dict[str, Any]:
    reason = reason_of(workload)
    times = ("submitted_at", "admitted_at", "ended_at")
    moments = {name: getattr(workload, name) for name in times}
    return {
        "id": workload.uid,
        "name": workload.name,
        "type": workload.type,
        "state": workload.state,
        "reason": reason,
        "message": reason_message(reason, workload.missing),  # type: ignore[attr-defined]
        "queue": workload.queue,
        "requests": {name: amount_to_number(each) for name, each in workload.requests.items()},
        "flavors": stored_flavors(workload.assignment),
        "priority": workload.priority,
        "requested_priority": workload.requested_priority,
        "user": workload.user,
        "project": workload.project,
        "namespace": workload.namespace,
        "labels": workload.labels,  # type: ignore[attr-defined]
        "config_version": workload.config_version,
        **{name: to_iso(at) if at is not None else None for name, at in moments.items()},
        "preemptions": workload.preemptions,
    }
