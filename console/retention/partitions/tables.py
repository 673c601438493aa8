"""
Registry of partitioned tables, their partition columns and the bounds of partitions.

Apps register their tables in their modules `retention`. Decisions and events are partitioned by
their primary key, so that the key stays unique without other columns, and lists, which are ordered
by it, read one partition after the other. Samples have unique constraints without that key, and
are partitioned by time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from django.conf import settings
from django.db import connection, models

from console.retention.models import Kind

B = TypeVar("B", int, datetime)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def last_key(cursor: Any, table: str) -> int | None:
    """Return the last primary key of *table*; None before the first."""
    cursor.execute(
        "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id')::regclass)", [table]
    )
    (last,) = cursor.fetchone()
    return None if last is None else int(last)


class Ranged(Protocol[B]):
    """A table partitioned by ranges of one column, without gaps and unbounded at both ends."""

    @property
    def table(self) -> str:
        """Name of the table."""

    @property
    def column(self) -> str:
        """The partition column."""

    def read(self, text: str) -> B:
        """Return a bound in the format of the database."""

    def after(self, value: B) -> B:
        """Return the first bound after *value*."""

    def reached(self, now: datetime) -> B:
        """Return the value of the column for rows written now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """A table that is partitioned by its primary key, in ranges of `PARTITION_ROWS`."""

    rows: models.Manager[Any]
    kind: Kind
    #: The setting of its retention period in days.
    setting: str
    #: SQL condition for the rows of a partition `p` that have to be kept; its parameter is the
    #: start of the retention period.
    kept_rows: str
    column: str = "id"

    @property
    def table(self) -> str:
        """Name of the table."""
        table: str = self.rows.model._meta.db_table
        return table

    def read(self, text: str) -> int:
        """Return a bound in the format of the database."""
        return int(text)

    def after(self, value: int) -> int:
        """Return the first bound after *value*."""
        rows: int = settings.PARTITION_ROWS
        return (value // rows + 1) * rows

    def reached(self, now: datetime) -> int:
        """Return the last key."""
        with connection.cursor() as cursor:
            return last_key(cursor, self.table) or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """A table of samples that is partitioned by time, in intervals of *length* since 1970."""

    table: str
    kind: Kind
    length: timedelta
    #: Returns the start of the retention period.
    kept_since: Callable[[datetime], datetime]
    #: SQL condition for the rows of a partition `p` that have to be kept; its parameter is the end
    #: of the partition.
    kept_rows: str
    column: str = "start"

    def read(self, text: str) -> datetime:
        """Return a bound in the format of the database."""
        return datetime.fromisoformat(text)

    def after(self, value: datetime) -> datetime:
        """Return the first bound after *value*."""
        return _EPOCH + ((value - _EPOCH) // self.length + 1) * self.length

    def reached(self, now: datetime) -> datetime:
        """Return *now*."""
        return now


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A table of samples, and those of its parts that are partitioned by time."""

    table: str
    timed: tuple[Timed, ...]
    #: Values of the column `step` that have their own part `<table>_<step>`; empty if the whole
    #: table is partitioned by time.
    steps: tuple[str, ...] = ()


#: Registered tables, in order of registration.
NUMBERED: Final[list[Numbered]] = []
SAMPLED: Final[list[Sampled]] = []
TIMED: Final[list[Timed]] = []


def register_numbered(*tables: Numbered) -> None:
    """Register tables that are partitioned by their primary key."""
    NUMBERED.extend(tables)


def register_sampled(*tables: Sampled) -> None:
    """Register tables that are partitioned by time."""
    SAMPLED.extend(tables)
    TIMED.extend(timed for each in tables for timed in each.timed)
