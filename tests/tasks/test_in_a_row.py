"""Pipelined statements: same effects and errors as statements sent one by one."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, OperationalError, connection, transaction

from console import statements
from console.orgs.models import Organization

_INSERT = "INSERT INTO workloads_labelset (org_id, digest, labels) VALUES (%s, %s, '{}')"
_DIGESTS = "SELECT cast(digest AS text) FROM workloads_labelset WHERE org_id = %s ORDER BY digest"

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]


def write(org: Organization, *digests: str) -> None:
    for digest in digests:
        statements.run(_INSERT, [org.pk, digest])


def write_pipelined(org: Organization, *digests: str, then: Callable[[], object] = str) -> None:
    """Write rows in a pipeline, call *then*, and write one more row."""
    with transaction.atomic(), statements.pipeline():
        write(org, *digests)
        then()
        write(org, "last")


def digests_of(org: Organization) -> list[str]:
    return [digest for (digest,) in statements.rows(_DIGESTS, [org.pk])]


def test_all_are_carried_out_in_their_order(org: Organization) -> None:
    with transaction.atomic(), statements.pipeline():
        write(org, "a", "b")
        assert digests_of(org) == ["a", "b"]
        write(org, "c")
        for number in range(30):
            # Often enough for the statement to become prepared.
            statements.run(
                "UPDATE workloads_labelset SET digest = %s WHERE digest = %s",
                [f"c{number}", f"c{number - 1}" if number else "c"],
            )
    assert digests_of(org) == ["a", "b", "c29"]


def test_a_failed_statement_rolls_back_its_transaction(org: Organization) -> None:
    write(org, "first")
    with pytest.raises(IntegrityError, match=r"one_row_per_labels|UNIQUE constraint"):
        write_pipelined(org, "second", "first", "third")
    assert digests_of(org) == ["first"]
    # The connection remains usable.
    write_pipelined(org, "fourth")
    assert digests_of(org) == ["first", "fourth", "last"]


def test_an_exception_in_the_block_is_raised_unchanged(org: Organization) -> None:
    def stop() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        write_pipelined(org, "a", then=stop)
    assert digests_of(org) == []


@pytest.fixture
def lost(transactional_db: None) -> Iterator[None]:
    """Return a PostgreSQL connection that a test may lose."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no connection to lose")
    yield
    connection.close()
    # The abandoned connection's statement on the server would lock tables of the next test.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.usefixtures("lost")
def test_a_lost_connection_raises_the_usual_error(org: Organization) -> None:
    mine = statements.rows("SELECT pg_backend_pid()", [])[0]
    other = connection.copy()

    def end() -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", mine)

    try:
        with pytest.raises(OperationalError):
            write_pipelined(org, "a", then=end)
    finally:
        other.close()
        connection.close()
    assert digests_of(org) == []


@pytest.mark.usefixtures("lost")
def test_an_interrupted_pipeline_keeps_no_locks(org: Organization) -> None:
    statements.run("SET idle_in_transaction_session_timeout = '200ms'", [])
    with pytest.raises(OperationalError):
        write_pipelined(org, "a", then=lambda: time.sleep(1.5))
    connection.close()
    assert digests_of(org) == []


@pytest.mark.usefixtures("lost")
@pytest.mark.parametrize("asks", [statements.run, statements.rows])
def test_a_time_limit_interrupts_at_once(
    org: Organization, asks: Callable[[str, list[Any]], object]
) -> None:
    def stop(*_: object) -> None:
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGALRM, stop)
    begun = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(SoftTimeLimitExceeded):
            write_pipelined(org, "a", then=lambda: asks("SELECT 1 FROM pg_sleep(60)", []))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 30
    assert digests_of(org) == []
