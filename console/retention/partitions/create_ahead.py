"""Create partitions in advance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

import structlog

from console.retention.partitions.catalogue import Part, bounds, name_of, parts_of
from console.retention.partitions.schema_lock import Busy, schema_lock
from console.retention.partitions.tables import NUMBERED, TIMED, B, Ranged

log = structlog.get_logger("console.retention")


def create_ahead(now: datetime) -> int:
    """
    Ensure that an empty partition follows the current one; return the number of new partitions.

    The last partition has no upper bound, so that rows can be written even if this task does not
    run; new partitions are split off from it. A table that is in use or not partitioned is
    skipped.
    """
    made = 0
    for numbered in NUMBERED:
        made += _extend(numbered, now)
    for timed in TIMED:
        made += _extend(timed, now)
    return made


def _extend(each: Ranged[B], now: datetime) -> int:
    parts = parts_of(each)
    if not parts or next(_cuts(each, parts[-1], now), None) is None:
        return 0
    try:
        return _cut(each, parts[-1], now)
    except Busy:
        log.info("no time to make partitions", table=each.table)
        return 0


def _cut(each: Ranged[B], last: Part[B], now: datetime) -> int:
    """Split partitions off the *last* one; return their number."""
    with schema_lock(each.table) as cursor:
        # If the last partition already has rows, it is split after them.
        cursor.execute(f"SELECT max({each.column}) FROM {last.name}")  # noqa: S608
        largest: B | None = cursor.fetchone()[0]
        cuts: list[B] = list(_cuts(each, last, now, largest))
        if cuts:
            cursor.execute(f"ALTER TABLE {each.table} DETACH PARTITION {last.name}")
            within = bounds(last.since, cuts[0])
            cursor.execute(f"ALTER TABLE {each.table} ATTACH PARTITION {last.name} {within}")
            create(cursor, each.table, [*cuts, None])
    return len(cuts)


def create(cursor: Any, table: str, edges: Sequence[object]) -> None:
    """Create a partition between each two of the ordered *edges*; None is unbounded."""
    for since, until in pairwise(edges):
        name = name_of(table, since)
        cursor.execute(f"CREATE TABLE {name} PARTITION OF {table} {bounds(since, until)}")


def _cuts(each: Ranged[B], last: Part[B], now: datetime, largest: B | None = None) -> Iterator[B]:
    """Yield the bounds that are needed after the start of *last* and its *largest* value."""
    if last.since is None:
        return
    end = each.after(each.after(each.reached(now)))
    bound = each.after(last.since if largest is None else max(last.since, largest))
    while bound <= end:
        yield bound
        bound = each.after(bound)
