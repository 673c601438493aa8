"""A transaction that changes the shape of a table that others use: soon, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable

#: Milliseconds that may be waited for the table, since everybody else waits behind it; and for
#: those that its rows belong to, where the server has a vacuum give way after a second.
_PATIENCE: Final = 500
_VACUUMED: Final = 1_500

_REFERENCED: Final = """
SELECT DISTINCT confrelid::regclass::text FROM pg_constraint
WHERE conrelid = %s::regclass AND contype = 'f' ORDER BY 1
"""


class Busy(Exception):
    """Others use the table, and would be kept waiting."""


@contextmanager
def reshaping(table: str, milliseconds: int = _PATIENCE) -> Iterator[Any]:
    """
    Be alone with *table* in a transaction, and with who writes what its rows belong to.

    Yields a cursor. Raises `Busy` when others do not make room within *milliseconds*.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"SET LOCAL lock_timeout = {max(milliseconds, _VACUUMED)}")
            cursor.execute(_REFERENCED, [table])
            # In the order in which the worker writes; keys of new partitions refer to these.
            referenced = ", ".join(name for (name,) in cursor.fetchall())
            cursor.execute(f"LOCK TABLE {referenced} IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute(f"SET LOCAL lock_timeout = {milliseconds}")
            cursor.execute(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
            yield cursor
    except OperationalError as error:
        if isinstance(error.__cause__, (LockNotAvailable, DeadlockDetected)):
            raise Busy from error
        raise
