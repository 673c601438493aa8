"""
Connections to the database outlast the request or task that opened them.

They are looked at before each of these: one that the server has closed is dropped, and the next
statement opens another one. To ask the server whether it is there, as Django does where it checks
connections, takes as long as to read what the request is about.
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
    Close connections on which there is something to read, or to come, that nobody asked for.

    That is their end, what is left of a task that ran out of time, or, seldom, a notice, after
    which a new one does no harm.
    """
    for wrapper in connections.all(initialized_only=True):
        if wrapper.vendor != "postgresql" or wrapper.connection is None or wrapper.in_atomic_block:
            continue
        if wrapper.connection.closed or not _is_at_rest(wrapper.connection):
            wrapper.close()


def _is_at_rest(connection: Any) -> bool:
    """Say whether nothing is under way: what was cut off in the middle of a statement is not."""
    status = connection.info.transaction_status
    return status is TransactionStatus.IDLE and not _has_news(connection.fileno())


def _has_news(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
