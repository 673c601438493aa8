"""
Which tables are partitioned, by what, and where one partition ends and the next begins.

Decisions and events are cut by their primary key, so that the key stays unique by itself and
lists, which walk along it, go from one partition to the next. Samples have unique constraints
without that key, and are cut by time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from django.conf import settings
from django.db import connection

from console.retention.models import Kind
from console.series.models import SeriesPoint, Step, Tally
from console.workloads.models import Decision, Event

B = TypeVar("B", int, datetime)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def last_key(cursor: Any, table: str) -> int | None:
    """Return the last primary key that was given in *table*; None before the first."""
    cursor.execute(
        "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')::regclass)", [table]
    )
    (last,) = cursor.fetchone()
    return None if last is None else int(last)


class Ranged(Protocol[B]):
    """A table whose partitions are ranges of one column, without gaps and open at both ends."""

    @property
    def table(self) -> str:
        """Its name."""

    @property
    def column(self) -> str:
        """The column that its partitions are ranges of."""

    def read(self, text: str) -> B:
        """Return a bound as the database writes it."""

    def after(self, value: B) -> B:
        """Return the first bound behind *value*."""

    def reached(self, now: datetime) -> B:
        """Return what rows that are written now have in the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """A table that is cut by its primary key, into `PARTITION_ROWS` numbers each."""

    model: type[Decision | Event]
    kind: Kind
    #: The setting that says for how many days its rows are kept.
    setting: str
    column: str = "id"

    @property
    def table(self) -> str:
        """Return its name."""
        return self.model._meta.db_table

    def read(self, text: str) -> int:
        """Return a bound as the database writes it."""
        return int(text)

    def after(self, value: int) -> int:
        """Return the first bound behind *value*."""
        rows: int = settings.PARTITION_ROWS
        return (value // rows + 1) * rows

    def reached(self, now: datetime) -> int:
        """Return the last key that was given."""
        with connection.cursor() as cursor:
            return last_key(cursor, self.table) or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A table of samples that is cut by time, into stretches of *length* since 1970."""

    table: str
    kind: Kind
    length: timedelta
    #: How long its rows are kept: as those of this step.
    step: Step
    column: str = "start"

    def read(self, text: str) -> datetime:
        """Return a bound as the database writes it."""
        return datetime.fromisoformat(text)

    def after(self, value: datetime) -> datetime:
        """Return the first bound behind *value*."""
        return _EPOCH + ((value - _EPOCH) // self.length + 1) * self.length

    def reached(self, now: datetime) -> datetime:
        """Return *now*."""
        return now


NUMBERED: Final = (
    Numbered(model=Decision, kind=Kind.DECISIONS, setting="WORKLOAD_RETENTION_DAYS"),
    Numbered(model=Event, kind=Kind.EVENTS, setting="EVENT_RETENTION_DAYS"),
)

#: The tables of samples as the models have them.
TALLIES: Final = Tally._meta.db_table
POINTS: Final = SeriesPoint._meta.db_table

TIMED: Final = (
    Timed(table=TALLIES, kind=Kind.MINUTES, length=timedelta(days=1), step=Step.MINUTE),
    # Each step is kept for another time, so it has partitions of its own; of days there are few.
    Timed(
        table=f"{POINTS}_{Step.MINUTE.value}",
        kind=Kind.MINUTES,
        length=timedelta(days=1),
        step=Step.MINUTE,
    ),
    Timed(
        table=f"{POINTS}_{Step.HOUR.value}",
        kind=Kind.HOURS,
        length=timedelta(days=10),
        step=Step.HOUR,
    ),
)
