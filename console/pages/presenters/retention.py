"""Rows of the retention page: kinds of data, how long each is kept, and the number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from console.pages.presenters.charts.labels import duration_text
from console.pages.templatetags.ui import count
from console.retention.models import Kind
from console.retention.queries import RetentionStatus

_TITLES: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.EVENTS: ("Events", "Actions of the scheduler."),
    Kind.DECISIONS: (
        "Decisions",
        "Every decision of the engine with its explanation. Deleted with the workload.",
    ),
    Kind.WORKLOADS: (
        "Workloads",
        "Counted from their end; pending and running ones are kept. Their events are deleted too.",
    ),
    Kind.MINUTES: ("Usage and waits per minute", "Rolled up to hours before deletion."),
    Kind.HOURS: ("Usage and waits per hour", "Rolled up to days before deletion."),
    Kind.DAYS: ("Usage and waits per day", "With the quota in effect."),
    Kind.ACCOUNTS: (
        "Resource-hours",
        "By consumer; summed up by day after as many days as usage per hour is kept.",
    ),
    Kind.AUDIT: (
        "Audit entries",
        "Actions of members and tokens. The chain of the remaining entries can still be verified.",
    ),
    Kind.DELIVERIES: (
        "Webhook deliveries",
        "With all attempts. Waiting deliveries are kept at any age.",
    ),
    Kind.IMPACTS: ("Impact results", "At most the newest 200."),
    Kind.SHAPES: ("Recorded history", "Shapes of workloads per day, used to compute impact."),
    Kind.ANSWERS: ("Idempotent responses", "For requests with an Idempotency-Key."),
    Kind.SESSIONS: (
        "Browser sessions",
        "Of members, in all organizations; counted from the sign-in.",
    ),
    Kind.DRAFTS: ("Drafts", "Kept until applied or discarded."),
    Kind.VERSIONS: (
        "Config versions",
        "Never deleted: decisions, explanations and rollbacks refer to them.",
    ),
}

#: Kinds that are kept until a member deletes them, and kinds that are never deleted.
_BY_HAND: Final = frozenset({Kind.DRAFTS})
_NEVER: Final = frozenset({Kind.VERSIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRow:
    """One kind of data."""

    status: RetentionStatus
    title: str
    note: str
    kept: str
    rows: str
    #: Interval of the deletion task; empty if the kind is never deleted.
    every: str
    forgotten: str


def retention_rows(statuses: Iterable[RetentionStatus]) -> list[RetentionRow]:
    """Return the rows of *statuses*."""
    return [_row(status) for status in statuses]


def _row(status: RetentionStatus) -> RetentionRow:
    title, note = _TITLES[status.kind]
    return RetentionRow(
        status=status,
        title=title,
        note=note,
        kept=_retention_text(status),
        rows=_rows(status),
        every=f"every {duration_text(status.every)}" if status.every else "",
        forgotten=f"{count(status.forgotten)} deleted" if status.forgotten_at else "",
    )


def _retention_text(status: RetentionStatus) -> str:
    if status.kind in _NEVER:
        return "forever"
    if status.kind in _BY_HAND:
        return "until discarded"
    if status.days is None:
        return "forever, as set"
    return f"{count(status.days)} day{'s' if status.days != 1 else ''}"


def _rows(status: RetentionStatus) -> str:
    found = status.rows
    if found.count is None:
        return "—"
    return f"more than {count(found.count)}" if found.is_more else count(found.count)
