"""Conversion of times to keys: rows of a time range are found without scanning the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from console import paging
from console.orgs.audit_search import AuditSearch, search_audit
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor
from console.time_keys import first_key, limit_to_times
from console.workloads.models import Event
from console.workloads.queries.event_search import EventSearch, search_events

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def hour(number: int) -> datetime:
    return BEGUN + timedelta(hours=number)


@pytest.fixture
def hours(org: Organization, other_org: Organization) -> list[int]:
    """Create forty events an hour apart among those of another organization; return their keys."""
    for number in range(40):
        for each in (other_org, org):
            Event.objects.create(
                org=each,
                type="CONFIG_UPDATED",
                actor="x",
                data={"version": number},
                created_at=hour(number),
            )
    return list(Event.objects.filter(org=org).order_by("pk").values_list("pk", flat=True))


@pytest.mark.parametrize("number", [0, 1, 17, 39])
def test_the_place_of_a_moment_is_found(hours: list[int], org: Organization, number: int) -> None:
    rows = Event.objects.filter(org=org)
    just_after = hour(number) + timedelta(minutes=1)
    for moment, place in ((hour(number), number), (just_after, number + 1)):
        key = first_key(rows, moment)
        assert [pk >= key for pk in hours] == [i >= place for i in range(40)]


def test_moments_outside_and_an_empty_list(hours: list[int], org: Organization) -> None:
    rows = Event.objects.filter(org=org)
    assert first_key(rows, hour(-5)) <= hours[0]
    assert first_key(rows, hour(99)) > hours[-1]
    assert first_key(rows.filter(type="REQUEST_FAILED"), hour(1)) == 0
    assert limit_to_times(rows, None, None).count() == 40
    assert limit_to_times(rows, hour(3), hour(5)).count() == 3


def test_the_search_takes_few_queries(hours: list[int], org: Organization) -> None:
    with CaptureQueriesContext(connection) as captured:
        first_key(Event.objects.filter(org=org), hour(20))
    assert len(captured) <= 2 + 7


def test_rows_that_committed_beside_each_other_are_all_found(
    hours: list[int], org: Organization
) -> None:
    # The oldest time has the highest key, as after a transaction of four minutes.
    late = hour(38) + timedelta(minutes=58)
    Event.objects.filter(pk=hours[39]).update(created_at=hour(38) + timedelta(minutes=59))
    Event.objects.filter(pk=hours[38]).update(created_at=hour(39) + timedelta(minutes=1))
    query = f"since={late:%Y-%m-%dT%H:%M:%SZ}&until={hour(39):%Y-%m-%dT%H:%M:%SZ}"
    page = search_events(org, EventSearch.from_query(QueryDict(query)), 9)
    assert [event.pk for event in page.results] == [hours[39]]


def test_a_jump_far_back_is_one_short_page(
    hours: list[int], owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "WINDOWS", (5,))
    query = QueryDict("since=2026-01-01T04:00:00Z&until=2026-01-01T06:00:00Z")
    page = search_events(owner.org, EventSearch.from_query(query), 9)
    assert [event.data["version"] for event in page.results] == [5, 4]
    rare = QueryDict(f"{query.urlencode()}&type=CONFIG_UPDATED&type=REQUEST_FAILED")
    assert search_events(owner.org, EventSearch.from_query(rare), 9) == page
    # The entry of the organization's creation has the present time, later than those below.
    AuditEntry.objects.all().delete()
    AuditEntry.objects.bulk_create(
        AuditEntry(
            org=owner.org,
            action="queue.hold",
            kind="queue",
            subject=str(number),
            actor="x",
            actor_key="user:0",
            created_at=hour(number),
        )
        for number in range(40)
    )
    found = search_audit(owner, AuditSearch.from_query(query), 9)
    assert [entry.subject for entry in found.results] == ["5", "4"]
    # No rows are left to scan after them.
    assert (page.next, found.next) == (None, None)


def test_an_unknown_version_is_nobodys_time(
    hours: list[int], org: Organization, settle: Callable[[Organization], int]
) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert search_events(org, EventSearch(config=7), 9).results == []
    assert len(captured) == 1
