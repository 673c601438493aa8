"""The check of the database server's version."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from django.db import NotSupportedError
from django.db.backends.base.base import BaseDatabaseWrapper

#: The oldest major version of PostgreSQL that Django and the product's statements support.
OLDEST_POSTGRESQL: Final = 14


class ServerTooOld(Exception):
    """The server is too old; the message has its version and the required one."""


def refuse_old_server(connection: BaseDatabaseWrapper) -> None:
    """Raise ServerTooOld for a PostgreSQL that is too old; DatabaseError if it does not answer."""
    if connection.vendor != "postgresql":
        return
    # Django raises an exception for some old versions, but still returns their version.
    with suppress(NotSupportedError):
        connection.ensure_connection()
    major, minor = connection.get_database_version()
    if major < OLDEST_POSTGRESQL:
        raise ServerTooOld(
            f"The database is PostgreSQL {major}.{minor}, and Sluice needs PostgreSQL "
            f"{OLDEST_POSTGRESQL} or newer; upgrade it, or set DATABASE_URL to another server."
        )
