"""States of workloads under the names that applications have in this protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.workloads.models import State, Workload

NEW: Final = "New"
ACCEPTED: Final = "Accepted"
RUNNING: Final = "Running"
FAILING: Final = "Failing"
COMPLETED: Final = "Completed"
FAILED: Final = "Failed"
REJECTED: Final = "Rejected"

#: The name of each state; a pending workload without a queue is `NEW`.
STATE_NAMES: Final[Mapping[str, str]] = {
    State.PENDING: ACCEPTED,
    State.ADMITTED: RUNNING,
    #: Its pods have to stop.
    State.PREEMPTING: FAILING,
    State.FINISHED: COMPLETED,
    State.REJECTED: REJECTED,
    State.WITHDRAWN: FAILED,
}


def state_name(workload: Workload) -> str:
    """Return the name of the state of a workload."""
    if workload.state == State.PENDING and workload.queue is None:
        return NEW
    return STATE_NAMES[workload.state]
