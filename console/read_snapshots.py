"""Several queries that read one state of the database, while others write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def read_snapshot() -> Iterator[None]:
    """
    Let all queries of the block read the state of the first one; it neither waits nor blocks.

    Call it outside of a transaction: inside one, its isolation level applies. The block only reads.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        connection.ensure_connection()
        sqlite: Any = connection
        # An immediate transaction, as `console.settings` configures, would block writers.
        usual, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
        try:
            with transaction.atomic():
                yield
        finally:
            sqlite.transaction_mode = usual
