"""Prepared statements of PostgreSQL keep working while a migration widens text columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from console.orgs.models import Organization, Role
from console.orgs.permissions import Actor
from console.orgs.queries import member_in_session
from console.orgs.services.authenticate_token import authenticate_token
from console.orgs.services.issue_token import issue_token
from console.orgs.token_secrets import digest_of
from console.workloads.queries.feeds import decisions_after, has_decisions
from console.workloads.services.run_engine import run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans anew by itself."),
]

#: More executions than needed until a statement is prepared and has a generic plan.
OFTEN = 15


@pytest.fixture
def texts() -> Iterator[list[tuple[str, str, int]]]:
    """Yield table, name and length of every varchar column; restore the lengths afterwards."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, character_maximum_length "
            "FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND data_type = 'character varying' AND table_name ~ '^(orgs|workloads)_'"
        )
        found = cursor.fetchall()
    yield found
    _resize(found, 0)


def _resize(columns: list[tuple[str, str, int]], by: int) -> None:
    # On another connection, like a migration: the connection that alters a table drops its plans.
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            for table, column, length in columns:
                cursor.execute(
                    f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE varchar({length + by})'
                )
    finally:
        other.close()


def test_prepared_statements_survive_longer_text_columns(
    org: Organization, owner: Actor, client: Client, texts: list[tuple[str, str, int]]
) -> None:
    assert {("orgs_organization", "name"), ("workloads_engine", "owner")} <= {
        (table, column) for table, column, _ in texts
    }
    assert owner.user is not None
    client.force_login(owner.user)
    key = client.session.session_key
    assert key is not None
    secret = issue_token(org, Role.OWNER, "often")

    def ask() -> None:
        assert authenticate_token(secret) is not None
        assert member_in_session(digest_of(key), org.slug, timezone.now()) is not None
        submit_workloads(owner, read_submissions([{"name": "often"}]))
        assert run_engine(org.pk).decisions == 1
        assert has_decisions(org, 0)
        assert len(decisions_after(org, 0, 1)[0]) == 1

    for _ in range(OFTEN):
        ask()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone()[0] > 10
    _resize(texts, 100)
    ask()
