"""Impact runs over HTTP: start, read and cancel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from console.configs.models import ImpactRun
from console.configs.services import find_impact as find_module
from console.configs.services.run_impact import run_impact
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from tests.api.documents import OPEN

#: Admits only team research; another rule selects by a label that no workload has.
CLOSED = """\
resource_queues:
  - name: default
  - name: night
scheduling_rules:
  - selector: [{ key: shift, operator: in, values: [night] }]
    resource_queue: night
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: default
"""


@pytest.fixture
def client(api, owner: Actor, settle) -> Any:
    """Return a client of an organization with one running and one finished workload."""
    client = api(owner)
    client.post("config/versions", {"text": OPEN, "expected_version": 0})
    workloads = [
        {"name": "own", "tags": {"team": "research"}, "requests": {"gpu": 0.5}},
        {"name": "other", "tags": {"team": "web"}},
    ]
    ids = client.post("workloads", {"workloads": workloads}).body["ids"]
    settle(owner.org)
    client.post("workloads/finish", {"ids": ids[1:]})
    settle(owner.org)
    return client


def test_a_small_run_answers_200(client) -> None:
    answer = client.post("config/impact", {"text": CLOSED})
    assert (answer.status, answer.body["state"], answer.body["base"]) == (200, "done", 1)
    result = answer.body["result"]
    assert result["live"] == {
        "running": 1,
        "pending": 0,
        "affected": 0,
        "outcomes": [],
        "over": [],
        "over_count": 0,
    }
    history = result["history"]
    assert {name: counts["runs"] for name, counts in history["outcomes"].items()} == {
        "unchanged": 0,
        "moved": 0,
        "rejected": 0,
        "never_fits": 0,
        "accepted": 0,
        "cannot_tell": 2,
    }
    assert history["doubts"] == [
        {
            "kind": "label",
            "key": "shift",
            "rule_indexes": [0],
            "flavors": [],
            "shapes": 2,
            "runs": 2,
        }
    ]
    (own,) = [row for row in history["rows"] if row["labels"]["team"] == "research"]
    assert own["requests"] == {"gpu": 0.5}
    assert own["before"] == {
        "queue": "default",
        "rule_index": 0,
        "priority": 0,
        "fit": "uncounted",
        "reason": "passthrough",
    }
    assert own["after"] == own["before"] | {"rule_index": 1}
    assert client.get(f"config/impact/{answer.body['id']}").body == answer.body
    assert client.post("config/impact", {"text": CLOSED}).body["id"] == answer.body["id"]


def test_a_large_run_answers_202_and_finishes_later(client, monkeypatch) -> None:
    monkeypatch.setattr(find_module, "SMALL_LIVE", -1)
    asked = client.post("config/impact", {"text": CLOSED})
    assert (asked.status, asked.body["state"], asked.body["result"]) == (202, "waiting", None)
    path = f"config/impact/{asked.body['id']}"
    assert client.get(path).body == asked.body
    run_impact(int(asked.body["id"]))
    done = client.get(path)
    assert (done.body["state"], done.body["result"]["live"]["running"]) == ("done", 1)


def test_it_is_cancelled_twice_without_harm(client, monkeypatch) -> None:
    monkeypatch.setattr(find_module, "SMALL_LIVE", -1)
    path = f"config/impact/{client.post('config/impact', {'text': CLOSED}).body['id']}/cancel"
    assert client.post(path).body["state"] == "cancelled"
    assert client.post(path).body["state"] == "cancelled"
    assert client.post(path, {"why": "not"}).problem == (400, "invalid_request")


def test_a_text_with_errors_has_no_impact(client) -> None:
    refused = client.post("config/impact", {"text": "resource_queues: 3"})
    assert refused.problem == (422, "config_rejected")
    assert [each["path"] for each in refused.body["diagnostics"]] == ["resource_queues"]
    assert client.post("config/impact", {}).problem == (400, "invalid_request")
    assert client.post("config/impact", {"text": "", "dialect": "x"}).problem == (
        400,
        "invalid_request",
    )
    assert not ImpactRun.objects.exists()


def test_too_many_open_runs_are_refused(client, monkeypatch) -> None:
    monkeypatch.setattr(find_module, "SMALL_LIVE", -1)
    for number in range(find_module.MOST_OPEN):
        assert client.post("config/impact", {"text": f"{CLOSED}#{number}\n"}).status == 202
    assert client.post("config/impact", {"text": CLOSED}).problem == (409, "too_many_impacts")


def test_a_run_of_another_organization_is_not_found(
    client, api: Callable[[Actor], Any], other_org: Organization
) -> None:
    theirs = ImpactRun.objects.create(
        org=other_org, author="x", dialect="native", text="", digest="x", base=0
    )
    assert client.get(f"config/impact/{theirs.pk}").problem == (404, "not_found")
    assert client.post(f"config/impact/{theirs.pk}/cancel").problem == (404, "not_found")
    theirs.refresh_from_db()
    assert (theirs.state, theirs.is_cancelled) == ("waiting", False)


def test_names_of_others_need_permission_to_review_both(
    client, api, owner: Actor, viewer: Actor
) -> None:
    path = f"config/impact/{client.post('config/impact', {'text': CLOSED}).body['id']}"
    other = client.get("workloads").body["results"][0]
    run = ImpactRun.objects.get()
    assert run.result is not None
    line = {"id": "gone", "name": "own", "queue": "default", "to": None, "reason": None}
    line |= {"losses": [], "preemptor": {"id": other["id"], "name": other["name"]}}
    run.result["live"]["outcomes"] = [{"outcome": "stopped", "count": 1, "first": [line]}]
    run.save()

    def told(asker: Any) -> Any:
        (group,) = asker.get(path).body["result"]["live"]["outcomes"]
        return group["first"][0]["preemptor"]

    assert told(client) == {"id": other["id"], "name": other["name"]}
    assert told(api(viewer)) == {
        "id": None,
        "name": f"another workload of queue {other['queue']}",
    }
