"""Transactions that change the schema of a table in use, with a short lock timeout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable

#: Lock timeouts in milliseconds: for the table, because all other transactions wait behind the
#: lock; and for the referenced tables, where a vacuum ends only after a second.
_PATIENCE: Final = 500
_VACUUMED: Final = 1_500

_REFERENCED: Final = """
SELECT DISTINCT confrelid::regclass::text FROM pg_constraint
WHERE conrelid = %s::regclass AND contype = 'f' ORDER BY 1
"""


class Busy(Exception):
    """The table is in use, and a longer wait would block its users."""


@contextmanager
def schema_lock(table: str, milliseconds: int = _PATIENCE) -> Iterator[Any]:
    """
    Lock *table*, and the tables that it references against writes, in one transaction.

    Yields a cursor. Raises `Busy` if the lock is not available within *milliseconds*.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"SET LOCAL lock_timeout = {max(milliseconds, _VACUUMED)}")
            cursor.execute(_REFERENCED, [table])
            # In the order in which the worker writes; foreign keys of new partitions refer to
            # these.
            referenced = ", ".join(name for (name,) in cursor.fetchall())
            cursor.execute(f"LOCK TABLE {referenced} IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute(f"SET LOCAL lock_timeout = {milliseconds}")
            cursor.execute(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
            yield cursor
    except OperationalError as error:
        if isinstance(error.__cause__, (LockNotAvailable, DeadlockDetected)):
            raise Busy from error
        raise
