"""
Convert tables into partitioned ones, while they are not in use.

Rows of decisions and events are not moved: the old table becomes the first partition of a new one
with the same name. Samples are far fewer and are copied to their partitions. Names of tables,
indexes and constraints stay, so that later migrations find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from console.retention.partitions.catalogue import bounds, is_partitioned, name_of
from console.retention.partitions.create_ahead import create
from console.retention.partitions.schema_lock import schema_lock
from console.retention.partitions.tables import (
    NUMBERED,
    SAMPLED,
    Numbered,
    Sampled,
    Timed,
    last_key,
)

#: Lock timeout in milliseconds.
_PATIENCE: Final = 10_000

_INDEXES: Final = """
SELECT c.relname, pg_get_indexdef(c.oid), EXISTS (
    SELECT 1 FROM pg_constraint WHERE conindid = c.oid AND conrelid = i.indrelid
)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = %s::regclass ORDER BY c.relname
"""
_CONSTRAINTS: Final = """
SELECT conname, contype = 'p', pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = %s::regclass AND contype IN ('p', 'u', 'f') ORDER BY conname
"""


def convert_tables(now: datetime) -> list[str]:
    """
    Partition every registered table that is not partitioned yet; return their names.

    Each table is converted in its own transaction, and a repeated call continues after an
    interruption. Raises `Busy` if a table is in use.
    """
    turned = []
    for numbered in NUMBERED:
        if not is_partitioned(numbered.table):
            _turn_numbered(numbered, now)
            turned.append(numbered.table)
    for sampled in SAMPLED:
        if not is_partitioned(sampled.table):
            _turn_sampled(sampled, now)
            turned.append(sampled.table)
    for table in turned:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {table}")
    return turned


def _turn_numbered(each: Numbered, now: datetime) -> None:
    with schema_lock(each.table, _PATIENCE) as cursor:
        cut = each.after(each.reached(now))
        first = name_of(each.table, None)
        _replace(cursor, each.table, first, "RANGE (id)", ())
        cursor.execute(f"ALTER TABLE {each.table} ATTACH PARTITION {first} {bounds(None, cut)}")
        create(cursor, each.table, [cut, None])


def _turn_sampled(each: Sampled, now: datetime) -> None:
    if each.steps:
        _turn_by_step(each, now)
    else:
        _turn_by_time(each, now)


def _turn_by_time(each: Sampled, now: datetime) -> None:
    with schema_lock(each.table, _PATIENCE) as cursor:
        whole = f"{each.table}_whole"
        _replace(cursor, each.table, whole, "RANGE (start)", ("start",))
        for timed in each.timed:
            _create_times(cursor, timed, whole, now)
        _move(cursor, whole, each.table)


def _turn_by_step(each: Sampled, now: datetime) -> None:
    with schema_lock(each.table, _PATIENCE) as cursor:
        whole = f"{each.table}_whole"
        _replace(cursor, each.table, whole, "LIST (step)", ("step", "start"))
        parts = {timed.table: timed for timed in each.timed}
        for step in each.steps:
            part = f"{each.table}_{step}"
            timed = parts.get(part)
            by = "PARTITION BY RANGE (start)" if timed else ""
            cursor.execute(
                f"CREATE TABLE {part} PARTITION OF {each.table} FOR VALUES IN ('{step}') {by}"
            )
            if timed:
                _create_times(cursor, timed, f"{whole} WHERE step = '{step}'", now)
        _move(cursor, whole, each.table)


class _Index(NamedTuple):
    name: str
    definition: str
    #: Whether it belongs to a constraint.
    is_implied: bool


def _replace(cursor: Any, table: str, old: str, by: str, key: Sequence[str]) -> None:
    """
    Rename *table* to *old*, and create an empty copy of it that is partitioned *by*.

    *key* has the columns that a unique constraint of a partitioned table needs beside the primary
    key.
    """
    cursor.execute(_INDEXES, [table])
    indexes = [_Index(*row) for row in cursor.fetchall()]
    cursor.execute(_CONSTRAINTS, [table])
    constraints = cursor.fetchall()
    last = last_key(cursor, table)
    # Partitions have no sequences, so the new table gets its own.
    cursor.execute(f"ALTER TABLE {table} ALTER COLUMN id DROP IDENTITY")
    for index in indexes:
        cursor.execute(f'ALTER INDEX "{index.name}" RENAME TO "{index.name[:57]}_first"')
    cursor.execute(f"ALTER TABLE {table} RENAME TO {old}")
    cursor.execute(f"CREATE TABLE {table} (LIKE {old} INCLUDING CONSTRAINTS) PARTITION BY {by}")
    cursor.execute(f"CREATE SEQUENCE {table}_id_seq AS bigint OWNED BY {table}.id")
    if last is not None:
        cursor.execute("SELECT setval(%s, %s)", [f"{table}_id_seq", last])
    cursor.execute(f"ALTER TABLE {table} ALTER id SET DEFAULT nextval('{table}_id_seq')")
    for name, is_primary, definition in constraints:
        found = f"PRIMARY KEY ({', '.join(('id', *key))})" if is_primary else definition
        cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {found}')
    for index in indexes:
        if not index.is_implied:
            cursor.execute(index.definition)


def _create_times(cursor: Any, each: Timed, rows: str, now: datetime) -> None:
    """Create the partitions needed for *rows*, a table with an optional condition."""
    cursor.execute(f"SELECT min(start) FROM {rows}")  # noqa: S608
    (earliest,) = cursor.fetchone()
    cuts = [each.after(min(earliest or now, now))]
    while cuts[-1] <= now:
        cuts.append(each.after(cuts[-1]))
    create(cursor, each.table, [None, *cuts, None])


def _move(cursor: Any, old: str, table: str) -> None:
    cursor.execute(f"INSERT INTO {table} SELECT * FROM {old}")  # noqa: S608
    cursor.execute(f"DROP TABLE {old}")
