"""
Reuse of database connections by later requests and tasks, and a cheap check that they are alive.

The check runs before each request and task: a connection that the server has closed is dropped, and
the next statement opens a new one. Django's own health check sends a query, which takes as long as
the query that reads the object of the request.
"""

from __future__ import annotations

import select
from typing import Any

from django.db import close_old_connections, connections
from psycopg.pq import TransactionStatus


def renew_connections(**_: Any) -> None:
    """Close connections that are too old, that had errors, or that the server has closed."""
    close_old_connections()
    drop_closed()


def drop_closed(**_: Any) -> None:
    """
    Close connections that are inside a transaction or have unread data.

    Unread data is the end of the connection, the rest of a statement whose task timed out, or,
    rarely, a notice of the server; a new connection after a notice does no harm.
    """
    for wrapper in connections.all(initialized_only=True):
        if wrapper.vendor != "postgresql" or wrapper.connection is None or wrapper.in_atomic_block:
            continue
        if wrapper.connection.closed or not _is_idle(wrapper.connection):
            wrapper.close()


def _is_idle(connection: Any) -> bool:
    """Return whether the connection is idle, that is, not inside a statement or transaction."""
    status = connection.info.transaction_status
    return status is TransactionStatus.IDLE and not _is_readable(connection.fileno())


def _is_readable(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
