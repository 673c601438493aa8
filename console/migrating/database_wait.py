"""Waiting for a database server that starts later than what needs it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from django.db import NotSupportedError, OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper

#: Seconds between two attempts.
PAUSE: Final = 2


class DatabaseUnreachable(Exception):
    """No connection was to be had; the message says why."""


def wait_for_database(
    connection: BaseDatabaseWrapper, seconds: float, say: Callable[[str], None]
) -> None:
    """
    Connect to PostgreSQL, and try again for so many *seconds*.

    *say* is said why, whenever the reason is another one. Raise DatabaseUnreachable when it was in vain.
    """
    if connection.vendor != "postgresql":
        return
    deadline = time.monotonic() + seconds
    said = ""
    while True:
        try:
            # Of one that is too old Django says so here already.
            with suppress(NotSupportedError):
                connection.ensure_connection()
        except OperationalError as error:
            reason = str(error).strip().partition("\n")[0]
            if time.monotonic() + PAUSE > deadline:
                raise DatabaseUnreachable(
                    f"The database cannot be reached ({reason}); check DATABASE_URL, and that the "
                    "server runs and lets this machine in."
                ) from error
            if reason != said:
                say(f"The database cannot be reached yet ({reason}); trying again.")
                said = reason
            time.sleep(PAUSE)
        else:
            return
