"""States of workloads under the names that applications have in this protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.api.yunikorn.shapes import nanoseconds
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

#: The states of workloads in each list of applications.
ACTIVE, ENDED, REFUSED = "active", "completed", "rejected"
LISTS: Final[Mapping[str, tuple[State, ...]]] = {
    ACTIVE: (State.PENDING, State.ADMITTED, State.PREEMPTING),
    REFUSED: (State.REJECTED,),
    ENDED: (State.FINISHED, State.WITHDRAWN),
}

#: The states of workloads for each status of active applications, in lower case; Sluice has no
#: counterpart of some.
STATUSES: Final[Mapping[str, tuple[State, ...]]] = {
    "new": (State.PENDING,),
    "accepted": (State.PENDING,),
    "running": (State.ADMITTED,),
    "completing": (),
    "failing": (State.PREEMPTING,),
    "resuming": (),
}


def state_name(workload: Workload) -> str:
    """Return the name of the state of a workload."""
    if workload.state == State.PENDING and workload.queue is None:
        return NEW
    return STATE_NAMES[workload.state]


def state_log(workload: Workload) -> list[dict[str, Any]]:
    """Return the states that a workload has been in, as far as their times are stored."""
    moments = [(workload.submitted_at, NEW)]
    if workload.admitted_at is not None:
        moments.append((workload.admitted_at, RUNNING))
    if workload.ended_at is not None:
        moments.append((workload.ended_at, state_name(workload)))
    return [{"time": nanoseconds(time), "applicationState": name} for time, name in moments]
