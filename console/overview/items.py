"""Items of the attention list: what wants somebody, as values; words are put to them elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

#: Subjects that one item names; its count has all.
MOST_SUBJECTS: Final = 50


class Level(StrEnum):
    """How grave an item is."""

    ERROR = "error"
    WARNING = "warning"
    #: Worth knowing; it adds nothing to a badge.
    HINT = "hint"


class Kind(StrEnum):
    """What may want somebody, the gravest first: the list is in this order."""

    #: Nothing is decided: no worker, no broker, or too much to do.
    WORKER_LATE = "worker_late"
    #: A version was not confirmed in time, and the one before cannot come back.
    REVERT_FAILED = "revert_failed"
    #: A version waits to be confirmed, else it is taken back.
    VERSION_UNCONFIRMED = "version_unconfirmed"
    #: Rejected in the last hour, for one reason.
    REJECTED = "rejected"
    #: Pending and without any chance, for one reason.
    CANNOT_RUN = "cannot_run"
    #: Work waits for quota of its own queue that others use.
    QUEUE_STARVED = "queue_starved"
    #: Work waits long in a queue that uses all it may.
    QUEUE_AT_CEILING = "queue_at_ceiling"
    EXPECTATIONS_BROKEN = "expectations_broken"
    WEBHOOK_FAILING = "webhook_failing"
    QUEUE_HELD = "queue_held"
    QUEUE_DRAINING = "queue_draining"
    TOKEN_EXPIRES = "token_expires"  # noqa: S105
    #: Drafts that began with a version that is not active any more.
    DRAFT_BEHIND = "draft_behind"
    DRAFT_WAITING = "draft_waiting"
    RULES_IDLE = "rules_idle"


_ERRORS: Final = frozenset(
    {Kind.WORKER_LATE, Kind.REVERT_FAILED, Kind.REJECTED, Kind.CANNOT_RUN, Kind.WEBHOOK_FAILING}
)
_HINTS: Final = frozenset({Kind.DRAFT_BEHIND, Kind.DRAFT_WAITING, Kind.RULES_IDLE})
_PLACES: Final = {kind: place for place, kind in enumerate(Kind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing that an item is about; what does not apply is empty."""

    name: str
    #: Number of a version, draft or webhook; index of a rule, from 0.
    number: int | None = None
    #: How many workloads it concerns.
    count: int = 0
    since: datetime | None = None
    until: datetime | None = None
    #: Who caused it, and what they or the machine said.
    actor: str = ""
    note: str = ""
    cohort: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something that wants somebody."""

    kind: Kind
    #: Which of several: a reason's code, or what a worker lacks.
    reason: str = ""
    #: How many workloads, queues, drafts and so on it is about.
    count: int
    #: Whether there are exactly as many, rather than at least.
    is_exact: bool = True
    #: Since when at least one of them; None where that is not known.
    since: datetime | None = None
    #: The first `MOST_SUBJECTS` of what it is about; of workloads their queues.
    subjects: tuple[Subject, ...] = ()

    @property
    def key(self) -> str:
        """Stays the same while it is about the same matter."""
        return f"{self.kind}.{self.reason}" if self.reason else self.kind.value

    @property
    def level(self) -> Level:
        """How grave it is."""
        if self.kind in _ERRORS:
            return Level.ERROR
        return Level.HINT if self.kind in _HINTS else Level.WARNING

    @property
    def gravity(self) -> tuple[int, int, str]:
        """Sorts the gravest first."""
        return _PLACES[self.kind], -self.count, self.reason
