"""Resource-time over HTTP: by every dimension, in steps, with quota, and as files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.accounting.services.fold_accounts import fold_accounts
from console.expensive import refusing
from console.orgs.permissions import Actor
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.workloads.models import Workload
from console.workloads.services.run_engine import forget_states
from tests.api.conftest import Api

CONFIG = """\
resource_flavors: [{name: fast}, {name: slow}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - {name: fast, resources: [{name: gpu, nominal_quota: 4}, {name: cpu, nominal_quota: 8}]}
          - {name: slow, resources: [{name: gpu, nominal_quota: 8}, {name: cpu, nominal_quota: 8}]}
  - {name: open}
scheduling_rules:
  - {selector: [{key: team, operator: in, values: [x]}], resource_queue: open}
  - {resource_queue: train}
"""

#: A Sunday.
BEGIN = datetime(2026, 3, 15, 22, 30, tzinfo=UTC)


class Clock:
    """The time, which tests move."""

    now = BEGIN


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    forget_states()
    return clock


@pytest.fixture
def client(api: Callable[[Actor], Api], owner: Actor, settle, clock: Clock) -> Api:
    """Run a workload of one team for two hours, and one of another for three, which still runs."""
    client = api(owner)
    client.post("config/versions", {"text": CONFIG, "expected_version": 0})
    settle(owner.org)
    sample_orgs(clock.now)
    sample_org(owner.org.pk, clock.now)
    wanted = [
        {"name": "a", "requests": {"gpu": 4, "cpu": 1}, "tags": {"team": "a"}, "user": "ann"},
        {"name": "b", "requests": {"gpu": 6}, "tags": {"team": "b"}, "project": "p"},
    ]
    client.post("workloads", {"workloads": wanted})
    settle(owner.org)
    clock.now += timedelta(hours=2)
    (first, _) = Workload.objects.order_by("pk").values_list("uid", flat=True)
    client.post("workloads/finish", {"ids": [first]})
    settle(owner.org)
    clock.now += timedelta(hours=1)
    return client


def used(body: dict[str, Any]) -> dict[str | None, dict[str, float]]:
    return {
        each["value"]: {one["resource"]: one["used"] for one in each["resources"]}
        for each in body["results"]
    }


HOUR = 3600


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("queue", {"train": {"gpu": 26 * HOUR, "cpu": 2 * HOUR}}),
        ("user", {None: {"gpu": 18 * HOUR}, "ann": {"gpu": 8 * HOUR, "cpu": 2 * HOUR}}),
        ("project", {"p": {"gpu": 18 * HOUR}, None: {"gpu": 8 * HOUR, "cpu": 2 * HOUR}}),
        ("flavor", {"slow": {"gpu": 18 * HOUR}, "fast": {"gpu": 8 * HOUR, "cpu": 2 * HOUR}}),
        ("label.team", {"b": {"gpu": 18 * HOUR}, "a": {"gpu": 8 * HOUR, "cpu": 2 * HOUR}}),
        ("label.1", {None: {"gpu": 26 * HOUR, "cpu": 2 * HOUR}}),
    ],
)
@pytest.mark.parametrize("is_folded", [False, True])
def test_finished_and_running_workloads_count(
    client: Api, owner: Actor, clock: Clock, by: str, expected, is_folded: bool
) -> None:
    if is_folded:
        fold_accounts(owner.org.pk, clock.now)
    body = client.get("accounts", by=by).body
    assert used(body) == expected
    assert list(used(body)) == list(expected)


def test_an_answer(client: Api) -> None:
    answer = client.get("accounts", by="label.team", since="2026-03-15T23:00:00Z", step="day")
    assert answer.body == {
        "by": "label.team",
        "step": "day",
        "since": "2026-03-15T00:00:00.000000Z",
        "until": "2026-03-17T00:00:00.000000Z",
        "kept_since": "2024-03-16T00:00:00.000000Z",
        "counted_since": "2026-03-15T22:30:00.000000Z",
        "simulated_until": None,
        "resource": "gpu",
        "resources": [
            {"resource": "gpu", "used": 26 * HOUR, "quota": 36 * HOUR, "idle": 10 * HOUR},
            {"resource": "cpu", "used": 2 * HOUR, "quota": 48 * HOUR, "idle": 46 * HOUR},
        ],
        "steps": ["2026-03-15T00:00:00.000000Z", "2026-03-16T00:00:00.000000Z"],
        "series": [
            {"value": "b", "used": [9 * HOUR, 9 * HOUR]},
            {"value": "a", "used": [6 * HOUR, 2 * HOUR]},
        ],
        "other": None,
        "results": [
            {
                "value": "b",
                "resources": [
                    {"resource": "gpu", "used": 18 * HOUR, "share": 0.6923, "quota": None}
                ],
            },
            {
                "value": "a",
                "resources": [
                    {"resource": "gpu", "used": 8 * HOUR, "share": 0.3077, "quota": None},
                    {"resource": "cpu", "used": 2 * HOUR, "share": 1, "quota": None},
                ],
            },
        ],
        "next": None,
    }


def test_a_resource_that_does_not_occur_is_refused(client: Api) -> None:
    for more in ({}, {"as": "csv"}):
        answer = client.get("accounts", resource="memory", **more)
        assert answer.status == 400
        assert [(each["path"], each["message"]) for each in answer.body["errors"]] == [
            ("resource", "resource has to be one that occurs in this time range: gpu, cpu.")
        ]
    assert client.get("accounts", resource="cpu").body["resource"] == "cpu"


def test_without_resources_none_is_refused(api: Callable[[Actor], Api], owner: Actor) -> None:
    assert api(owner).get("accounts", resource="gpu").body["resource"] is None


@pytest.mark.parametrize("is_folded", [False, True])
@pytest.mark.parametrize("by", ["user", "label.team"])
def test_values_without_a_series_are_added_up(
    client: Api, owner: Actor, clock: Clock, monkeypatch: pytest.MonkeyPatch, by: str, is_folded
) -> None:
    monkeypatch.setattr("console.accounting.queries.accounts.MOST_SERIES", 1)
    if is_folded:
        clock.now += timedelta(minutes=30)
        fold_accounts(owner.org.pk, clock.now)
        clock.now -= timedelta(minutes=30)
    query = {"by": by, "since": "2026-03-15T23:00:00Z", "step": "day"}
    body = client.get("accounts", **query).body
    assert [each["used"] for each in body["series"]] == [[9 * HOUR, 9 * HOUR]]
    assert body["other"] == [6 * HOUR, 2 * HOUR]
    body = client.get("accounts", **query, resource="cpu").body
    assert ([each["used"] for each in body["series"]], body["other"]) == (
        [[1.5 * HOUR, 0.5 * HOUR]],
        [0, 0],
    )


def test_many_hours_take_a_place(client: Api, owner: Actor, clock: Clock, monkeypatch) -> None:
    clock.now += timedelta(hours=1)
    fold_accounts(owner.org.pk, clock.now)
    with refusing():
        assert client.get("accounts").status == 200
        monkeypatch.setattr("console.accounting.queries.accounts._MOST_CHEAP", 2)
        answer = client.get("accounts")
    assert answer.status == 429
    assert "This is a sum of the usage of many hours" in answer.body["detail"]
    assert client.get("accounts").status == 200


def test_a_queue_has_its_quota(client: Api) -> None:
    (train,) = client.get("accounts").body["results"]
    assert [each["quota"] for each in train["resources"]] == [36 * HOUR, 48 * HOUR]


def test_weeks_begin_on_monday(client: Api) -> None:
    body = client.get("accounts", step="week").body
    assert body["steps"][-2:] == ["2026-03-09T00:00:00.000000Z", "2026-03-16T00:00:00.000000Z"]
    assert body["series"][0]["used"][-2:] == [15 * HOUR, 11 * HOUR]


def test_of_an_expired_range_nothing_is_returned(client: Api) -> None:
    body = client.get("accounts", since="2019-12-01", until="2020-02-01").body
    assert body["since"] == body["until"] == body["kept_since"] == "2024-03-16T00:00:00.000000Z"
    assert (body["steps"], body["resources"], body["series"], body["results"]) == ([], [], [], [])


def test_pages_hold_every_value_once(client: Api) -> None:
    first = client.get("accounts", by="user", limit=1).body
    last = client.get("accounts", by="user", limit=1, cursor=first["next"]).body
    assert [*used(first), *used(last)] == [None, "ann"]
    assert last["next"] is None
    assert first["series"] == last["series"]


def test_a_file_has_every_value_and_resource(client: Api) -> None:
    address = f"{client.org}/accounts?by=label.team&as=csv"
    answer = b"".join(client.client.get(address).streaming_content)
    range_ = "2026-03-09T00:00:00.000000Z,2026-03-16T01:30:00.000000Z"
    assert answer.decode().splitlines() == [
        "value,resource,used_seconds,share,quota_seconds,used_hours,quota_hours,from,to",
        f"b,gpu,64800,0.6923,129600,18.0,36.0,{range_}",
        f"a,gpu,28800,0.3077,129600,8.0,36.0,{range_}",
        f"a,cpu,7200,1.0,172800,2.0,48.0,{range_}",
    ]


def test_before_the_first_batch_nothing_is_counted(
    api: Callable[[Actor], Api], owner: Actor
) -> None:
    body = api(owner).get("accounts").body
    assert (body["counted_since"], body["resources"], body["results"]) == (None, [], [])


@pytest.mark.parametrize(
    ("query", "path", "message"),
    [
        (
            {"by": "team"},
            "by",
            "by has to be one of: queue, user, project, flavor, or label. and the key of a label.",
        ),
        (
            {"by": "label."},
            "by",
            "by has to be one of: queue, user, project, flavor, or label. and the key of a label.",
        ),
        (
            {"since": "2030-01-01"},
            "since",
            "since has to be earlier than until and earlier than now.",
        ),
        (
            {"since": "2026-01-01", "step": "hour"},
            "step",
            "Hours are kept for 40 days; use step=day for an earlier since.",
        ),
        ({"step": "minute"}, "step", "step has to be one of: hour, day, week."),
    ],
)
def test_a_wrong_query_is_refused(
    api: Callable[[Actor], Api], owner: Actor, clock: Clock, query, path: str, message: str
) -> None:
    answer = api(owner).get("accounts", **query)
    assert answer.status == 400
    assert [(each["path"], each["message"]) for each in answer.body["errors"]] == [(path, message)]
