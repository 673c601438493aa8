"""Preemptions over HTTP: a workload's list and its receipts, limited by the reader's role."""

from __future__ import annotations

from console.workloads.services.end_workloads import release_workloads
from tests.preemption_pair import preempt_for


def test_both_sides_read_the_same_receipt(api, owner, operator, settle):
    old, new, told = preempt_for(owner, operator, operator, settle)
    release_workloads(owner, [old.uid])
    settle(owner.org)
    client = api(owner)
    (short,) = client.get(f"workloads/{old.uid}/preemptions").body["results"]
    assert short == {
        "seq": told.pk,
        "role": "victim",
        "victim": {
            "id": old.uid,
            "name": "batch",
            "queue": "research",
            "priority": 10,
            "requests": {"gpu": 6},
        },
        "beneficiary": {
            "id": new.uid,
            "name": "urgent",
            "queue": "research",
            "priority": 90,
            "requests": {"gpu": 4},
        },
        "reason": {"code": "preempted_in_queue", "message": "Preempted"},
        "config_version": 1,
        "told_at": short["told_at"],
    }
    mine = client.get(f"workloads/{old.uid}/preemptions/{told.pk}").body
    theirs = client.get(f"workloads/{new.uid}/preemptions/{told.pk}").body
    assert theirs == mine | {"role": "beneficiary"}
    assert mine["frees"] == {"spot/gpu": 6}
    assert mine["policy"]["range"]["line"] == 6
    assert (mine["released_by"], mine["is_stopping"]) == ("REQUEST_RELEASED", False)
    assert (mine["times"], mine["times_for_it"]) == (1, 1)
    assert client.get(f"workloads/{new.uid}/preemptions/{told.pk + 99}").status == 404


def test_a_submitter_of_neither_workload_reads_no_names(api, owner, operator, submitter, settle):
    old, new, told = preempt_for(owner, operator, operator, settle)
    client = api(submitter)
    body = client.get(f"workloads/{old.uid}/preemptions/{told.pk}").body
    assert body["beneficiary"]["id"] is None
    assert body["beneficiary"]["name"] == "another workload of queue research"
    explanation = client.get(f"workloads/{old.uid}/explanation").body
    assert "urgent" not in str(body) + str(explanation)
    assert new.uid not in str(body) + str(explanation)
    (row,) = client.get("workloads", q="batch").body["results"]
    assert row["preemptor"] is None
    (row,) = api(operator).get("workloads", q="batch").body["results"]
    assert row["preemptor"] == new.uid
