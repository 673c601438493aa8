"""Queries of partitions in the catalogue of the database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Generic

from django.db import connection

from console.retention.partitions.tables import B, Ranged

_PARTS: Final = """
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE i.inhparent = to_regclass(%s)
"""
_BOUNDS: Final = re.compile(r"FOR VALUES FROM \((.+)\) TO \((.+)\)")


@dataclass(frozen=True, slots=True)
class Part(Generic[B]):
    """A partition with its bounds: start inclusive, end exclusive; None is unbounded."""

    name: str
    since: B | None
    until: B | None


def parts_of(each: Ranged[B]) -> list[Part[B]]:
    """Return the partitions of a table in order; none if it is not partitioned or missing."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTS, [each.table])
        found = [_part(each, name, bounds) for name, bounds in cursor.fetchall()]
    # The first partition has no lower bound.
    return sorted(found, key=lambda part: (part.since is not None, part.since))


def is_partitioned(table: str) -> bool:
    """Return whether a table is partitioned."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relkind FROM pg_class WHERE oid = to_regclass(%s)", [table])
        return bool(cursor.fetchone() == ("p",))


def name_of(table: str, since: object) -> str:
    """Return the name of the partition of *table* that begins at *since*."""
    suffix = "first" if since is None else re.sub(r"\D", "", str(since).partition("+")[0])
    return f"{table}_part_{suffix}"


def bounds(since: object, until: object) -> str:
    """Return the bounds of a partition in SQL."""
    begin = "MINVALUE" if since is None else f"'{since}'"
    end = "MAXVALUE" if until is None else f"'{until}'"
    return f"FOR VALUES FROM ({begin}) TO ({end})"


def _part(each: Ranged[B], name: str, text: str) -> Part[B]:
    found = _BOUNDS.fullmatch(text)
    assert found is not None, (name, text)
    since, until = (
        None if bound in ("MINVALUE", "MAXVALUE") else each.read(bound.strip("'"))
        for bound in found.groups()
    )
    return Part(name, since, until)
