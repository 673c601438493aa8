"""
Statements whose text never changes, which PostgreSQL therefore plans once for each connection.

For what is asked at every request or in every batch: to put such a statement together and to plan
it takes several times as long as to carry it out.

What such a statement returns may never change its type, or PostgreSQL refuses to carry out what it
has planned: texts are cast to text, so that a migration may make their columns longer meanwhile.
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

#: What statements are sent by while they go in a row.
_row: ContextVar[Pipeline | None] = ContextVar("row", default=None)


def run(statement: str, parameters: Sequence[Any], *, is_replanned: bool = False) -> int:
    """
    Send *statement*, and return how many rows it changed; -1 in a `pipeline`: not known yet.

    *is_replanned* has it planned each time: the best way to find many rows depends on how large
    their table is, and the plan for one that is still empty would be kept until the server counts
    its rows again.
    """
    with _cursor(_Replanning if is_replanned else Cursor) as cursor:
        cursor.execute(statement, parameters)
        _end_statement()
        count: int = cursor.rowcount
    return count


@contextmanager
def pipeline() -> Iterator[None]:
    """
    Send what is `run` inside without waiting for each answer, where the database can do so.

    For short statements: to send one and to wait for it costs both sides more than to carry it
    out. Inside a transaction, what comes after one that fails is not carried out; the error is
    raised at the next statement that hears of it, and at the end at the latest.
    """
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline() as pipeline:
        token = _row.set(pipeline)
        try:
            yield
            pipeline.sync()
        except SoftTimeLimitExceeded:
            # Or the pipeline would wait for the very statement that took too long.
            connection.connection.close()
            raise
        finally:
            _row.reset(token)


def _end_statement() -> None:
    """
    Tell the server that a statement in a row is whole; nothing is waited for.

    Then it waits for the next one as for any other, and not for longer than
    `idle_in_transaction_session_timeout`: a process that is stopped in the middle of a row keeps
    nothing locked. This is `Pipeline.sync` without its waiting.
    """
    if (pipeline := _row.get()) is not None:
        pipeline.result_queue.append(None)
        connection.connection.pgconn.pipeline_sync()


def rows(
    statement: str, parameters: Sequence[Any], *, is_replanned: bool = False
) -> list[tuple[Any, ...]]:
    """Return the rows that *statement* has; JSON comes as text. *is_replanned* is as in `run`."""
    with _cursor(_Replanning if is_replanned else Cursor) as cursor:
        cursor.execute(statement, parameters)
        _end_statement()
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def moment_of(value: datetime) -> datetime:
    """Return a time that `rows` has: that of SQLite does not say that it is UTC."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


#: What a column is that is one of the keys, or of the texts, of a parameter that `listed` made.
#: PostgreSQL is given an array, whose length it sees when it plans. Rows that a query lists it
#: believes to be a hundred; and of an organization whose rows it has not counted lately it expects
#: one, for which it would go through the list: for 20,000 of them, that takes seconds.
AMONG_KEYS, AMONG_TEXTS = {
    "sqlite": 2 * ("IN (SELECT value FROM json_each(%s))",),
    "postgresql": ("= ANY(%s::bigint[])", "= ANY(%s::text[])"),
}[connection.vendor]


def listed(values: Iterable[int] | Iterable[str]) -> Any:
    """Return the parameter that lists *values* in a statement with AMONG_KEYS or AMONG_TEXTS."""
    found = list(values)
    return found if connection.vendor == "postgresql" else json.dumps(found)


class _Replanning(Cursor[Any]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        """Send a query whose plan is not kept."""
        return super().execute(query, params, **{**options, "prepare": False})


def _cursor(kind: type[Cursor[Any]]) -> CursorWrapper:
    """
    Return a cursor whose parameters the server puts in.

    Django's writes them into the statement, which then is another one each time; and of a megabyte
    of rows, that takes longer than to insert them.
    """
    # Django's own cursor can tell what it sent, for whoever wants to see that.
    if connection.vendor != "postgresql" or connection.queries_logged:
        return connection.cursor()
    connection.ensure_connection()
    cursor: Any = kind(connection.connection)
    return connection.make_cursor(cursor)
