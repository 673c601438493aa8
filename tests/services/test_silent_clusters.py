"""Heartbeats of clusters, and the silence that follows when they stop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.capacity.models import Cluster
from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.mark_silent_clusters import MOST, mark_silent_clusters
from console.capacity.services.record_heartbeat import record_heartbeat
from console.capacity.services.report_cluster import report_cluster
from console.capacity.tasks import mark_silent
from console.errors import NotAllowed, NotFound
from console.orgs.models import Membership
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.models import Event, Intake

Race = Callable[[Callable[[int], Any]], list[Any]]
REPORT: dict[str, Any] = {"nodes": [{"name": "n"}]}


def pass_time(seconds: float) -> None:
    """Let the last heartbeat of every cluster be *seconds* earlier."""
    Cluster.objects.update(last_seen=F("last_seen") - timedelta(seconds=seconds))


def events() -> list[tuple[str, str, str, Any]]:
    """Return the events after the registration, oldest first."""
    rows = Event.objects.exclude(type="CLUSTER_REGISTERED").order_by("pk")
    return [(row.type, row.level, row.actor, row.data) for row in rows]


def state() -> tuple[str, int]:
    cluster = Cluster.objects.get()
    return cluster.status, cluster.version


def test_a_heartbeat_costs_one_update(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    pass_time(3600)
    Intake.objects.all().delete()

    with CaptureQueriesContext(connection) as queries:
        assert record_heartbeat(operator, "east") == 1

    assert [each["sql"].split()[:2] for each in queries] == [["UPDATE", "capacity_cluster"]]
    cluster = Cluster.objects.get()
    assert abs(timezone.now() - cluster.last_seen) < timedelta(minutes=1)
    assert (cluster.sends_heartbeats, cluster.version) == (True, 1)
    assert not Intake.objects.exists()
    assert events() == []


def test_heartbeats_of_unknown_clusters_are_refused(operator: Actor, viewer: Actor) -> None:
    with pytest.raises(NotFound, match="report it first"):
        record_heartbeat(operator, "east")
    with pytest.raises(NotAllowed):
        record_heartbeat(viewer, "east")


def test_a_cluster_becomes_silent_once_and_a_heartbeat_ends_it(
    operator: Actor, settings: Any
) -> None:
    report_cluster(operator, "east", REPORT)
    record_heartbeat(operator, "east")
    Intake.objects.all().delete()
    pass_time(settings.CLUSTER_TIMEOUT - 10)
    assert mark_silent_clusters() == 0
    pass_time(20)

    assert (mark_silent_clusters(), mark_silent_clusters()) == (1, 0)
    assert state() == ("silent", 2)
    assert [record_heartbeat(operator, "east") for _ in range(2)] == [3, 3]
    assert state() == ("ready", 3)
    assert mark_silent_clusters() == 0
    assert events() == [
        ("CLUSTER_SILENT", "WARNING", "engine", {"cluster": "east", "seconds": 60}),
        ("CLUSTER_RETURNED", "INFO", operator.name, {"cluster": "east"}),
    ]
    assert list(Intake.objects.values_list("kind", flat=True)) == ["capacity", "capacity"]


def test_a_report_ends_the_silence_too(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    record_heartbeat(operator, "east")
    pass_time(3600)
    mark_silent()
    Intake.objects.all().delete()

    assert report_cluster(operator, "east", REPORT).is_unchanged
    assert state() == ("ready", 3)
    assert [each[0] for each in events()] == ["CLUSTER_SILENT", "CLUSTER_RETURNED"]
    assert Intake.objects.count() == 1
    pass_time(3600)
    assert mark_silent_clusters() == 1


def test_a_cluster_without_heartbeats_is_never_silent(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    pass_time(10_000_000)
    assert mark_silent_clusters() == 0


def test_a_cluster_that_is_loaded_by_hand_needs_no_heartbeats_any_more(operator: Actor) -> None:
    report_cluster(operator, "east", REPORT)
    record_heartbeat(operator, "east")
    pass_time(3600)
    mark_silent_clusters()

    report_cluster(operator, "east", REPORT, is_by_hand=True)
    pass_time(3600)
    assert (mark_silent_clusters(), state()) == (0, ("ready", 3))
    record_heartbeat(operator, "east")
    pass_time(3600)
    assert mark_silent_clusters() == 1


def test_silence_is_looked_for_with_one_query(operator: Actor) -> None:
    for name in ("east", "west"):
        report_cluster(operator, name, REPORT)
        record_heartbeat(operator, name)
    with CaptureQueriesContext(connection) as queries:
        assert mark_silent_clusters() == 0
    assert len(queries) == 1


def test_the_longest_silent_clusters_go_first(
    operator: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.capacity.services.mark_silent_clusters.MOST", 1)
    assert MOST > 1
    for name in ("east", "west"):
        report_cluster(operator, name, REPORT)
        record_heartbeat(operator, name)
        pass_time(1000)
    assert [mark_silent_clusters() for _ in range(3)] == [1, 1, 0]
    assert [data["cluster"] for *_, data in events()] == ["east", "west"]


def test_concurrent_runs_mark_a_cluster_once(race: Race) -> None:
    org = create_org("here", "Here", None)
    user = create_user("owner@here.example", "correct horse battery")
    Membership.objects.create(org=org, user=user, role="owner")
    actor = Actor.from_user(org, user, "owner")
    report_cluster(actor, "east", REPORT)
    record_heartbeat(actor, "east")
    pass_time(3600)

    assert sorted(race(lambda _: mark_silent_clusters())) == [0, 0, 0, 0, 0, 1]
    assert [each[0] for each in events()] == ["CLUSTER_SILENT"]
    delete_cluster(actor, "east")
