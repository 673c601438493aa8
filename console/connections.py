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


def renew_connections(**_: Any) -> None:
    """Close connections that are too old, that had errors, or that the server has closed."""
    close_old_connections()
    drop_closed()


def drop_closed(**_: Any) -> None:
    """
    Close connections on which there is something to read while nobody asked for anything.

    That is their end or, seldom, a notice, after which a new one does no harm.
    """
    for wrapper in connections.all(initialized_only=True):
        if wrapper.vendor != "postgresql" or wrapper.connection is None or wrapper.in_atomic_block:
            continue
        if wrapper.connection.closed or _has_news(wrapper.connection.fileno()):
            wrapper.close()


def _has_news(socket: int) -> bool:
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
