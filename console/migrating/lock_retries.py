"""
Migrating a PostgreSQL database that others use: give up a lock quickly, and ask for it again.

Changing a table takes a lock on it, for a moment. Whoever holds the table first, with a long
query or a transaction left open, makes the migration wait, and everybody who comes later waits
behind the migration. So it waits for a short time only, lets the others through, and tries
again. Each migration is one transaction or one step that may be repeated: whatever was cut off
is done again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

#: Seconds that a migration waits for a lock, and everybody else behind it.
LOCK_SECONDS = 2

#: Seconds for which the others have the table before it is tried again.
PAUSE = 3

#: How often it is tried: for about three minutes.
ATTEMPTS = 40

#: How PostgreSQL calls a lock that did not come in time, and a deadlock.
_LOCK_ERRORS = ("55P03", "40P01")

#: Names the turn among the advisory locks of the database.
_LOCK_KEY = 0x511CE


class LockNotAcquired(Exception):
    """A lock was not to be had; the message says what to do."""


def migrate_with_lock_retries(
    connection: BaseDatabaseWrapper, migrate: Callable[[], object], say: Callable[[str], None]
) -> None:
    """
    Run *migrate*, one process at a time, and again whenever a lock is not to be had in time.

    *say* is told of every further attempt. Raise LockNotAcquired when there were too many. On SQLite
    it runs once: its writers take turns by themselves.
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
                f"A migration did not get a table within {LOCK_SECONDS} seconds, because others "
                f"use it; they go on, and it is tried again in {PAUSE} seconds."
            )
            time.sleep(PAUSE)
        else:
            return
    raise LockNotAcquired(
        f"A migration did not get a table in {ATTEMPTS} attempts, because others use it; what was "
        "migrated before it stays, and the running version goes on. End what holds the table "
        "(pg_stat_activity shows the oldest transactions), and migrate again."
    )


@contextmanager
def _migration_lock(connection: BaseDatabaseWrapper, say: Callable[[str], None]) -> Iterator[None]:
    """Be the only one that migrates, with short patience for locks, as long as it lasts."""
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
        # Turn and patience are the connection's, and go with it.
        connection.close()


def _try_lock(connection: BaseDatabaseWrapper) -> bool:
    """
    Take the turn if nobody has it.

    To wait for it in the database would be a transaction that grows old, for the end of
    which an index that is built concurrently waits in turn.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK_KEY])
        [is_locked] = cursor.fetchone()
    return bool(is_locked)
