"""Changes that would let a job start, for clusters and running jobs in the database."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pages.page import read_page

DEV = {"filters": [{"name": "dev", "match_labels": {"purpose": "dev"}}]}


@pytest.fixture
def client(api, owner):
    return api(owner)


def prepare(client, settings: str = "", *clusters: str) -> None:
    """Apply a config with *settings* of the scheduler and report two clusters of 4 CPUs."""
    text = f"{{kind: Scheduler, spec: {{rank: lexicographic{settings}}}}}"
    for each in clusters:
        text += f"\n---\n{{kind: Cluster, metadata: {{name: {each}, labels: {{purpose: prod}}}}}}"
    body = {"dialect": "skyshift", "text": text, "expected_version": 0}
    assert client.post("config/versions", body).status == 201
    for name, purpose in (("east", "dev"), ("west", "prod")):
        body = {
            "labels": {"purpose": purpose},
            "nodes": [{"name": "n1", "allocatable": {"cpu": 4}}],
        }
        assert client.put(f"capacity/clusters/{name}", body).status in (200, 201)


def submit(client, name: str, cpus: int) -> str:
    body = {"name": name, "requests": {"cpu": cpus}, "placement": DEV}
    answer = client.post("workloads", {"workloads": [body]})
    assert answer.status == 202, answer.body
    return answer.body["ids"][0]


def changes(client, uid: str) -> list[dict[str, Any]]:
    return client.get(f"workloads/{uid}/explanation").body["changes"]


def test_waiting_job_gets_labels_of_clusters_and_jobs_that_would_have_to_end(
    client, settle, owner
) -> None:
    prepare(client)
    first = submit(client, "first", 3)
    second = submit(client, "second", 3)
    settle(owner.org)
    found = changes(client, second)
    assert [(each["kind"], each["text"]) for each in found] == [
        ("ask_less", "Request 1 CPU instead of 3: it would start now."),
        ("filter", "Remove the filter dev: it would start now."),
        (
            "cluster_label",
            "Set the label purpose of cluster west to dev instead of prod: it would start now.",
        ),
        ("finish", "Wait for first to end, or finish it: it would then start."),
    ]
    label = found[2]
    assert [label[key] for key in ("cluster", "subject", "from", "to", "range")] == [
        "west",
        "purpose",
        "prod",
        "dev",
        None,
    ]
    assert found[3]["workloads"] == [first]


def test_label_of_a_declared_cluster_names_its_lines(client, settle, owner) -> None:
    prepare(client, "", "west")
    submit(client, "first", 3)
    second = submit(client, "second", 3)
    settle(owner.org)
    label = next(each for each in changes(client, second) if each["kind"] == "cluster_label")
    assert label["range"]["line"] == 3


def test_only_readers_of_names_see_the_jobs_that_would_have_to_end(
    client, settle, owner, api, viewer
) -> None:
    prepare(client)
    submit(client, "first", 3)
    second = submit(client, "second", 3)
    settle(owner.org)
    finish = changes(api(viewer), second)[-1]
    assert finish["workloads"] == []
    assert "first" not in finish["text"]


def test_rejected_job_gets_the_changes_of_a_waiting_one(client, settle, owner) -> None:
    prepare(client, ", on_unplaceable: fail")
    first = submit(client, "first", 3)
    second = submit(client, "second", 3)
    settle(owner.org)
    assert client.get(f"workloads/{second}").body["reason"]["code"] == "not_placeable"
    kinds = [each["kind"] for each in changes(client, second)]
    assert kinds == ["ask_less", "filter", "cluster_label", "finish"]
    # The search leaves nothing behind for others, and finds the same again.
    assert [each["kind"] for each in changes(client, second)] == kinds
    assert client.post(f"workloads/{first}/finish", {}).status in (200, 202, 204)
    settle(owner.org)
    assert [each["text"] for each in changes(client, second)] == [
        "Submit it again: it would start now."
    ]


def test_page_of_a_rejected_job_loads_the_changes_afterwards(
    client, settle, owner, client_for
) -> None:
    prepare(client, ", on_unplaceable: fail")
    submit(client, "first", 3)
    second = submit(client, "second", 3)
    settle(owner.org)
    pages = client_for(owner)
    page = read_page(pages.get(f"/o/{owner.org.slug}/workloads/{second}"))
    assert "Search for changes that would start it" in page.text
    found = read_page(pages.get(f"/o/{owner.org.slug}/workloads/{second}/changes")).text
    assert "submit it again after any one of these changes" in found
    assert "Wait for first to end, or finish it" in found
