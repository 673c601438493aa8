"""Query plans of audit searches: every filter uses an index."""

from __future__ import annotations

import pytest
from django.db import connection
from django.http import QueryDict

from console.orgs.audit import record
from console.orgs.audit_search import AuditSearch, count_by_action, newest_entry, search_audit
from console.orgs.models import AuditEntry
from console.orgs.permissions import Actor
from console.orgs.services.seal_audit import seal_audit
from tests.services.test_query_plans import plans

pytestmark = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="plans are worded by each database"
)

SEARCHES = {
    "": "audit_newest",
    "action=config.apply": "audit_by_action",
    "action=config.apply&ip=10.0.0.1": "audit_by_action",
    "action=config&action=session": "audit_by_action",
    "action=config&action=session&since=2026-01-01": "audit_by_action",
    "actor=user:1": "audit_by_actor",
    "actor=somebody": "audit_by_name",
    "subject=q": "audit_by_subject",
    "kind=queue&kind=token&subject=q": "audit_by_subject",
    "ip=10.0.0.1": "audit_by_address",
    "request=r": "audit_by_request",
    "kind=queue": "audit_newest",
    "until=2026-01-01": "audit_newest",
}


@pytest.mark.parametrize("query", SEARCHES)
def test_owners(owner: Actor, query: str) -> None:
    for number in range(10):
        record(owner, "queue.hold", kind="queue", subject=f"q{number}")
    search = AuditSearch.from_query(QueryDict(query))
    lines = plans(lambda: search_audit(owner, search, 3, "5"))
    assert any(SEARCHES[query] in line for line in lines), lines
    assert [line for line in lines if "TEMP B-TREE" in line or line.startswith("SCAN")] == []


@pytest.mark.parametrize(
    "query", ["", "action=config", "subject=q", "ip=10.0.0.1", "actor=somebody"]
)
def test_others(viewer: Actor, query: str) -> None:
    search = AuditSearch.from_query(QueryDict(query))
    lines = plans(lambda: search_audit(viewer, search, 3, "5"))
    assert [line for line in lines if "TEMP B-TREE" in line or line.startswith("SCAN")] == []


def test_counts_and_seals_look_at_what_they_need(owner: Actor) -> None:
    record(owner, "queue.hold", kind="queue", subject="q")
    table = AuditEntry._meta.db_table
    for read in (
        lambda: count_by_action(owner, AuditSearch(actions=("queue.hold",))),
        lambda: newest_entry(owner.org),
        seal_audit,
    ):
        assert [line for line in plans(read) if line.startswith(f"SCAN {table}")] == []
