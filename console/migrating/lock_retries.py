"""
Migration of a PostgreSQL database in use, with a short lock timeout and retries.

A change of a table takes a short lock on it. A long query or an open transaction makes the
migration wait for the lock, and all later queries of the table wait behind the migration.
Therefore the migration waits only for a short time, lets the others continue, and tries again.
Each migration is one transaction or one repeatable step, so an interrupted one is run again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

#: Seconds that a migration waits for a lock, and other queries behind it.
LOCK_SECONDS = 2

#: Seconds between two attempts, for the other queries.
PAUSE = 3

#: The most attempts: about three minutes.
ATTEMPTS = 40

#: SQLSTATE codes of a lock timeout and a deadlock.
_LOCK_ERRORS = ("55P03", "40P01")

#: The key of the advisory lock that serializes migrations.
_LOCK_KEY = 0x511CE


class LockNotAcquired(Exception):
    """A table lock was not acquired; the message says what to do."""


def migrate_with_lock_retries(
    connection: BaseDatabaseWrapper, migrate: Callable[[], object], say: Callable[[str], None]
) -> None:
    """
    Run *migrate* in one process at a time, and retry it after a lock timeout or a deadlock.

    *say* receives a sentence for every retry. Raise LockNotAcquired after too many attempts. On
    SQLite, which serializes writers, *migrate* runs once.
    """
    if connection.vendor != "postgresql":
        migrate()
        return
    for _ in range(ATTEMPTS):
        try:
            with _migration_lock(connection, say):
                migrate()
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) not in _LOCK_ERRORS:
                raise
            say(
                f"A migration could not lock a table within {LOCK_SECONDS} seconds, because other "
                f"transactions use it; retrying in {PAUSE} seconds."
            )
            time.sleep(PAUSE)
        else:
            return
    raise LockNotAcquired(
        f"A migration could not lock a table in {ATTEMPTS} attempts, because other transactions "
        "use it. Earlier migrations are applied, and the running version is not affected. End the "
        "transactions that use the table (pg_stat_activity shows the oldest), and migrate again."
    )


@contextmanager
def _migration_lock(connection: BaseDatabaseWrapper, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the advisory lock for migrations, and set a short lock timeout."""
    try:
        waits = False
        while not _try_lock(connection):
            if not waits:
                say("Another process is migrating the database; waiting for it to end.")
            waits = True
            time.sleep(0.5)
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{LOCK_SECONDS}s"])
        yield
    finally:
        # The advisory lock and the timeout belong to the connection and end with it.
        connection.close()


def _try_lock(connection: BaseDatabaseWrapper) -> bool:
    """
    Return whether the advisory lock was acquired; do not wait.

    Waiting in the database would be a long transaction, and the concurrent build of an index
    waits for the end of older transactions.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK_KEY])
        [is_locked] = cursor.fetchone()
    return bool(is_locked)
