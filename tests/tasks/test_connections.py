"""Connections outlast requests and tasks, unless the server has closed them."""

from __future__ import annotations

import signal

import pytest
from django.db import connection, connections, transaction

from console.connections import drop_closed, renew_connections

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="A file is never closed by others."
    ),
]


def backend() -> int:
    """Return the process id of the server's backend for the connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return int(pid)


def end(pid: int) -> None:
    """Terminate a connection on the server, as a restart does."""
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
            assert cursor.fetchone() == (True,)
    finally:
        other.close()


def test_a_usable_connection_is_kept() -> None:
    # Open a new connection: that of earlier tests may have reached the maximum age.
    connection.close()
    pid = backend()
    drop_closed()
    renew_connections()
    assert backend() == pid


def test_a_connection_closed_by_the_server_is_reopened() -> None:
    pid = backend()
    end(pid)
    drop_closed()
    assert connection.connection is None
    assert backend() != pid


def test_a_connection_in_a_transaction_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.connections._is_readable", lambda socket: True)
    with transaction.atomic():
        pid = backend()
        drop_closed()
        assert backend() == pid
    drop_closed()
    assert backend() != pid


def test_a_connection_with_an_interrupted_statement_is_reopened() -> None:
    """A task's time limit does this; it is not a database error."""

    class CutOffError(Exception):
        pass

    def cut_off(*_: object) -> None:
        raise CutOffError

    pid = backend()
    before = signal.signal(signal.SIGALRM, cut_off)
    try:
        with connection.cursor() as cursor, pytest.raises(CutOffError):  # noqa: PT012
            signal.setitimer(signal.ITIMER_REAL, 1)
            cursor.execute("SELECT pg_sleep(60)")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    renew_connections()
    assert connection.connection is None
    assert backend() != pid
    # The server still executes the sleep.
    end(pid)
