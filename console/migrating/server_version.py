"""Which database server is too old."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from django.db import NotSupportedError
from django.db.backends.base.base import BaseDatabaseWrapper

#: The oldest PostgreSQL that Django and our statements work with.
OLDEST_POSTGRESQL: Final = 14


class ServerTooOld(Exception):
    """The server is older than what is needed; the message says what both are."""


def refuse_old_server(connection: BaseDatabaseWrapper) -> None:
    """Raise ServerTooOld for a PostgreSQL that is; DatabaseError when it does not answer."""
    if connection.vendor != "postgresql":
        return
    # Django refuses some with a traceback in every process, and knows their version all the same.
    with suppress(NotSupportedError):
        connection.ensure_connection()
    major, minor = connection.get_database_version()
    if major < OLDEST_POSTGRESQL:
        raise ServerTooOld(
            f"The database is PostgreSQL {major}.{minor}, and Sluice needs PostgreSQL "
            f"{OLDEST_POSTGRESQL} or newer; upgrade it, or have DATABASE_URL name another."
        )
