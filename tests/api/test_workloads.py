"""Workloads over HTTP: submission, lists, filters, pages, idempotency keys and endings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console import paging
from console.orgs.permissions import Actor
from console.workloads.models import (
    Decision,
    Event,
    IdempotentAnswer,
    Intake,
    LabelSet,
    Workload,
)
from tests.api.documents import CAP, OPEN
from tests.preemption_circle import preempt_and_yield
from tests.preemption_pair import CONFIG as PREEMPTING
from tests.preemption_pair import Settle, preempt_for


@pytest.fixture
def client(api, owner):
    return api(owner)


def submit(client, *workloads: dict, **headers: str) -> list[str]:
    answer = client.post("workloads", {"workloads": list(workloads)}, **headers)
    assert answer.status == 202, answer.body
    return answer.body["ids"]


def names(client, **query: str) -> list[str]:
    return [row["name"] for row in client.get("workloads", **query).body["results"]]


def apply(client, text: str, version: int = 0) -> None:
    assert client.post("config/versions", {"text": text, "expected_version": version}).status == 201


def full(name: str) -> dict:
    """Return a workload with every field except pod sets."""
    return {
        "name": name,
        "type": "service",
        "tags": {"team": "ml", "tier": "1"},
        "instance_type": "m5.2xlarge",
        "accelerator_type": "T4",
        "market_type": "ON_DEMAND",
        "cloud_resource_id": "cr-1",
        "priority": 7,
        "requests": {"cpu": 1.5},
        "user": "someone",
        "groups": ["staff"],
        "project": "search",
        "namespace": "prod",
        "preemptible": False,
        "placement": {"filters": [{"name": "eu"}]},
        "max_run_seconds": 3600,
    }


def test_a_workload_is_returned_as_submitted(client):
    (uid,) = submit(client, full("everything"))
    row = client.get(f"workloads/{uid}").body
    assert row.pop("submitted_at").endswith("Z")
    assert row == {
        "id": uid,
        "name": "everything",
        "type": "service",
        "labels": {
            "team": "ml",
            "tier": "1",
            "instance-type": "m5.2xlarge",
            "accelerator-type": "T4",
            "market-type": "ON_DEMAND",
            "cloud-resource-id": "cr-1",
            "workload-type": "service",
        },
        "priority": {"requested": 7, "effective": None},
        "requests": {"cpu": 1.5},
        "pod_sets": [
            {
                "name": "main",
                "count": 1,
                "min_count": None,
                "requests": {"cpu": 1.5},
                "node_selector": {},
                "affinity": [],
                "tolerations": [],
                "group": None,
            }
        ],
        "finished_pods": {},
        "state": "pending",
        "queue": None,
        "queue_position": None,
        "flavors": {},
        "assignment": [],
        "reason": {"code": "not_evaluated", "message": "Not evaluated yet"},
        "preemptor": None,
        "config_version": None,
        "rule_index": None,
        "admitted_at": None,
        "ended_at": None,
        "preemptions": 0,
        "user": "someone",
        "groups": ["staff"],
        "project": "search",
        "namespace": "prod",
        "preemptible": False,
        "placement": {"filters": [{"name": "eu"}]},
        "active": True,
        "max_run_seconds": 3600,
        "run_ends_at": None,
    }
    event = Event.objects.get()
    assert (event.type, event.actor, event.data) == (
        "REQUEST_SUBMITTED",
        "owner token",
        {"workload": uid, "name": "everything"},
    )
    assert client.get(f"workloads/{uid}/explanation").body["headline"]


def test_null_equals_a_missing_field(client):
    (uid,) = submit(client, {"name": "bare", **dict.fromkeys(full("x").keys() - {"name"})})
    row = client.get(f"workloads/{uid}").body
    assert row["labels"] == {"workload-type": "job"}
    assert (row["requests"], row["user"], row["groups"]) == ({}, "", [])


def test_equal_labels_share_one_row(client):
    submit(client, *(full(f"a{i}") for i in range(20)), {"name": "other"})
    submit(client, *(full(f"b{i}") for i in range(20)))
    assert LabelSet.objects.count() == 2
    assert Workload.objects.count() == 41


def test_filters_are_combined(client, settle, owner):
    apply(client, CAP)
    m5 = {"instance_type": "m5.2xlarge", "requests": {"cpu": 24}}
    submit(client, {"name": "first", **m5, "user": "ann", "project": "p1", "tags": {"team": "a"}})
    submit(client, {"name": "second", **m5, "user": "bob", "project": "p1", "tags": {"team": "b"}})
    settle(owner.org)
    submit(client, {"name": "Third", "type": "service", "user": "bob", "tags": {"team": "b"}})
    submit(client, {"name": "third-b", "tags": {"odd.key/ü": "1", "team__x": "b", "0": "no"}})
    settle(owner.org)
    (unseen,) = submit(client, {"name": "unseen"})

    assert names(client) == ["unseen", "third-b", "Third", "second", "first"]
    assert names(client, state="pending") == ["unseen", "second"]
    assert names(client, state="admitted") == ["third-b", "Third", "first"]
    assert names(client, queue="default") == ["third-b", "Third"]
    assert names(client, queue="q-m5-2xlarge-cap3", state="pending") == ["second"]
    assert names(client, queue="nowhere") == []
    assert names(client, reason="waiting_for_quota") == ["second"]
    assert names(client, reason="waiting_for_quota", state="admitted") == []
    assert names(client, reason="quota_reserved") == ["first"]
    assert names(client, reason="passthrough", queue="default") == ["third-b", "Third"]
    assert names(client, reason="not_evaluated") == ["unseen"]
    assert names(client, user="bob") == ["Third", "second"]
    assert names(client, user="bob", project="p1") == ["second"]
    assert names(client, project="p1", state="admitted") == ["first"]
    assert names(client, type="service") == ["Third"]
    assert names(client, q="thi") == ["third-b"]
    assert names(client, q="third-b") == ["third-b"]
    assert names(client, q="t%") == []
    assert names(client, q=unseen) == ["unseen"]
    assert names(client, q=unseen[:5]) == []
    assert names(client, q="s", state="pending") == ["second"]
    assert names(client, **{"label.team": "b"}) == ["Third", "second"]
    assert names(client, **{"label.team": "b", "label.workload-type": "job"}) == ["second"]
    assert names(client, **{"label.odd.key/ü": "1"}) == ["third-b"]
    assert names(client, **{"label.team__x": "b"}) == ["third-b"]
    assert names(client, **{"label.0": "no"}) == ["third-b"]
    assert names(client, **{"label.nothing": "b"}) == []
    middle = client.get(f"workloads/{unseen}").body["submitted_at"]
    assert names(client, since=middle) == ["unseen"]
    assert names(client, until=middle) == ["third-b", "Third", "second", "first"]
    assert names(client, until=middle, queue="default") == ["third-b", "Third"]
    assert names(client, since="2000-01-01", until="2000-01-02") == []


FILTERS = [
    {},
    {"state": "admitted"},
    {"queue": "default"},
    {"queue": "default", "type": "job"},
    {"reason": "passthrough"},
    {"label.team": "a"},
    {"label.team": "a", "state": "admitted", "q": "w"},
    {"since": "2000-01-01T00:00:00Z"},
]


@pytest.mark.parametrize("query", FILTERS, ids=str)
@pytest.mark.parametrize("windows", [(3, 3), (1, 5), (20_000, 20_000)])
def test_pages_hold_every_row_once_while_new_ones_arrive(
    client, settle, owner, monkeypatch, query, windows
):
    monkeypatch.setattr(paging, "WINDOWS", windows)
    apply(client, OPEN)
    wanted = submit(client, *({"name": f"w{i}", "tags": {"team": "a"}} for i in range(25)))
    submit(client, *({"name": f"x{i}", "type": "service"} for i in range(10)))
    settle(owner.org)
    if not any(name in query for name in ("label.team", "type")):
        wanted = list(Workload.objects.order_by("pk").values_list("uid", flat=True))
    seen: list[str] = []
    cursor = None
    for _ in range(200):
        page = client.get("workloads", limit=4, **query, **({"cursor": cursor} if cursor else {}))
        seen += [row["id"] for row in page.body["results"]]
        submit(client, {"name": "newcomer", "tags": {"team": "a"}})
        settle(owner.org)
        cursor = page.body["next"]
        if cursor is None:
            break
    assert seen == list(reversed(wanted))


def test_times_hold_where_rows_were_written_out_of_order(client):
    start = datetime(2026, 1, 31, 12, tzinfo=UTC)
    submit(client, *({"name": f"at {i}"} for i in range(-60, 61)))
    # Each row was written up to 20 seconds after its submission time.
    late = sorted(range(-60, 61), key=lambda i: i + i * 7 % 20)
    for second, workload in zip(late, Workload.objects.order_by("pk"), strict=True):
        workload.name = f"at {second}"
        workload.submitted_at = start + timedelta(seconds=second)
        workload.save()

    def seconds(**query: str) -> list[int]:
        return sorted(int(name.removeprefix("at ")) for name in names(client, limit="500", **query))

    assert seconds(since=start.isoformat()) == list(range(61))
    assert seconds(until=start.isoformat()) == list(range(-60, 0))
    late_start = (start + timedelta(seconds=40)).isoformat()
    assert seconds(since=start.isoformat(), until=late_start) == list(range(40))


def test_an_organization_sees_only_its_own_workloads(client, api, outsider, other_org):
    (uid,) = submit(client, {"name": "ours"})
    theirs = api(Actor.from_user(other_org, outsider, "owner"))
    assert theirs.get("workloads").body == {"results": [], "next": None}
    assert theirs.get(f"workloads/{uid}").problem == (404, "not_found")
    assert theirs.post(f"workloads/{uid}/withdraw").problem == (404, "not_found")
    assert theirs.post("workloads/finish", {"ids": [uid]}).problem == (404, "not_found")
    assert theirs.get("workloads", q=uid).body["results"] == []
    assert theirs.get("events", workload=uid).body["results"] == []


def count_queries(client, path: str, **query: int) -> int:
    client.get(path, **query)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path, **query).status == 200
    return len(queries)


def test_lists_take_as_many_queries_for_many_rows_as_for_few(client, settle, owner):
    apply(client, CAP)
    paths = ["workloads", "queues", "decisions", "events", "config/versions"]
    paths += ["queues/q-m5-2xlarge-cap3", "queues/q-m5-2xlarge-cap3/pending"]

    def counts() -> dict[str, int]:
        return {path: count_queries(client, path, **limit(path)) for path in paths}

    def limit(path: str) -> dict:
        return {} if path.endswith("cap3") else {"limit": 100}

    def more(count: int) -> None:
        m5 = {"instance_type": "m5.2xlarge", "requests": {"cpu": 8}}
        submit(client, *({"name": f"w{i}", **m5, "priority": i} for i in range(count)))
        submit(client, *({"name": f"t{i}", "tags": {"i": str(i)}} for i in range(count)))
        settle(owner.org)

    more(2)
    few = counts()
    more(40)
    assert counts() == few
    assert max(few.values()) <= 8


def test_the_same_key_gets_the_first_answer(client, api, operator):
    first = submit(client, {"name": "a"}, {"name": "b"}, **{"idempotency-key": "k 1"})
    again = submit(client, {"name": "a"}, {"name": "b"}, **{"idempotency-key": "k 1"})
    other = submit(client, {"name": "a"}, {"name": "b"}, **{"idempotency-key": "k 2"})
    theirs = submit(api(operator), {"name": "c"}, **{"idempotency-key": "k 1"})
    assert again == first
    assert not set(other) & set(first)
    assert (Workload.objects.count(), Intake.objects.count()) == (5, 3)
    assert theirs[0] not in first


def test_a_key_is_for_one_request(client):
    submit(client, {"name": "a"}, **{"idempotency-key": "k"})
    answer = client.post("workloads", {"workloads": [{"name": "b"}]}, **{"idempotency-key": "k"})
    assert answer.problem == (409, "idempotency_key_reused")
    assert Workload.objects.count() == 1


@pytest.mark.parametrize("key", ["", "x" * 151, "a\tb", "ü"])
def test_an_invalid_key_is_refused(client, key):
    answer = client.post("workloads", {"workloads": [{"name": "b"}]}, **{"idempotency-key": key})
    assert answer.problem == (400, "invalid_request")
    assert answer.body["errors"][0]["path"] == "Idempotency-Key"
    assert not Workload.objects.exists()


def test_a_refused_request_does_not_use_up_its_key(client):
    header = {"idempotency-key": "k"}
    assert client.post("workloads", {"workloads": [{}]}, **header).status == 400
    assert not IdempotentAnswer.objects.exists()
    assert submit(client, {"name": "a"}, **header)


def test_endings_are_checked_against_the_state(client, settle, owner):
    apply(client, CAP)
    m5 = {"instance_type": "m5.2xlarge", "requests": {"cpu": 24}}
    running, waiting = submit(client, {"name": "running", **m5}, {"name": "waiting", **m5})
    settle(owner.org)

    answer = client.post(f"workloads/{waiting}/finish")
    assert answer.problem == (409, "wrong_state")
    assert answer.body["detail"] == (
        f"waiting ({waiting}) is pending, so finish is not possible; it can be: withdraw. "
        "Nothing was changed."
    )
    assert client.post(f"workloads/{running}/release").problem == (409, "wrong_state")
    both = client.post("workloads/finish", {"ids": [running, waiting]})
    assert both.problem == (409, "wrong_state")
    assert client.post("workloads/finish", {"ids": [running, "gone"]}).body["detail"] == (
        "There is no workload gone in here."
    )
    settle(owner.org)
    assert client.get(f"workloads/{running}").body["state"] == "admitted"

    assert client.post(f"workloads/{waiting}/withdraw").body == {"ids": [waiting]}
    assert client.post("workloads/finish", {"ids": [running, running]}).status == 202
    settle(owner.org)
    assert client.get(f"workloads/{waiting}").body["state"] == "withdrawn"
    assert client.get(f"workloads/{running}").body["state"] == "finished"
    assert client.get(f"workloads/{running}").body["ended_at"] is not None

    assert client.post(f"workloads/{running}/finish").status == 202
    assert client.post(f"workloads/{waiting}/withdraw").status == 202
    assert not Intake.objects.exists()
    assert client.post(f"workloads/{running}/withdraw").problem == (409, "wrong_state")


def test_many_are_withdrawn_and_released_at_once(client, settle, owner):
    apply(client, PREEMPTING)
    ask = {"tags": {"team": "research"}, "requests": {"gpu": 4}}
    low = submit(client, *({"name": f"low-{i}", **ask, "priority": 10} for i in range(2)))
    settle(owner.org)
    high = submit(client, *({"name": f"high-{i}", **ask, "priority": 90} for i in range(3)))
    settle(owner.org)

    def states() -> dict[str, str]:
        rows = client.get("workloads").body["results"]
        return {row["name"]: row["state"] for row in rows}

    waits = dict.fromkeys(("high-0", "high-1", "high-2"), "pending")
    assert states() == {**waits, "low-0": "preempting", "low-1": "preempting"}
    refused = client.post("workloads/release", {"ids": [*low, high[0]]})
    assert refused.problem == (409, "wrong_state")
    assert client.post("workloads/withdraw", {"ids": ["gone", high[2]]}).problem == (
        404,
        "not_found",
    )
    settle(owner.org)
    assert states() == {**waits, "low-0": "preempting", "low-1": "preempting"}

    assert client.post("workloads/release", {"ids": low}).body == {"ids": low}
    assert client.post("workloads/withdraw", {"ids": [high[2]]}).body == {"ids": [high[2]]}
    settle(owner.org)
    assert states() == {
        "high-0": "admitted",
        "high-1": "admitted",
        "high-2": "withdrawn",
        "low-0": "pending",
        "low-1": "pending",
    }


def test_each_is_withdrawn_for_itself_and_ended_ones_are_submitted_again(client, settle, owner):
    apply(client, OPEN)
    ended, runs = submit(client, {"name": "ended"}, {"name": "runs"})
    settle(owner.org)
    client.post(f"workloads/{ended}/finish")
    settle(owner.org)
    answer = client.post("workloads/withdraw", {"ids": [ended, "gone", runs], "each": True})
    assert (answer.status, answer.body["ids"]) == (202, [runs])
    assert [(row["id"], row["outcome"], row["workload"]) for row in answer.body["results"]] == [
        (ended, "wrong_state", None),
        ("gone", "not_found", None),
        (runs, "withdrawn", None),
    ]
    settle(owner.org)
    again = client.post("workloads/withdraw", {"ids": [runs], "each": True})
    assert again.body == {
        "ids": [runs],
        "results": [
            {
                "id": runs,
                "outcome": "unchanged",
                "message": "The workload was already withdrawn.",
                "workload": None,
            }
        ],
    }
    key = {"Idempotency-Key": "again"}
    made = client.post("workloads/resubmit", {"ids": [ended, "gone"]}, **key)
    assert client.post("workloads/resubmit", {"ids": [ended, "gone"]}, **key).body == made.body
    (new,) = made.body["ids"]
    assert [(row["outcome"], row["workload"]) for row in made.body["results"]] == [
        ("resubmitted", new),
        ("not_found", None),
    ]
    assert names(client) == ["ended", "runs", "ended"]
    (event,) = client.get("events", workload=new, type="REQUEST_SUBMITTED").body["results"]
    assert event["message"] == f"ended was submitted again; it repeats the workload {ended}."


def test_workloads_are_deactivated_and_activated(client, settle, owner):
    apply(client, OPEN)
    ended, runs = submit(client, {"name": "ended"}, {"name": "runs", "max_run_seconds": 60})
    settle(owner.org)
    client.post(f"workloads/{ended}/finish")
    settle(owner.org)
    row = client.get(f"workloads/{runs}").body
    assert (row["active"], row["max_run_seconds"]) == (True, 60)
    begins, ends = (datetime.fromisoformat(row[name]) for name in ("admitted_at", "run_ends_at"))
    assert abs(ends - begins - timedelta(seconds=60)) < timedelta(seconds=1)
    answer = client.post(f"workloads/{runs}/deactivate")
    assert (answer.status, answer.body) == (202, {"ids": [runs]})
    settle(owner.org)
    row = client.get(f"workloads/{runs}").body
    assert (row["state"], row["active"], row["run_ends_at"]) == ("preempting", False, None)
    assert row["reason"] == {
        "code": "deactivated_while_running",
        "message": "Deactivated while running",
    }
    (event,) = client.get("events", workload=runs, type="REQUEST_PREEMPTED").body["results"]
    assert event["message"] == "runs was deactivated, and has to stop."
    late = client.post(f"workloads/{ended}/activate")
    assert late.problem == (409, "wrong_state")
    answer = client.post("workloads/activate", {"ids": [ended, "gone", runs]})
    assert answer.body["ids"] == [runs]
    assert [(each["id"], each["outcome"]) for each in answer.body["results"]] == [
        (ended, "wrong_state"),
        ("gone", "not_found"),
        (runs, "activated"),
    ]
    answer = client.post("workloads/deactivate", {"ids": [runs]})
    assert [each["outcome"] for each in answer.body["results"]] == ["deactivated"]
    for value in ("60", 0, 2**31, 1.5):
        refused = client.post(
            "workloads", {"workloads": [{"name": "long", "max_run_seconds": value}]}
        )
        assert refused.problem == (400, "invalid_request")
        assert [e["path"] for e in refused.body["errors"]] == ["workloads[0].max_run_seconds"]


def test_priorities_are_changed_one_by_one_and_for_a_selection(client, settle, owner):
    apply(client, OPEN)
    ended, runs = submit(client, {"name": "ended"}, {"name": "runs"})
    settle(owner.org)
    client.post(f"workloads/{ended}/finish")
    settle(owner.org)
    answer = client.put(f"workloads/{runs}/priority", {"priority": 4})
    assert (answer.status, answer.body) == (202, {"ids": [runs]})
    settle(owner.org)
    assert client.get(f"workloads/{runs}").body["priority"] == {
        "requested": 4,
        "effective": 4,
    }
    (event,) = client.get("events", workload=runs, type="PRIORITY_CHANGED").body["results"]
    assert event["message"] == "The priority of runs was changed from 0 to 4."
    late = client.put(f"workloads/{ended}/priority", {"priority": 4})
    assert late.problem == (409, "wrong_state")
    answer = client.post("workloads/priority", {"ids": [ended, "gone", runs], "priority": 4})
    assert answer.body["ids"] == [runs]
    assert [(row["id"], row["outcome"]) for row in answer.body["results"]] == [
        (ended, "wrong_state"),
        ("gone", "not_found"),
        (runs, "unchanged"),
    ]
    for value in (None, "4", -1, 2**53):
        refused = client.put(f"workloads/{runs}/priority", {"priority": value})
        assert refused.problem == (400, "invalid_request")
        assert [error["path"] for error in refused.body["errors"]] == ["priority"]


def test_a_selection_is_bounded_and_its_fields_are_checked(client):
    many = [f"id-{number}" for number in range(501)]
    for path, body, field in (
        ("workloads/withdraw", {"ids": many, "each": True}, "ids"),
        ("workloads/withdraw", {"ids": ["a"], "each": "yes"}, "each"),
        ("workloads/resubmit", {"ids": many}, "ids"),
        ("workloads/resubmit", {"ids": []}, "ids"),
    ):
        answer = client.post(path, body)
        assert answer.problem == (400, "invalid_request")
        assert [error["path"] for error in answer.body["errors"]] == [field]


def test_asking_twice_before_the_engine_looks_is_harmless(client, settle, owner):
    apply(client, OPEN)
    (uid,) = submit(client, {"name": "a"})
    settle(owner.org)
    for _ in range(2):
        assert client.post(f"workloads/{uid}/finish").status == 202
    settle(owner.org)
    assert client.get(f"workloads/{uid}").body["state"] == "finished"


def test_an_ending_takes_no_fields(client):
    (uid,) = submit(client, {"name": "a"})
    answer = client.post(f"workloads/{uid}/withdraw", {"reason": "x"})
    assert answer.problem == (400, "invalid_request")
    without = client.client.generic("POST", f"{client.org}/workloads/{uid}/withdraw")
    assert without.status_code == 202


def test_preempted_and_yielding_workloads_name_the_other_one(api, owner, settle):
    yielding, stopping, first = preempt_and_yield(owner, settle)
    client = api(owner)
    found = {
        uid: (row["state"], row["reason"]["code"], row["preemptor"])
        for uid in (yielding, stopping, first)
        for row in [client.get(f"workloads/{uid}").body]
    }
    assert found == {
        yielding: ("pending", "behind_others", first),
        stopping: ("preempting", "reclaimed_in_cohort", first),
        first: ("pending", "waiting_for_preempted", None),
    }
    decided = [
        (row["workload"]["name"], row["outcome"], row["preemptor"])
        for row in client.get("decisions").body["results"]
        if row["preemptor"]
    ]
    assert decided == [
        ("stopping", "preempted", first),
        ("yielding", "preempted", first),
        ("yielding", "preempted", first),
        ("yielding", "pending", first),
    ]


def test_an_explanation_says_what_would_start_it(client, settle, owner):
    apply(client, CAP)
    m5 = {"instance_type": "m5.2xlarge"}
    (first,) = submit(client, {"name": "first", **m5, "requests": {"cpu": 24}})
    settle(owner.org)
    (second,) = submit(client, {"name": "second", **m5, "requests": {"cpu": 24}})
    settle(owner.org)
    explanation = client.get(f"workloads/{second}/explanation").body
    quota, finish = explanation["changes"]
    assert quota == {
        "kind": "quota",
        "text": "Raise the nominal quota of m5-2xlarge/cpu in q-m5-2xlarge-cap3 from 24 to 48: "
        "it would start now; no other workload is affected.",
        "subject": "m5-2xlarge/cpu",
        "from": 24,
        "to": 48,
        "queue": "q-m5-2xlarge-cap3",
        "holder": None,
        "cluster": None,
        "template": None,
        "number": "nominal",
        "pod_set": None,
        "workloads": [],
        "who_loses": [],
        "who_waits": [],
        "starts": "now",
        "range": {"line": 12, "column": 17, "end_line": 12, "end_column": 49},
    }
    assert (finish["kind"], finish["workloads"]) == ("finish", [first])
    assert explanation["does_not_help"] == (
        "Does not help: a smaller request for one resource, a higher priority, one other setting "
        "of the queue."
    )
    assert client.get(f"workloads/{first}/explanation").body["changes"] == []


def test_an_explanation_is_text_to_paste_with_the_names_that_its_reader_may_know(
    api_for: Callable[[Actor], Client],
    owner: Actor,
    operator: Actor,
    submitter: Actor,
    settle: Settle,
) -> None:
    old, _, _ = preempt_for(owner, submitter, operator, settle)
    path = f"/api/v1/orgs/here/workloads/{old.uid}/explanation"
    answers = {
        each.role: api_for(each).get(f"{path}?as=markdown") for each in (operator, submitter)
    }
    assert {each.headers["Content-Type"] for each in answers.values()} == {
        "text/markdown; charset=utf-8"
    }
    whole, hidden = (answers[role].content.decode() for role in ("operator", "submitter"))
    assert whole.startswith(f"**batch ({old.uid})**: ")
    assert f"[Open it](http://testserver/o/here/workloads/{old.uid})" in whole
    assert "urgent" in whole
    assert "urgent" not in hidden
    assert "another workload of queue research" in hidden
    refused = api_for(operator).get(f"{path}?as=csv")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, "invalid_choice")


def test_optional_facts_come_back_as_they_were_submitted(api, owner):
    client = api(owner)
    facts = {
        "user": "ada",
        "groups": ["research", "gpu-users"],
        "preemptible": False,
        "placement": {"preferences": [{"name": "west", "weight": 50}], "spread": None},
    }
    (plain,) = client.post("workloads", {"workloads": [{"name": "plain"}]}).body["ids"]
    (full,) = client.post("workloads", {"workloads": [{"name": "full", **facts}]}).body["ids"]
    nothing = {"user": "", "groups": [], "preemptible": None, "placement": None}
    for uid, expected in ((plain, nothing), (full, facts)):
        row = client.get(f"workloads/{uid}").body
        assert {name: row[name] for name in facts} == expected
    listed = client.get("workloads").body["results"]
    assert [{name: row[name] for name in facts} for row in listed] == [facts, nothing]


def test_whole_numbers_of_a_placement_may_have_a_point(api, owner):
    client = api(owner)
    body = '{"workloads": [{"name": "w", "placement": {"weight": 50.0, "least": -1e2}}]}'
    (uid,) = client.post("workloads", body).body["ids"]
    assert client.get(f"workloads/{uid}").body["placement"] == {"weight": 50, "least": -100}


def test_places_are_answered_where_the_scheduler_assigned_some(api, owner, settle):
    client = api(owner)
    (uid,) = client.post("workloads", {"workloads": [{"name": "w"}]}).body["ids"]
    settle(owner.org)
    pods = {"name": "main", "count": 3, "flavors": {}}
    places = [{"count": 2, "cluster": "west"}, {"count": 1, "cluster": "east", "node": "n1"}]
    Workload.objects.update(assignment=[{**pods, "places": places}])
    Decision.objects.update(assignment=[{**pods, "places": places}])
    added = {"node_selector": {}, "tolerations": []}
    split = [{**pods, "places": places, **added}]
    assert client.get(f"workloads/{uid}").body["assignment"] == split
    assert client.get("decisions").body["results"][0]["assignment"] == split
