"""Series of clusters: what their nodes offer and what pods use of them, minute by minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.errors import NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series.coverage import floor_minute
from console.series.models import Step
from console.series.queries import known_subject, subject_history
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.series.subjects import Subject
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import read_page

Settle = Callable[[Organization], int]

EAST = Subject.cluster("east")


def sample(org: Organization, minute: datetime) -> bool:
    """Sample as the worker does; return whether the organization had changed."""
    return sample_orgs(minute) == [org.pk] and sample_org(org.pk, minute)


@pytest.fixture
def minutes(owner: Actor, settle: Settle) -> list[datetime]:
    """Three sampled minutes: an empty cluster, a job of 6 CPUs on it, and one node less."""
    begin = floor_minute(timezone.now()) - timedelta(minutes=3)
    times = [begin + timedelta(minutes=i) for i in range(3)]
    org = owner.org
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    nodes = [{"name": name, "allocatable": {"cpu": 4}} for name in ("n1", "n2")]
    report_cluster(owner, "east", {"nodes": nodes})
    settle(org)
    assert sample(org, times[0])
    pods = {"name": "main", "count": 2, "requests": {"cpu": 3}}
    body: list[dict[str, Any]] = [{"name": "train", "pod_sets": [pods]}]
    submit_workloads(owner, read_submissions(body))
    settle(org)
    assert sample(org, times[1])
    report_cluster(owner, "east", {"nodes": nodes[:1]})
    settle(org)
    assert sample(org, times[2])
    return times


def test_use_and_offers_are_sampled(owner: Actor, minutes: list[datetime]) -> None:
    until = minutes[-1] + timedelta(minutes=1)
    found = subject_history(owner.org, EAST, minutes[0], until, Step.MINUTE)
    key = "east", "cpu"
    cells = [each.totals.cells.get(key) for each in found.series.readings]
    assert [(c.used.total, c.over.total) if c else None for c in cells] == [
        None,
        (6000, 0),
        # Both pods still use the nodes, one of which is gone.
        (6000, 2000),
    ]
    assert [(span.since, span.until, span.quotas[key][0]) for span in found.spans] == [
        (minutes[0], minutes[2], 8000),
        (minutes[2], None, 4000),
    ]


def test_a_deleted_cluster_keeps_its_history(
    owner: Actor, minutes: list[datetime], settle: Settle
) -> None:
    delete_cluster(owner, "east")
    settle(owner.org)
    assert known_subject(owner.org, EAST) == EAST
    with pytest.raises(NotFound, match="no cluster 'west'"):
        known_subject(owner.org, Subject.cluster("west"))


def test_the_page_and_the_api_show_the_series(
    owner: Actor,
    minutes: list[datetime],
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
) -> None:
    since = minutes[0].astimezone(UTC).isoformat()
    query = {"cluster": "east", "step": "minute", "since": since}
    answer = api_for(owner).get("/api/v1/orgs/here/usage", query).json()
    (cell,) = answer["results"][1]["usage"]
    assert cell == {
        "flavor": "east",
        "resource": "cpu",
        "nominal": 8,
        "limit": None,
        "used": {"mean": 6.0, "peak": 6},
        "borrowed": {"mean": 0.0, "peak": 0},
        "over": {"mean": 0.0, "peak": 0},
        "lent": {"mean": 0.0, "peak": 0},
    }
    both = api_for(owner).get("/api/v1/orgs/here/usage", {"cluster": "east", "queue": "jobs"})
    assert both.json()["errors"][0]["message"] == "Name only one of queue, cohort and cluster."
    response = client_for(owner).get("/o/here/capacity/east/usage?table=all")
    assert "Usage of cpu on east: " in response.content.decode()
    assert "; offered 4." in response.content.decode()
    charts = read_page(response).id("usage-charts").text
    assert "used over offered peak usage offered" in charts
    assert "Mean usage Peak usage Offered" in charts
    for other in ("nominal", "quota", "pending", "waits"):
        assert other not in charts.lower(), other
    file = client_for(owner).get("/o/here/capacity/east/usage?as=csv")
    header, *rows = b"".join(file.streaming_content).decode().splitlines()
    assert header.endswith("used_mean,used_peak,offered")
    sampled = [row.split(",", 2)[2] for row in rows if not row.endswith(",,,")]
    assert sampled == ["0.0,0.0,8.0", "6.0,6.0,8.0", "6.0,6.0,4.0"]
    for gone in ("/o/here/capacity/west/usage", "/o/here/capacity/east/usage/x"):
        assert client_for(owner).get(gone).status_code == 404
