"""Saved views over HTTP, and the grouped and exported list of workloads."""

from __future__ import annotations

import json

from tests.api.documents import CAP, OPEN
from tests.pages.page import read_page


def test_a_view_is_saved_listed_and_deleted(api, operator, viewer):
    client = api(operator)
    body = {
        "name": "Waiting",
        "query": "state=pending&group_by=reason",
        "columns": ["queue", "label.team"],
        "is_shared": True,
    }
    saved = client.post("views", body).body
    assert saved == {
        "id": saved["id"],
        "name": "Waiting",
        "query": "group_by=reason&state=pending",
        "columns": ["queue", "label.team"],
        "is_shared": True,
        "author": "operator token",
        "is_own": True,
        "may_delete": True,
        "updated_at": saved["updated_at"],
    }
    other = api(viewer)
    (seen,) = other.get("views").body["results"]
    assert (seen["id"], seen["is_own"], seen["may_delete"]) == (saved["id"], False, False)
    assert other.call("delete", f"views/{saved['id']}").problem == (403, "not_allowed")
    assert client.call("delete", f"views/{saved['id']}").body["name"] == "Waiting"
    assert client.call("delete", f"views/{saved['id']}").problem == (404, "not_found")
    assert client.get("views").body == {"results": []}


def test_a_view_follows_its_queue_to_a_successor(api, owner, client_for):
    client = api(owner)
    name, after = "q-m5-2xlarge-cap3", "q-m5-2xlarge-cap3:v2"
    client.post("config/versions", {"text": CAP, "expected_version": 0})
    client.post(
        "views", {"name": "Mine", "query": f"queue={name}&state=pending", "is_shared": True}
    )
    client.post("config/versions", {"text": CAP.replace(name, after), "expected_version": 1})
    (view,) = client.get("views").body["results"]
    assert view["query"] == "queue=q-m5-2xlarge-cap3%3Av2&state=pending"
    browser = client_for(owner)
    page = read_page(browser.get(f"/o/here/workloads?queue={name}"))
    links = {link.text: link.attrs["href"] for link in page.all("a") if link.text}
    (mine,) = [url for text, url in links.items() if text.startswith("Mine")]
    assert mine == "/o/here/workloads?queue=q-m5-2xlarge-cap3%3Av2&state=pending"
    assert links[after] == "/o/here/workloads?queue=q-m5-2xlarge-cap3%3Av2"


def test_a_wrong_view_names_what_is_wrong(api, viewer):
    client = api(viewer)
    bad = client.post("views", {"name": "", "query": 7, "columns": ["a", 1], "shared": True})
    assert [error["path"] for error in bad.body["errors"]] == [
        "shared",
        "name",
        "query",
        "columns[1]",
    ]
    wrong = client.post("views", {"name": "x", "query": "state=asleep"})
    assert wrong.body["errors"][0]["path"] == "state"
    assert client.post("views", {"name": "x", "is_shared": True}).problem == (403, "not_allowed")


def test_workloads_are_counted_by_what_they_have_in_common(api, owner, settle):
    client = api(owner)
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    client.post("workloads", {"workloads": [{"name": f"w{n}", "user": "ann"} for n in range(3)]})
    settle(owner.org)
    assert client.get("workloads", group_by="user").body == {
        "group_by": "user",
        "groups": [{"value": "ann", "count": 3}],
        "is_exact": True,
        "is_cut": False,
    }
    assert client.get("workloads", group_by="color").problem == (400, "invalid_request")


def test_all_of_a_list_are_one_file(api, owner, settle):
    client = api(owner)
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    client.post("workloads", {"workloads": [{"name": "=w"}, {"name": "v"}]})
    settle(owner.org)
    answer = client.client.get(f"{client.org}/workloads?as=ndjson&q=v")
    (row,) = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert (row["name"], row["state"], row["labels"]) == ("v", "admitted", {"workload-type": "job"})
    answer = client.client.get(f"{client.org}/workloads?as=csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert [line.split(",")[1] for line in lines] == ["name", "v", "'=w"]
