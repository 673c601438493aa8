"""Usage series over HTTP: use, demand and waits, with gaps, in bounded pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from console.orgs.permissions import Actor
from console.series.coverage import floor_minute
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from tests.api.conftest import Api

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: team/a
    cohort_name: lab
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules: [{resource_queue: team/a}]
"""


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Stop the clock half a minute into a minute."""
    moment = floor_minute(timezone.now()) + timedelta(seconds=30)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    return moment


@pytest.fixture
def client(api: Callable[[Actor], Api], owner: Actor, settle, now: datetime) -> Api:
    """Sample an organization twice, with two unsampled minutes in between."""
    client = api(owner)
    client.post("config/versions", {"text": CONFIG, "expected_version": 0})
    wanted = [{"name": f"w{n}", "requests": {"gpu": n}} for n in (3, 2)]
    client.post("workloads", {"workloads": wanted})
    settle(owner.org)
    for ago in (3, 0):
        sample_orgs(now - timedelta(minutes=ago))
        sample_org(owner.org.pk, now - timedelta(minutes=ago))
    return client


def at(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_every_minute_has_a_point_and_gaps_are_marked(client: Api, now: datetime) -> None:
    since = now - timedelta(minutes=3)
    body = client.get("usage", queue="team/a", since=since.isoformat()).body
    start = floor_minute(now)
    assert (body["step"], body["since"], body["until"], body["next"]) == (
        "minute",
        at(start - timedelta(minutes=3)),
        at(start + timedelta(minutes=1)),
        None,
    )
    first, gap, _, last = body["results"]
    level = {"mean": 3, "peak": 3}
    none = {"mean": 0, "peak": 0}
    assert first["usage"] == last["usage"] == [
        {
            "flavor": "any",
            "resource": "gpu",
            "nominal": 4,
            "limit": 4,
            "used": level,
            "borrowed": none,
            "over": none,
            "lent": none,
        }
    ]  # fmt: skip
    assert (last["running"], last["pending"]) == ({"mean": 1, "peak": 1}, {"mean": 1, "peak": 1})
    assert last["demand"] == {"gpu": {"mean": 2, "peak": 2}}
    assert last["cannot_run_demand"] == {}
    happened = dict.fromkeys(
        ("submitted", "admitted", "rejected", "preempted", "finished", "withdrawn"), 0
    )
    assert last["happened"] == happened | {"submitted": 2, "admitted": 1}
    assert last["waits"] == {"p50": 0.0, "p95": None, "n": 1}
    assert gap == {
        "start": at(start - timedelta(minutes=2)),
        "sampled_minutes": 0,
        "running": None,
        "pending": None,
        "usage": None,
        "demand": None,
        "cannot_run_demand": None,
        "happened": happened,
        "waits": {"p50": None, "p95": None, "n": 0},
    }


@pytest.mark.parametrize("step", ["minute", "hour", "day"])
@pytest.mark.parametrize("about", [{}, {"queue": "team/a"}, {"cohort": "lab"}])
def test_every_step_and_subject_counts_the_same_work(
    client: Api, step: str, about: dict[str, str]
) -> None:
    body = client.get("usage", step=step, limit=1000, **about).body
    admitted, minutes, page = 0, 0, body
    while True:
        admitted += sum(point["happened"]["admitted"] for point in page["results"])
        minutes += sum(point["sampled_minutes"] for point in page["results"])
        if page["next"] is None:
            break
        page = client.get("usage", step=step, limit=1000, cursor=page["next"], **about).body
    assert (admitted, minutes) == (1, 2)
    assert client.get("waits", **about).body == {"hours": 24, "p50": 0.0, "p95": None, "n": 1}


def test_pages_are_contiguous(client: Api) -> None:
    starts, cursor = [], {}
    while True:
        page = client.get("usage", step="minute", limit=500, **cursor).body
        starts += [datetime.fromisoformat(point["start"]) for point in page["results"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert len(starts) == 1440
    assert {b - a for a, b in pairwise(starts)} == {timedelta(minutes=1)}


def test_points_before_the_retention_period_are_omitted(client: Api, now: datetime) -> None:
    body = client.get("usage", since="1999-01-01T00:00:00Z", step="day").body
    assert body["since"] == body["kept_since"]
    assert body["kept_since"].endswith("T00:00:00.000000Z")
    late = client.get("usage", since="1999-01-01T00:00:00Z", until="1999-02-01T00:00:00Z").body
    # The last point before the retention period, without data.
    assert [point["sampled_minutes"] for point in late["results"]] == [0]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"queue": "nobody"}, (404, "not_found")),
        ({"cohort": "nobody"}, (404, "not_found")),
        ({"queue": "team/a", "cohort": "lab"}, (400, "invalid_request")),
        ({"step": "week"}, (400, "invalid_request")),
        ({"since": "yesterday"}, (400, "invalid_request")),
        ({"since": "2999-01-01T00:00:00Z"}, (400, "invalid_request")),
        ({"cursor": "x"}, (400, "invalid_request")),
        ({"limit": "0"}, (400, "invalid_request")),
    ],
)
def test_invalid_parameters_are_refused(
    client: Api, query: dict[str, str], problem: tuple[int, str]
) -> None:
    assert client.get("usage", **query).problem == problem


def test_a_cursor_outside_the_series_is_harmless(client: Api) -> None:
    for cursor in ("0", str(2**63 - 1)):
        assert client.get("usage", cursor=cursor).status == 200


def test_the_time_range_of_waits_is_bounded(client: Api) -> None:
    assert client.get("waits", hours=744).status == 200
    assert client.get("waits", hours=745).problem == (400, "invalid_request")
