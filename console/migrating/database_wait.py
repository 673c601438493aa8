"""Wait for a database server that is not ready yet."""

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
    """The database did not accept a connection; the message says why."""


def wait_for_database(
    connection: BaseDatabaseWrapper, seconds: float, say: Callable[[str], None]
) -> None:
    """
    Connect to PostgreSQL, with retries for up to *seconds*.

    *say* receives each new reason of a failure. Raise DatabaseUnreachable after the last attempt.
    """
    if connection.vendor != "postgresql":
        return
    deadline = time.monotonic() + seconds
    said = ""
    while True:
        try:
            # Django raises this for a server that is too old, which is checked later.
            with suppress(NotSupportedError):
                connection.ensure_connection()
        except OperationalError as error:
            reason = str(error).strip().partition("\n")[0]
            if time.monotonic() + PAUSE > deadline:
                raise DatabaseUnreachable(
                    f"The database cannot be reached ({reason}); check DATABASE_URL, and that the "
                    "server runs and accepts connections from this machine."
                ) from error
            if reason != said:
                say(f"The database cannot be reached yet ({reason}); trying again.")
                said = reason
            time.sleep(PAUSE)
        else:
            return
