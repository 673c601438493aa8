"""The list of all metrics: name, help text and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.telemetry.models import Metric


@dataclass(frozen=True, slots=True)
class Family:
    """One metric, without the prefix `sluice_`."""

    name: str
    meaning: str
    labels: tuple[str, ...]


_QUEUE = ("org", "queue")
_CELL = ("org", "cohort", "queue", "flavor", "resource")

#: Gauges, read from rows.
GAUGES: Final = {
    family.name: family
    for family in (
        Family("workloads", "Workloads by state.", ("org", "state")),
        Family("pending_workloads", "Pending workloads by reason.", (*_QUEUE, "reason")),
        Family("admitted_active_workloads", "Workloads that hold quota.", _QUEUE),
        Family("queue_status", "1 for the current status of the queue.", (*_QUEUE, "status")),
        Family("queue_resource_usage", "Quota used by workloads of the queue.", _CELL),
        Family("queue_resource_borrowed", "Used quota that is borrowed.", _CELL),
        Family("queue_resource_lent", "Nominal quota used by other queues.", _CELL),
        Family("queue_resource_demand", "Requests of pending workloads that can run.", _CELL),
        Family(
            "queue_resource_cannot_run_demand",
            "Requests of pending workloads that cannot run.",
            _CELL,
        ),
        Family("queue_nominal_quota", "Nominal quota of the queue.", _CELL),
        Family("queue_borrowing_limit", "Borrowing limit of the queue.", _CELL),
        Family("queue_lending_limit", "Lending limit of the queue.", _CELL),
        Family("config_version", "Config version of the engine.", ("org",)),
        Family("intake_oldest_seconds", "Age of the oldest intake in seconds.", ("org",)),
        Family("intake_requests", "Accepted requests that the engine has not applied.", ("org",)),
    )
}

#: Counters, read from totals.
COUNTERS: Final = {
    Metric.SUBMITTED: Family("submitted_workloads", "Submitted workloads.", _QUEUE),
    Metric.ADMITTED: Family("admitted_workloads", "Admissions.", _QUEUE),
    Metric.REJECTED: Family("rejected_workloads", "Rejections.", (*_QUEUE, "reason")),
    Metric.EVICTED: Family("evicted_workloads", "Preemptions.", (*_QUEUE, "reason")),
    Metric.FINISHED: Family("finished_workloads", "Finished workloads.", _QUEUE),
    Metric.WITHDRAWN: Family("withdrawn_workloads", "Withdrawn workloads.", _QUEUE),
    Metric.TAKEOVER: Family(
        "lease_takeovers", "Leases taken from a process that ended or did not renew.", ("org",)
    ),
}

#: Expensive requests, counted in the broker: those in progress, and counters.
UNDER_WAY: Final = Family("expensive_questions", "Expensive requests in progress.", ("kind",))
TAKEN: Final = Family(
    "expensive_questions_taken", "Expensive requests that were started.", ("kind",)
)
REFUSED: Final = Family(
    "expensive_questions_refused", "Expensive requests rejected at the limit.", ("kind",)
)

#: Histograms of durations, read from totals.
HISTOGRAMS: Final = {
    Metric.ADMISSION_WAIT: Family(
        "admission_wait_time_seconds", "Time from submission to the first admission.", _QUEUE
    ),
    Metric.CYCLE: Family("admission_cycle_seconds", "Time to decide one batch.", ("org",)),
    Metric.INTAKE_WAIT: Family(
        "intake_wait_seconds",
        "Time from an accepted request until the engine applies it.",
        ("org",),
    ),
    Metric.LOAD: Family(
        "engine_load_seconds", "Time to rebuild an engine state from rows.", ("org",)
    ),
}
