"""Rows of the exported list of queues, with numbers instead of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from console.engine.model.amounts import amount_to_number
from console.engine.model.capacity_node import CapacityNode
from console.pages.presenters.queues.queue import queue_row
from console.pages.queue_form import state_of
from console.series.waits import WaitQuantiles
from console.time_formats import to_iso
from console.workloads.queries import QueueView
from console.workloads.queries.pressure import utilization_of

#: Columns of a file; NDJSON also has all flavor-resources in *usage*.
COLUMNS: Final = (
    *(
        "queue",
        "cohort",
        "state",
        "held_until",
        "running",
        "pending",
        "cannot_run",
        "oldest_pending",
    ),
    *("wait_p50_seconds", "wait_p95_seconds", "waits"),
    *("top_reason", "top_reason_count", "preemption"),
    *("pressure_resource", "pressure_wanted", "pressure_free", "utilization"),
    *(
        "flavor",
        "resource",
        "nominal",
        "used",
        "borrowed",
        "lent",
        "available",
        "demand",
        "cannot_run_demand",
    ),
)


def file_rows(
    views: Iterable[QueueView], waits: Mapping[str, WaitQuantiles]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of *views*; *waits* maps queues to wait quantiles. Null means no limit."""
    for view in views:
        wait, pressure = waits[view.name], view.pressure
        top, count = next(iter(view.reasons.items()), ("", 0))
        tightest = queue_row(view).tightest
        usages = {(usage.flavor, usage.resource): usage for usage in view.usages}
        yield {
            "queue": view.name,
            "cohort": view.cohort,
            "state": state_of(view),
            "held_until": to_iso(view.held.until) if view.held and view.held.until else None,
            "running": view.running,
            "pending": view.pending,
            "cannot_run": view.cannot_run,
            "oldest_pending": to_iso(view.oldest_pending) if view.oldest_pending else None,
            "wait_p50_seconds": wait.p50,
            "wait_p95_seconds": wait.p95,
            "waits": wait.n,
            "top_reason": top or None,
            "top_reason_count": count,
            "preemption": view.preemption_summary,
            "pressure_resource": pressure.resource or None,
            "pressure_wanted": amount_to_number(pressure.wanted),
            "pressure_free": amount_to_number(pressure.free),
            "utilization": _finite(utilization_of(view.usages)),
            **(_usage(usages[tightest.flavor, tightest.resource]) if tightest else {}),
            "usage": [_usage(usage) for usage in view.usages],
        }


def _usage(usage: CapacityNode) -> dict[str, Any]:
    return {
        "flavor": usage.flavor,
        "resource": usage.resource,
        "nominal": amount_to_number(usage.guaranteed),
        "used": amount_to_number(usage.used),
        "borrowed": amount_to_number(usage.borrowed),
        "lent": amount_to_number(usage.lent),
        "available": amount_to_number(usage.available),
        "demand": amount_to_number(usage.demand),
        "cannot_run_demand": amount_to_number(usage.cannot_run_demand),
    }


def _finite(value: float) -> float | None:
    return round(value, 3) if value != float("inf") else None
