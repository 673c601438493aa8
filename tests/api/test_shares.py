"""Fair shares over HTTP: their parts, the order of siblings, and trials of other numbers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import LabelSet, Workload
from tests.cohorts import LAB, activate_policy
from tests.shares import fill_shares

SHARES = "shares"


@pytest.fixture
def client(api, owner):
    return api(owner)


@pytest.fixture
def divided(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_shares(owner, monkeypatch)


def gpu(answer: dict, field: str) -> dict[str, object]:
    return {
        each["queue"]: next(r[field] for r in each["resources"] if r["resource"] == "gpu")
        for each in answer["queues"]
    }


def test_every_queue_has_its_fair_share_and_what_it_consists_of(client, divided) -> None:
    answer = client.get(SHARES, of="other").body
    assert answer["total"][2] == {"resource": "gpu", "amount": 8}
    assert answer["remaining"][2] == {"resource": "gpu", "amount": 0}
    assert gpu(answer, "fair_share") == {"dept": 6, "a": 5, "b": 1, "other": 2}
    assert gpu(answer, "requested") == {"dept": 8, "a": 5, "b": 3, "other": 2}
    (a,) = (each for each in answer["queues"] if each["queue"] == "a")
    assert a | {"resources": []} == {
        "queue": "a",
        "parent": "dept",
        "depth": 1,
        "has_children": False,
        "priority": 100,
        "dominant_share": 0.6,
        "dominant_resource": "gpu",
        "place": 1,
        "siblings": 2,
        "behind": None,
        "behind_because": "",
        "resources": [],
        "reclaimable": [],
    }
    assert a["resources"][2] == {
        "resource": "gpu",
        "quota": 3,
        "limit": None,
        "weight": 1,
        "requested": 5,
        "used": 3,
        "non_preemptible": 0,
        "fair_share": 5,
        "guaranteed": 3,
        "surplus": 1,
        "rounding": 1,
        "changed_fair_share": None,
    }
    (other,) = (each for each in answer["queues"] if each["queue"] == "other")
    assert other["reclaimable"] == [
        {"queue": "a", "resource": "gpu", "amount": 2},
        {"queue": "b", "resource": "gpu", "amount": 2},
    ]


def test_running_workloads_that_cannot_be_preempted_are_told_apart(
    client, divided, org: Organization
) -> None:
    labels = LabelSet.objects.create(org=org, labels={}, digest="x")
    for number, priority in enumerate((100, 50)):
        Workload.objects.create(
            org=org,
            name=f"w{number}",
            label_set=labels,
            state="admitted",
            reservation=number,
            queue="b",
            priority=priority,
            requests={"gpu": 1000},
            assignment=[
                {
                    "name": "main",
                    "count": 1,
                    "flavors": {},
                    "places": [{"count": 1, "cluster": "east", "node": "n0", "flavor": "pool"}],
                }
            ],
        )
    answer = client.get(SHARES).body
    assert gpu(answer, "non_preemptible") == {"dept": 1, "a": 0, "b": 1, "other": 0}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"queue": "b", "number": "quota", "resource": "gpu", "value": "3"}, [6, 3, 3, 2]),
        ({"queue": "other", "number": "limit", "resource": "gpu", "value": "0"}, [8, 5, 3, 0]),
        ({"queue": "b", "number": "quota", "resource": "gpu", "value": "unlimited"}, [6, 3, 3, 2]),
        ({"queue": "b", "number": "weight", "resource": "gpu", "value": "0"}, [6, 5, 0, 2]),
        ({"queue": "b", "number": "priority", "value": "101"}, [6, 3, 3, 2]),
    ],
)
def test_one_number_may_be_changed_without_applying_it(
    client, divided, change: dict[str, str], found: list[int]
) -> None:
    answer = client.get(SHARES, **change).body
    assert list(gpu(answer, "changed_fair_share").values()) == found
    assert gpu(answer, "fair_share") == {"dept": 6, "a": 5, "b": 1, "other": 2}


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        (
            {"queue": "a"},
            [
                ("number", "number is required to change a number."),
                ("value", "value is required to change a number."),
            ],
        ),
        (
            {"queue": "a", "number": "quota", "value": "1"},
            [("resource", "resource is required to change a number.")],
        ),
        (
            {"queue": "gone", "number": "priority", "value": "1"},
            [("queue", "There is no queue 'gone' in the active config.")],
        ),
        (
            {"queue": "a", "number": "quota", "resource": "disk", "value": "1"},
            [("resource", "resource has to be one of: cpu, memory, gpu.")],
        ),
        (
            {"queue": "a", "number": "quota", "resource": "gpu", "value": "many"},
            [("value", "'many' is not a number.")],
        ),
        (
            {"queue": "a", "number": "limit", "resource": "gpu", "value": "-2"},
            [("value", "a limit is not negative.")],
        ),
        (
            {"queue": "a", "number": "priority", "value": "1.5"},
            [("value", "a priority is a whole number.")],
        ),
        (
            {"queue": "a", "number": "weight", "resource": "gpu", "value": "1e13"},
            [("value", "a weight is at most 1e12.")],
        ),
    ],
)
def test_a_wrong_change_has_a_sentence_for_each_parameter(
    client, divided, change: dict[str, str], errors: list[tuple[str, str]]
) -> None:
    response = client.get(SHARES, **change)
    assert response.status == 400
    assert [(each["path"], each["message"]) for each in response.body["errors"]] == errors


def test_queues_of_other_schedulers_have_no_shares(
    client, org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = {"total": [], "remaining": [], "queues": []}
    assert client.get(SHARES).body == nothing
    activate_policy(org, LAB, monkeypatch)
    assert client.get(SHARES, queue="a", number="priority", value="1").body == nothing


def test_the_statements_do_not_grow_with_workloads(client, divided, org: Organization) -> None:
    client.get(SHARES)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(SHARES)
    labels = LabelSet.objects.create(org=org, labels={}, digest="x")
    for number in range(30):
        Workload.objects.create(
            org=org,
            name="x",
            label_set=labels,
            state="admitted",
            queue="a",
            requests={"gpu": 1},
            reservation=number,
        )
    with CaptureQueriesContext(connection) as many:
        client.get(SHARES)
    assert len(many) == len(few)
