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


class OutOfReach(Exception):
    """No connection was to be had; the message says why."""


def reach(connection: BaseDatabaseWrapper, seconds: float, say: Callable[[str], None]) -> None:
    """
    Connect to PostgreSQL, and try again for so many *seconds*.

    *say* is told why, whenever the reason is another one. Raise OutOfReach when it was in vain.
    """
    if connection.vendor != "postgresql":
        return
    deadline = time.monotonic() + seconds
    told = ""
    while True:
        try:
            # Of one that is too old Django says so here already.
            with suppress(NotSupportedError):
                connection.ensure_connection()
        except OperationalError as error:
            reason = str(error).strip().partition("\n")[0]
            if time.monotonic() + PAUSE > deadline:
                raise OutOfReach(
                    f"The database cannot be reached ({reason}); check DATABASE_URL, and that the "
                    "server runs and lets this machine in."
                ) from error
            if reason != told:
                say(f"The database cannot be reached yet ({reason}); trying again.")
                told = reason
            time.sleep(PAUSE)
        else:
            return
