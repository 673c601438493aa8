"""Retention: periods, counts of rows, and deletions by organization."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.celery import app
from console.orgs.models import Organization
from console.retention import registry
from console.retention.models import Forgotten, Kind, Look
from console.retention.queries import retention_statuses_of
from console.retention.record_deletions import record_deletions
from console.retention.registry import Rows
from console.workloads.models import Event
from console.workloads.services.forget_events import forget_events

NOW = timezone.now


def event(org: Organization, days: int) -> Event:
    """Return an event of *days* ago."""
    return Event.objects.create(
        org=org, type="CONFIG_UPDATED", actor="somebody", created_at=NOW() - timedelta(days=days)
    )


@pytest.fixture
def other() -> Organization:
    return Organization.objects.create(slug="other", name="Other")


def test_deletions_are_counted_by_organization(org: Organization, other: Organization) -> None:
    kept = event(org, 1)
    for _ in range(3):
        event(org, 100)
    assert forget_events(90) == 3
    keeping = retention_statuses_of(org.pk)[0]
    assert (keeping.kind, keeping.days, keeping.setting) == (
        Kind.EVENTS,
        90,
        "EVENT_RETENTION_DAYS",
    )
    assert (keeping.forgotten, keeping.every) == (3, 2)
    assert keeping.rows == Rows(count=1, oldest=kept.created_at)
    assert keeping.looked_at == keeping.forgotten_at
    elsewhere = retention_statuses_of(other.pk)[0]
    assert (elsewhere.forgotten, elsewhere.forgotten_at) == (0, None)
    assert elsewhere.looked_at == keeping.looked_at


def test_a_run_without_deletions_keeps_counts_and_is_recorded_rarely(org: Organization) -> None:
    assert record_deletions(Kind.EVENTS, {org.pk: 7}) == 7
    earlier = NOW() - timedelta(seconds=30)
    Look.objects.update(at=earlier)
    assert record_deletions(Kind.EVENTS, {}) == 0
    assert Look.objects.get().at == earlier
    Look.objects.update(at=NOW() - timedelta(minutes=2))
    record_deletions(Kind.EVENTS, {})
    assert NOW() - Look.objects.get().at < timedelta(minutes=1)
    # A time from a wrong clock is corrected later.
    Look.objects.update(at=NOW() + timedelta(days=1))
    record_deletions(Kind.EVENTS, {})
    assert Look.objects.get().at <= NOW()
    assert Forgotten.objects.get().rows == 7


def test_rows_are_counted_up_to_a_limit(
    org: Organization, monkeypatch: pytest.MonkeyPatch, settings
) -> None:
    settings.EVENT_RETENTION_DAYS = 0
    monkeypatch.setattr(registry, "MOST", 4)
    for days in range(6):
        event(org, days)
    keeping = retention_statuses_of(org.pk)[0]
    assert (keeping.days, keeping.every) == (None, None)
    assert (keeping.rows.count, keeping.rows.is_more) == (4, True)


def test_every_kind_is_listed_with_a_constant_number_of_queries(org: Organization) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            kinds = [keeping.kind for keeping in retention_statuses_of(org.pk)]
        assert sorted(kinds) == sorted(Kind)
        return len(found)

    before = asked()
    for days in range(40):
        event(org, days)
    assert asked() == before


def test_each_kind_with_a_period_has_a_cleanup_task() -> None:
    assert [each.kind for each in registry.registered()] == list(Kind)
    ending = [each for each in registry.registered() if each.days]
    assert [each.kind for each in ending if each.job not in app.conf.beat_schedule] == []


def test_a_kind_is_registered_once() -> None:
    with pytest.raises(ValueError, match="events is registered already"):
        registry.register(registry.Retention(kind=Kind.EVENTS, rows=lambda org_id: Rows(count=0)))
