"""Statements that are sent in a row do what they do one by one, and fail as these do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from console import statements
from console.orgs.models import Organization

_INSERT = "INSERT INTO workloads_labelset (org_id, digest, labels) VALUES (%s, %s, '{}')"
_DIGESTS = "SELECT cast(digest AS text) FROM workloads_labelset WHERE org_id = %s ORDER BY digest"

pytestmark = pytest.mark.django_db


def write(org: Organization, *digests: str) -> None:
    for digest in digests:
        statements.run(_INSERT, [org.pk, digest])


def write_together(org: Organization, *digests: str, then: Callable[[], object] = str) -> None:
    """Write some in a row, do something, and write one more."""
    with transaction.atomic(), statements.in_a_row():
        write(org, *digests)
        then()
        write(org, "last")


def digests_of(org: Organization) -> list[str]:
    return [digest for (digest,) in statements.rows(_DIGESTS, [org.pk])]


def test_all_are_carried_out_in_their_order(org: Organization) -> None:
    with transaction.atomic(), statements.in_a_row():
        write(org, "a", "b")
        assert digests_of(org) == ["a", "b"]
        write(org, "c")
        for number in range(30):
            # Often enough to be prepared on the way.
            statements.run(
                "UPDATE workloads_labelset SET digest = %s WHERE digest = %s",
                [f"c{number}", f"c{number - 1}" if number else "c"],
            )
    assert digests_of(org) == ["a", "b", "c29"]


def test_one_that_fails_takes_back_all_of_its_transaction(org: Organization) -> None:
    write(org, "first")
    with pytest.raises(IntegrityError, match=r"one_row_per_labels|UNIQUE constraint"):
        write_together(org, "second", "first", "third")
    assert digests_of(org) == ["first"]
    # What comes next finds the connection as it was.
    write_together(org, "fourth")
    assert digests_of(org) == ["first", "fourth", "last"]


def test_what_is_raised_inside_comes_out_as_it_is(org: Organization) -> None:
    def stop() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        write_together(org, "a", then=stop)
    assert digests_of(org) == []


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no connection to lose")
@pytest.mark.django_db(transaction=True)
def test_a_connection_that_is_lost_says_so_as_anywhere(org: Organization) -> None:
    mine = statements.rows("SELECT pg_backend_pid()", [])[0]
    other = connection.copy()

    def end() -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", mine)

    try:
        with pytest.raises(OperationalError):
            write_together(org, "a", then=end)
    finally:
        other.close()
        connection.close()
    assert digests_of(org) == []
