"""What is kept for how long, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from console.pages.presenters.charts.labels import span
from console.pages.templatetags.ui import count
from console.retention.models import Kind
from console.retention.queries import Keeping

_TITLES: Final[Mapping[Kind, tuple[str, str]]] = {
    Kind.EVENTS: ("Events", "What the scheduler did."),
    Kind.DECISIONS: (
        "Decisions",
        "Every answer of the engine, with the steps that explain it. They go with their workload.",
    ),
    Kind.WORKLOADS: (
        "Workloads",
        "From their end on; what waits or runs stays. Their events go with them at the latest.",
    ),
    Kind.MINUTES: ("Use and waits by the minute", "Rolled up to hours before they go."),
    Kind.HOURS: ("Use and waits by the hour", "Rolled up to days before they go."),
    Kind.DAYS: ("Use and waits by the day", "With the quota that was in force."),
    Kind.AUDIT: (
        "Audit entries",
        "What people and tokens did. The chain of those that are left can still be verified.",
    ),
    Kind.DELIVERIES: (
        "Deliveries of webhooks",
        "With every attempt. What still waits to be delivered stays, however old it is.",
    ),
    Kind.IMPACTS: ("Answers about impact", "And never more than the newest 200."),
    Kind.SHAPES: ("Recorded history", "Kinds of workload by the day: what configs are judged by."),
    Kind.ANSWERS: ("Answers to repeated requests", "Those with an Idempotency-Key."),
    Kind.SESSIONS: (
        "Browser sessions",
        "Of people, in all organizations; from the sign-in on.",
    ),
    Kind.DRAFTS: ("Drafts", "Until somebody discards them, or applies them."),
    Kind.VERSIONS: (
        "Versions of the config",
        "Never deleted: decisions, explanations and roll back refer to them.",
    ),
}

#: What stays until somebody does something about it, and what is never deleted on purpose.
_BY_HAND: Final = frozenset({Kind.DRAFTS})
_NEVER: Final = frozenset({Kind.VERSIONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingRow:
    """One kind of thing, finished."""

    keeping: Keeping
    title: str
    note: str
    kept: str
    rows: str
    #: Words of how often it is looked through; empty when it is not.
    every: str
    forgotten: str


def keeping_rows(keepings: Iterable[Keeping]) -> list[KeepingRow]:
    """Return the rows of a table."""
    return [_row(keeping) for keeping in keepings]


def _row(keeping: Keeping) -> KeepingRow:
    title, note = _TITLES[keeping.kind]
    return KeepingRow(
        keeping=keeping,
        title=title,
        note=note,
        kept=_kept(keeping),
        rows=_rows(keeping),
        every=f"every {span(keeping.every)}" if keeping.every else "",
        forgotten=f"{count(keeping.forgotten)} deleted" if keeping.forgotten_at else "",
    )


def _kept(keeping: Keeping) -> str:
    if keeping.kind in _NEVER:
        return "for ever"
    if keeping.kind in _BY_HAND:
        return "until discarded"
    if keeping.days is None:
        return "for ever, as set"
    return f"{count(keeping.days)} day{'s' if keeping.days != 1 else ''}"


def _rows(keeping: Keeping) -> str:
    found = keeping.rows
    if found.count is None:
        return "—"
    return f"more than {count(found.count)}" if found.is_more else count(found.count)
