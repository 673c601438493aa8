"""Attention items, as values without texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: Maximum number of subjects of one item; its count includes all.
MOST_SUBJECTS: Final = 50


class Level(StrEnum):
    """Severity of an item."""

    ERROR = "error"
    WARNING = "warning"
    #: A hint, which is not counted in badges.
    HINT = "hint"


class Kind(StrEnum):
    """Kinds of items, the most severe first, in the order of the list."""

    #: No decisions are made: no worker, no broker, or overload.
    WORKER_LATE = "worker_late"
    #: A version was not confirmed in time, and the previous version cannot be restored.
    REVERT_FAILED = "revert_failed"
    #: A version waits for confirmation and is reverted otherwise.
    VERSION_UNCONFIRMED = "version_unconfirmed"
    #: A scheduled change was not made since the active version.
    CHANGE_FAILED = "change_failed"
    #: Rejected in the last hour, for one reason.
    REJECTED = "rejected"
    #: Pending workloads that cannot run, for one reason.
    CANNOT_RUN = "cannot_run"
    #: Workloads run on a cluster that is silent or reports an error.
    CLUSTER_AWAY = "cluster_away"
    #: Workloads wait for quota of their own queue that other queues use.
    QUEUE_STARVED = "queue_starved"
    #: Workloads wait long in a queue that uses its limit.
    QUEUE_AT_CEILING = "queue_at_ceiling"
    EXPECTATIONS_BROKEN = "expectations_broken"
    WEBHOOK_FAILING = "webhook_failing"
    QUEUE_HELD = "queue_held"
    QUEUE_DRAINING = "queue_draining"
    TOKEN_EXPIRES = "token_expires"  # noqa: S105
    #: Drafts based on a version that is not active any more.
    DRAFT_BEHIND = "draft_behind"
    DRAFT_WAITING = "draft_waiting"
    #: Changes of the config that are to come.
    CHANGE_SCHEDULED = "change_scheduled"
    RULES_IDLE = "rules_idle"


_ERRORS: Final = frozenset(
    {Kind.WORKER_LATE, Kind.REVERT_FAILED, Kind.REJECTED, Kind.CANNOT_RUN, Kind.WEBHOOK_FAILING}
)
_HINTS: Final = frozenset(
    {Kind.DRAFT_BEHIND, Kind.DRAFT_WAITING, Kind.CHANGE_SCHEDULED, Kind.RULES_IDLE}
)
_PLACES: Final = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One object of an item; fields that do not apply are empty."""

    name: str
    #: Number of a version, draft or webhook; index of a rule, from 0.
    number: int | None = None
    #: Number of affected workloads.
    count: int = 0
    since: datetime | None = None
    until: datetime | None = None
    #: The actor that caused it, and the reason or error message.
    actor: str = ""
    note: str = ""
    cohort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An attention item."""

    kind: Kind
    #: Distinguishes items of a kind: the code of a reason, or the part that a worker lacks.
    reason: str = ""
    #: Number of affected workloads, queues, drafts or other objects.
    count: int
    #: Whether the count is exact rather than a lower bound.
    is_exact: bool = True
    #: Start of the oldest case; None if unknown.
    since: datetime | None = None
    #: The first `MOST_SUBJECTS` affected objects; for workloads, their queues.
    subjects: tuple[Subject, ...] = ()

    @property
    def key(self) -> str:
        """Stable identifier of the item."""
        return f"{self.kind}.{self.reason}" if self.reason else self.kind.value

    @property
    def level(self) -> Level:
        """Severity of the item."""
        if self.kind in _ERRORS:
            return Level.ERROR
        return Level.HINT if self.kind in _HINTS else Level.WARNING

    @property
    def gravity(self) -> tuple[int, int, str]:
        """Sort key, the most severe first."""
        return _PLACES[self.kind], -self.count, self.reason
