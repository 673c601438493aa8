"""Events in the client's protocol: filters, pages and both sort orders."""

from __future__ import annotations

from typing import Any

import pytest

from console.workloads.models import Event
from tests.api.compat.conftest import Compat


def kinds(client: Compat, **query: Any) -> list[str]:
    """Return the types of the events that match *query*."""
    return [each["event_type"] for each in client.get("scheduler/events", **query).results]


def test_an_event_describes_its_workload(owner_client: Compat, busy: dict[str, str]) -> None:
    query = {"event_type": "REQUEST_ADMITTED", "flavor_name": "a100"}
    answer = owner_client.get("scheduler/events", **query)
    (event,) = answer.results
    assert event.pop("created_at") == event.pop("event_timestamp")
    row = Event.objects.get(type="REQUEST_ADMITTED", workload__name="runs")
    assert event == {
        "id": str(row.pk),
        "organization_id": "here",
        "cloud_id": "here",
        "cluster_id": busy["runs"],
        "scheduler_request_id": busy["runs"],
        "user_id": None,
        "user_email": None,
        "queue_name": "team/train",
        "flavor_name": "a100",
        "project_id": "p",
        "cloud_resource_id": None,
        "workload_type": "JOB",
        "instance_type": "a2",
        "level": "INFO",
        "event_type": "REQUEST_ADMITTED",
        "message": "runs was admitted on a100.",
        "metadata_json": row.data,
    }
    assert answer.page == (1, None)


def test_an_event_about_no_workload(owner_client: Compat, busy: Any) -> None:
    (event,) = owner_client.get("scheduler/events", event_type="CONFIG_UPDATED").results
    assert (event["user_id"], event["user_email"], event["cluster_id"]) == ("owner", None, None)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"queue_name": ["team/train", "rest"]}, 3),
        ({"queue_name": "rest"}, 1),
        ({"queue_name": "nothing"}, 0),
        ({"event_type": ["CONFIG_UPDATED", "REQUEST_REJECTED"]}, 2),
        ({"level": ["ERROR"]}, 1),
        ({"level": ["ERROR", "TRACE"], "event_type": "REQUEST_REJECTED"}, 1),
        ({"level": "TRACE"}, 0),
        ({"project_id": "p"}, 4),
        ({"user_id": "owner"}, 1),
        ({"user_id": "engine"}, 4),
        ({"flavor_name": ["a100", "h100"]}, 1),
        ({"flavor_name": "h100"}, 0),
        ({"cloud_id": "here", "event_type": "CONFIG_UPDATED"}, 1),
        ({"cloud_id": "elsewhere"}, 0),
        ({"cloud_resource_id": "r"}, 0),
        ({"start_time": "2020-01-01T00:00:00+00:00", "event_type": "CONFIG_UPDATED"}, 1),
        ({"end_time": "2020-01-01T00:00:00Z"}, 0),
        ({"cluster_id": "unknown"}, 0),
    ],
)
def test_events_are_filtered(
    owner_client: Compat, busy: Any, query: dict[str, Any], expected: int
) -> None:
    answer = owner_client.get("scheduler/events", **query)
    assert (len(answer.results), answer.page) == (expected, (expected, None))


def test_a_workload_is_found_by_its_id(owner_client: Compat, busy: dict[str, str]) -> None:
    told = ["REQUEST_ADMITTED", "REQUEST_SUBMITTED"]
    assert kinds(owner_client, cluster_id=busy["runs"]) == told
    assert kinds(owner_client, search_id=busy["runs"], level="INFO") == told
    assert kinds(owner_client, search_id=busy["runs"], cluster_id=busy["runs"]) == told
    assert kinds(owner_client, search_id=busy["runs"], cluster_id=busy["waits"]) == []


def test_a_cloud_resource_is_found(owner_client: Compat, api: Any, owner: Any, settle: Any) -> None:
    workload = {"name": "placed", "cloud_resource_id": "r-1"}
    api(owner).post("workloads", {"workloads": [workload]})
    settle(owner.org)
    events = owner_client.get("scheduler/events", cloud_resource_id="r-1").results
    assert {each["cloud_resource_id"] for each in events} == {"r-1"}
    assert len(events) == 2


@pytest.mark.parametrize("newest", [True, False])
@pytest.mark.parametrize("query", [{}, {"level": ["INFO", "WARNING", "ERROR"]}])
def test_pages_in_either_order(
    owner_client: Compat, busy: Any, newest: bool, query: dict[str, Any]
) -> None:
    ids: list[int] = []
    more: dict[str, Any] = {}
    while True:
        answer = owner_client.get("scheduler/events", count=2, order_desc=newest, **query, **more)
        ids += [int(each["id"]) for each in answer.results]
        total, token = answer.page
        assert total == 9
        if token is None:
            break
        more = {"paging_token": token}
    assert ids == sorted(Event.objects.values_list("pk", flat=True), reverse=newest)


def test_there_are_no_events_in_a_new_organization(owner_client: Compat, busy: Any) -> None:
    answer = owner_client.get("scheduler/events", count=0)
    assert (answer.results, answer.page) == ([], (9, None))


def test_matches_are_counted_among_the_newest(
    owner_client: Compat, busy: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("console.workloads.queries.event_search.MOST_COUNTED", 4)
    assert owner_client.get("scheduler/events").page == (4, None)


def exported(client: Compat, **query: Any) -> Any:
    """Return the answer of the external API for *query*."""
    answer = client.outside("scheduler/events", **query)
    return [event["type"] for event in answer.results]


def test_the_external_api_has_the_same_events_in_its_own_shape(
    owner_client: Compat, busy: dict[str, str]
) -> None:
    answer = owner_client.outside("scheduler/events", event_types="REQUEST_ADMITTED", queues="rest")
    row = Event.objects.get(type="REQUEST_ADMITTED", workload__name="serves")
    (event,) = answer.results
    assert event.pop("event_time").startswith(row.created_at.isoformat()[:19])
    assert event == {
        "id": str(row.pk),
        "type": "REQUEST_ADMITTED",
        "level": "INFO",
        "message": "serves was admitted.",
        "cloud_id": "here",
        "project_id": None,
        "scheduler_request_id": busy["serves"],
        "queue": "rest",
        "instance_type": None,
        "workload": {"id": busy["serves"], "type": "SERVICE", "name": "serves"},
        "data": row.data,
    }
    assert answer.page == (1, None)
    (config,) = owner_client.outside("scheduler/events", event_types="CONFIG_UPDATED").results
    assert config["workload"] is None


def test_the_external_api_filters_and_pages(owner_client: Compat, busy: dict[str, str]) -> None:
    every = exported(owner_client, count=100)
    assert exported(owner_client, count=100, order_desc="false") == every[::-1]
    assert exported(owner_client, levels=["ERROR"]) == ["REQUEST_REJECTED"]
    assert exported(owner_client, workload_id=busy["serves"], queues="rest") == ["REQUEST_ADMITTED"]
    assert exported(owner_client, cloud_id="elsewhere") == []
    assert exported(owner_client, end_time="2020-01-01T00:00:00Z") == []
    first = owner_client.outside("scheduler/events", count=3)
    token = first.page[1]
    rest = exported(owner_client, count=100, paging_token=token)
    assert [event["type"] for event in first.results] + rest == every
    assert owner_client.outside("scheduler/events", event_type="X").error[0] == 400
