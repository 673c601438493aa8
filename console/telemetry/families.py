"""The metrics of Sluice: name, meaning and labels of each, in one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.telemetry.models import Metric


@dataclass(frozen=True, slots=True)
class Family:
    """One metric as monitoring systems know it, without the prefix `sluice_`."""

    name: str
    meaning: str
    labels: tuple[str, ...]


_QUEUE = ("org", "queue")
_CELL = ("org", "cohort", "queue", "flavor", "resource")

#: What rows say of this moment.
GAUGES: Final = {
    family.name: family
    for family in (
        Family("workloads", "Workloads by state.", ("org", "state")),
        Family("pending_workloads", "Workloads that wait, by why.", (*_QUEUE, "reason")),
        Family("admitted_active_workloads", "Workloads that hold quota.", _QUEUE),
        Family("queue_status", "1 for what the queue is.", (*_QUEUE, "status")),
        Family("queue_resource_usage", "What workloads of the queue hold.", _CELL),
        Family("queue_resource_borrowed", "What of that belongs to others.", _CELL),
        Family("queue_resource_lent", "What others hold of its nominal quota.", _CELL),
        Family("queue_resource_demand", "What its pending workloads ask for.", _CELL),
        Family("queue_nominal_quota", "What the queue owns.", _CELL),
        Family("queue_borrowing_limit", "What it may borrow at most.", _CELL),
        Family("queue_lending_limit", "What it may lend at most.", _CELL),
        Family("config_version", "The config version that the engine decides under.", ("org",)),
        Family("intake_oldest_seconds", "Age of the oldest request not taken in.", ("org",)),
        Family("intake_requests", "Accepted requests not taken in.", ("org",)),
    )
}

#: What totals say, as counters.
COUNTERS: Final = {
    Metric.SUBMITTED: Family("submitted_workloads", "Workloads taken in.", _QUEUE),
    Metric.ADMITTED: Family("admitted_workloads", "Admissions.", _QUEUE),
    Metric.REJECTED: Family("rejected_workloads", "Rejections.", (*_QUEUE, "reason")),
    Metric.EVICTED: Family("evicted_workloads", "Preemptions.", (*_QUEUE, "reason")),
    Metric.FINISHED: Family("finished_workloads", "Workloads that ended well.", _QUEUE),
    Metric.WITHDRAWN: Family("withdrawn_workloads", "Workloads taken back.", _QUEUE),
    Metric.TAKEOVER: Family(
        "lease_takeovers", "Leases taken from a process that was silent or gone.", ("org",)
    ),
}

#: What the broker says of expensive questions: how many are under way, and counters.
UNDER_WAY: Final = Family(
    "expensive_questions", "Expensive questions that are being answered.", ("kind",)
)
TAKEN: Final = Family(
    "expensive_questions_taken", "Expensive questions that were let in.", ("kind",)
)
REFUSED: Final = Family(
    "expensive_questions_refused", "Expensive questions that found no place.", ("kind",)
)

#: What totals say of durations, as histograms.
HISTOGRAMS: Final = {
    Metric.ADMISSION_WAIT: Family(
        "admission_wait_time_seconds", "From submission to the first admission.", _QUEUE
    ),
    Metric.CYCLE: Family(
        "admission_cycle_seconds", "What an engine took to decide one batch.", ("org",)
    ),
    Metric.INTAKE_WAIT: Family(
        "intake_wait_seconds", "From an accepted request to the engine that takes it in.", ("org",)
    ),
    Metric.LOAD: Family(
        "engine_load_seconds", "What it took to read an engine's state from rows.", ("org",)
    ),
}
