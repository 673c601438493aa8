"""
Raw SQL with constant text, which PostgreSQL prepares and plans once for each connection.

It serves the statements of every request and every batch: to compile such a query in Django and to
plan it takes several times as long as to execute it.

The result types of a statement must not change, or PostgreSQL refuses to execute the cached plan.
Therefore texts are cast to text, so that a migration may lengthen their columns meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Self

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor, Pipeline

#: The active pipeline, or None.
_pipeline: ContextVar[Pipeline | None] = ContextVar("pipeline", default=None)


def run(statement: str, parameters: Sequence[Any], *, is_replanned: bool = False) -> int:
    """
    Execute *statement*, and return the number of changed rows; -1 (unknown) in a `pipeline`.

    *is_replanned* makes the server plan each execution: the best plan for many rows depends on the
    size of the table, and the plan for an empty table would be kept until the next ANALYZE.
    """
    with _cursor(_Replanning if is_replanned else Cursor) as cursor:
        cursor.execute(statement, parameters)
        _sync_pipeline()
        count: int = cursor.rowcount
    return count


@contextmanager
def pipeline() -> Iterator[None]:
    """
    Send the statements of each `run` inside without waiting for results, if the database can.

    It is for short statements, for which the round trip costs more than the execution. Inside a
    transaction, statements after a failed one are not executed; the error is raised at a later
    statement that reads results, or at the end.
    """
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline() as pipeline:
        token = _pipeline.set(pipeline)
        try:
            yield
            pipeline.sync()
        except SoftTimeLimitExceeded:
            # Otherwise the pipeline would wait for the statement that took too long.
            connection.connection.close()
            raise
        finally:
            _pipeline.reset(token)


def _sync_pipeline() -> None:
    """
    Send a sync message after a statement in a pipeline, without waiting for the result.

    The server is then idle in transaction, and ends the session after
    `idle_in_transaction_session_timeout`: a process that is stopped inside a pipeline holds no
    locks. This is `Pipeline.sync` without its waiting.
    """
    if (pipeline := _pipeline.get()) is not None:
        pipeline.result_queue.append(None)
        connection.connection.pgconn.pipeline_sync()


def rows(
    statement: str, parameters: Sequence[Any], *, is_replanned: bool = False
) -> list[tuple[Any, ...]]:
    """Return the rows of *statement*; JSON is returned as text. *is_replanned* is as in `run`."""
    with _cursor(_Replanning if is_replanned else Cursor) as cursor:
        cursor.execute(statement, parameters)
        _sync_pipeline()
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def as_utc(value: datetime) -> datetime:
    """Return a time from `rows` in UTC: a time from SQLite has no time zone."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


#: SQL conditions that a column is one of the keys, or texts, of a parameter from `list_parameter`.
#: PostgreSQL gets an array, whose length it sees when it plans. For a subquery, it would assume 100
#: rows; and for an organization without recent statistics, it assumes one row and would scan the
#: list for each row: with 20,000 values, that takes seconds.
AMONG_KEYS, AMONG_TEXTS = {
    "sqlite": 2 * ("IN (SELECT value FROM json_each(%s))",),
    "postgresql": ("= ANY(%s::bigint[])", "= ANY(%s::text[])"),
}[connection.vendor]


def list_parameter(values: Iterable[int] | Iterable[str]) -> Any:
    """Return *values* as the parameter of AMONG_KEYS or AMONG_TEXTS."""
    found = list(values)
    return found if connection.vendor == "postgresql" else json.dumps(found)


class _Replanning(Cursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Execute a query without caching its plan."""
        return super().execute(query, params, **{**options, "prepare": False})


def _cursor(kind: type[Cursor[Any]]) -> CursorWrapper:
    """
    Return a cursor that binds parameters on the server.

    Django's cursor interpolates parameters into the statement, so that each text is different; for
    a megabyte of rows, that takes longer than to insert them.
    """
    # Django's own cursor logs queries, for tests and debugging.
    if connection.vendor != "postgresql" or connection.queries_logged:
        return connection.cursor()
    connection.ensure_connection()
    cursor: Any = kind(connection.connection)
    return connection.make_cursor(cursor)
