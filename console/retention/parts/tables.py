"""
Which tables are partitioned, by what, and where one partition ends and the next begins.

Apps register them in their modules `retention`. Decisions and events are cut by their primary key,
so that the key stays unique by itself and lists, which walk along it, go from one partition to the
next. Samples have unique constraints without that key, and are cut by time.
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

    rows: models.Manager[Any]
    kind: Kind
    #: The setting that says for how many days its rows are kept.
    setting: str
    #: SQL that leaves of a partition `p` the rows that have to be kept, given the moment of the
    #: oldest day that is kept.
    staying: str
    column: str = "id"

    @property
    def table(self) -> str:
        """Return its name."""
        table: str = self.rows.model._meta.db_table
        return table

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
    #: Returns the moment from which on rows are kept.
    kept_since: Callable[[datetime], datetime]
    #: SQL that leaves of a partition `p` the rows that have to be kept, given its end.
    staying: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """A table of samples as the models have it, and those of its parts that are cut by time."""

    table: str
    timed: tuple[Timed, ...]
    #: Values of the column `step`, each of which has a part `<table>_<step>` of its own; empty
    #: where the whole table is cut by time.
    steps: tuple[str, ...] = ()


#: What apps have registered, in that order.
NUMBERED: Final[list[Numbered]] = []
SAMPLED: Final[list[Sampled]] = []
TIMED: Final[list[Timed]] = []


def register_numbered(*tables: Numbered) -> None:
    """Register tables that are cut by their primary key."""
    NUMBERED.extend(tables)


def register_sampled(*tables: Sampled) -> None:
    """Register tables that are cut by time."""
    SAMPLED.extend(tables)
    TIMED.extend(timed for each in tables for timed in each.timed)
