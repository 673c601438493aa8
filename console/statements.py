"""
Statements whose text never changes, which PostgreSQL therefore plans once for each connection.

For what is asked at every request or in every batch: to put such a statement together and to plan
it takes several times as long as to carry it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor


def run(statement: str, parameters: Sequence[Any]) -> int:
    """Send *statement*, and return how many rows it changed."""
    with _cursor() as cursor:
        cursor.execute(statement, parameters)
        count: int = cursor.rowcount
    return count


def rows(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows that *statement* has; JSON comes as text."""
    with _cursor() as cursor:
        cursor.execute(statement, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def _cursor() -> CursorWrapper:
    """
    Return a cursor whose parameters the server puts in.

    Django's writes them into the statement, which then is another one each time; and of a megabyte
    of rows, that takes longer than to insert them.
    """
    if connection.vendor != "postgresql":
        return connection.cursor()
    connection.ensure_connection()
    cursor: Any = Cursor(connection.connection)
    wrap = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    return wrap(cursor)
