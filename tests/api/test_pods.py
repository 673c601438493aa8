"""Single pods over HTTP: reports, idempotency keys, refusals, and the feed of decisions."""

from __future__ import annotations

from typing import Any

from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config


def running_job(owner, settle, client, replicas: int = 4) -> str:
    """Return the id of a job with *replicas* of one CPU on the cluster east."""
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    report_cluster(owner, "east", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    pods = {"name": "main", "count": replicas, "requests": {"cpu": 1}}
    (uid,) = client.post("workloads", {"workloads": [{"name": "job", "pod_sets": [pods]}]}).body[
        "ids"
    ]
    settle(owner.org)
    return uid


def test_pods_finish_until_the_workload_is_finished(api, owner, settle):
    client = api(owner)
    uid = running_job(owner, settle, client)
    answer = client.post(f"workloads/{uid}/pods/finish", {"pod_set": "main", "count": 3})
    assert (answer.status, answer.body) == (202, {"ids": [uid]})
    settle(owner.org)
    body = client.get(f"workloads/{uid}").body
    assert (body["state"], body["finished_pods"]) == ("admitted", {"main": 3})
    assert body["assignment"] == [
        {
            "name": "main",
            "count": 1,
            "flavors": {},
            "places": [{"count": 1, "cluster": "east", "node": "n1"}],
            "node_selector": {},
            "tolerations": [],
        }
    ]
    last: dict[str, Any] = {"pod_set": "main", "count": 1, "cluster": "east", "node": "n1"}
    assert client.post(f"workloads/{uid}/pods/finish", last).status == 202
    settle(owner.org)
    body = client.get(f"workloads/{uid}").body
    assert (body["state"], body["finished_pods"]) == ("finished", {"main": 4})
    again = client.post(f"workloads/{uid}/pods/finish", last)
    assert again.problem == (409, "wrong_state")


def test_a_repeated_report_with_its_key_counts_once(api, owner, settle):
    client = api(owner)
    uid = running_job(owner, settle, client)
    one = {"pod_set": "main", "count": 1}
    for _ in range(2):
        answer = client.post(f"workloads/{uid}/pods/finish", one, **{"idempotency-key": "k"})
        assert (answer.status, answer.body) == (202, {"ids": [uid]})
    other = client.post(f"workloads/{uid}/pods/release", one, **{"idempotency-key": "k"})
    assert other.problem == (409, "idempotency_key_reused")
    settle(owner.org)
    assert client.get(f"workloads/{uid}").body["finished_pods"] == {"main": 1}


def test_the_feed_tells_an_executor_which_pods_to_start_and_to_stop(api, owner, settle):
    client = api(owner)
    uid = running_job(owner, settle, client, 2)
    report_cluster(owner, "west", {"nodes": [{"name": "n1", "allocatable": {"cpu": 4}}]})
    delete_cluster(owner, "east")
    settle(owner.org)
    feed = client.get("decisions", outcome="resized").body["results"]
    (decision,) = feed
    here = {"count": 2, "cluster": "west", "node": "n1"}
    gone = {"count": 2, "cluster": "east", "node": "n1"}
    assert decision["reason"] == "moved"
    assert decision["resize"] == {
        "granted": [{"pod_set": "main", **here}],
        "taken": [{"pod_set": "main", **gone}],
    }
    (assigned,) = decision["assignment"]
    assert (assigned["places"], assigned["stopping"]) == ([here], [gone])
    (taken,) = decision["resize"]["taken"]
    assert client.post(f"workloads/{uid}/pods/release", taken).status == 202
    settle(owner.org)
    (assigned,) = client.get(f"workloads/{uid}").body["assignment"]
    assert (assigned["places"], "stopping" in assigned) == ([here], False)


def test_a_report_with_wrong_fields_is_refused(api, owner, settle):
    client = api(owner)
    uid = running_job(owner, settle, client)
    wrong = {"pod_set": "", "count": 0, "where": "east"}
    answer = client.post(f"workloads/{uid}/pods/finish", wrong)
    assert answer.problem == (400, "invalid_request")
    found = {(each["path"], each["code"]) for each in answer.body["errors"]}
    assert found == {("where", "unknown_field")}
    answer = client.post(f"workloads/{uid}/pods/finish", {"pod_set": "", "count": 0})
    found = {(each["path"], each["code"]) for each in answer.body["errors"]}
    assert found == {("pod_set", "blank"), ("count", "out_of_range")}
    assert client.post("workloads/none/pods/finish", {"pod_set": "a", "count": 1}).status == 404
