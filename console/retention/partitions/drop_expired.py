"""Drop partitions whose rows have all expired, which frees their disk space at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from console.retention.partitions.catalogue import Part, parts_of
from console.retention.partitions.schema_lock import Busy, schema_lock
from console.retention.partitions.tables import NUMBERED, TIMED, Numbered, Timed
from console.retention.record_deletions import record_deletions

#: Timeout in seconds for the check of one partition.
_PATIENCE: Final = 30

#: Longer than any transaction, so that all transactions that wrote into a partition have ended.
_LATE: Final = timedelta(hours=1)

log = structlog.get_logger("console.retention")


def drop_expired(now: datetime) -> int:
    """
    Drop partitions whose rows have all expired; return their number.

    Decisions expire when all their workloads have; minutes and hours, when they are rolled up in
    all organizations. A table that is in use is skipped until the next call.
    """
    dropped = 0
    for table, part, each in _due(now):
        try:
            rows = _rows_by_org(part) if _has_expired(each, part, now) else None
            if rows is None:
                continue
            with schema_lock(table) as cursor:
                cursor.execute(f"DROP TABLE {part.name}")
        except Busy:
            log.info("no time to drop a partition", partition=part.name)
            continue
        record_deletions(each.kind, rows)
        log.info("partition dropped", partition=part.name, rows=sum(rows.values()))
        dropped += 1
    return dropped


def _due(now: datetime) -> Iterator[tuple[str, Part[Any], Numbered | Timed]]:
    """Yield the partitions that are older than the retention period."""
    for numbered in NUMBERED:
        if getattr(settings, numbered.setting):
            reached = numbered.reached(now)
            for part in parts_of(numbered):
                if part.until is not None and part.until <= reached:
                    yield numbered.table, part, numbered
    for timed in TIMED:
        since = timed.kept_since(now)
        for span in parts_of(timed):
            if span.until is not None and span.until <= since:
                yield timed.table, span, timed


def _has_expired(each: Numbered | Timed, part: Part[Any], now: datetime) -> bool:
    """Return whether no rows are added to a partition any more and all its rows have expired."""
    if isinstance(each, Timed):
        return not _has_rows(part, each.kept_rows, part.until)
    behind = each.rows.filter(pk__gte=part.until).order_by("pk")
    followed = behind.values_list("created_at", flat=True).first()
    if followed is None or followed > now - _LATE:
        return False
    limit = now - timedelta(days=getattr(settings, each.setting))
    # The newest first, because rows to keep are mostly among them.
    return not _has_rows(part, f"{each.kept_rows} ORDER BY p.id DESC", limit)


def _has_rows(part: Part[Any], condition: str, value: object) -> bool:
    query = f"SELECT 1 FROM {part.name} AS p {condition} LIMIT 1"  # noqa: S608
    return bool(_found(query, [value]))


def _rows_by_org(part: Part[Any]) -> Mapping[int, int]:
    return dict(_found(f"SELECT org_id, count(*) FROM {part.name} GROUP BY org_id", []))  # noqa: S608


def _found(query: str, parameters: list[Any]) -> list[Any]:
    """Return the rows of a query; raises `Busy` if it takes longer than the timeout."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{_PATIENCE}s'")
            cursor.execute(query, parameters)
            return list(cursor.fetchall())
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise Busy from error
        raise
