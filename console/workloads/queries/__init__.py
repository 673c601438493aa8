"""Read queries of workloads, queues, decisions and events."""

from console.paging import DEFAULT_LIMIT, MAX_LIMIT, Page
from console.workloads.queries.feeds import decisions_after, decisions_of, has_decisions
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import list_workloads
from console.workloads.queries.queues import QueueView, hold_of, queue_list, queue_view
from console.workloads.queries.workloads import (
    get_workload,
    pending_in_order,
    position_of,
    reason_of,
    running_of,
    state_counts,
    workload_rows,
)

__all__ = [
    "DEFAULT_LIMIT",
    "MAX_LIMIT",
    "Page",
    "QueueView",
    "WorkloadFilter",
    "decisions_after",
    "decisions_of",
    "get_workload",
    "has_decisions",
    "hold_of",
    "list_workloads",
    "pending_in_order",
    "position_of",
    "queue_list",
    "queue_view",
    "reason_of",
    "running_of",
    "state_counts",
    "workload_rows",
]
