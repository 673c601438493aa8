"""Workloads that can never run in languages that start pods on nodes, counted apart everywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from django.urls import reverse

_KAI = """
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: lab}
spec: {resources: {cpu: {quota: 0, overQuotaWeight: 1, limit: -1}}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: train}
spec: {parentQueue: lab, resources: {cpu: {quota: 0, overQuotaWeight: 1, limit: LIMIT}}}
"""
_YUNIKORN = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - {name: train, resources: {max: {vcore: LIMIT}}}
"""


@dataclass(frozen=True, kw_only=True)
class Language:
    """A config of one language, and what its workloads say about one queue."""

    name: str
    text: str
    #: What LIMIT in the text becomes: a limit that allows everything, and one of 8 CPUs.
    limits: tuple[str, str] = ("", "")
    queue: str
    tags: dict[str, str]
    #: CPUs, as usage names them.
    resource: str = "cpu"
    #: The reason of a request that is larger than every node, with its headline.
    reason: str
    headline: str
    #: The same for the limit.
    limit_reason: str = ""
    limit_headline: str = ""

    def config(self, *, is_limited: bool = False) -> str:
        """Return the text with one of its limits."""
        return self.text.replace("LIMIT", self.limits[is_limited])


KAI = Language(
    name="kai",
    text=_KAI,
    limits=("-1", "8000"),
    queue="train",
    tags={"kai.scheduler/queue": "train"},
    reason="exceeds_nodes",
    headline="Can never run on the present nodes: no node could hold a pod, even if nothing else "
    "ran there: n0 of east comes closest and offers 8 of the 9 CPUs. Request at most 8 "
    "CPUs, or have a larger node added.",
    limit_reason="exceeds_queue_limit",
    limit_headline="Can never run under this config: a pod requests 9 CPUs, but the limit of train "
    "is 8. Request at most 8 CPUs, or have the limit of train raised to 9 CPUs.",
)
YUNIKORN = Language(
    name="yunikorn",
    text=_YUNIKORN,
    limits=("1000", "8"),
    queue="root.train",
    tags={"queue": "root.train"},
    resource="vcore",
    reason="hierarchy_exceeds_nodes",
    headline="Can never run on the present nodes: no node could hold a pod, even if nothing else "
    "ran there: n0 of east comes closest and offers 8 of the 9 vcore. Request at most 8 "
    "vcore, or have a larger node added.",
    limit_reason="exceeds_maximum",
    limit_headline="Can never run under this config: a pod requests 9 vcore, but the maximum of "
    "root.train is 8. Request at most 8 vcore, or have the maximum of root.train raised to 9 "
    "vcore.",
)
SKYSHIFT = Language(
    name="skyshift",
    text="{kind: Scheduler, spec: {on_unplaceable: wait}}",
    queue="jobs",
    tags={},
    reason="exceeds_every_node",
    headline="Can never be placed: one replica requests more than any node of a matching cluster "
    "offers, even if nothing else ran there. Node n0 of east lacks 1 CPU. Request at most 8 CPUs "
    "for each replica, or have a larger node added.",
)
ALL = [pytest.param(each, id=each.name) for each in (KAI, YUNIKORN, SKYSHIFT)]
LIMITED = ALL[:2]


@pytest.fixture
def client(api, owner):
    return api(owner)


def apply(client, language: Language, version: int = 0, *, is_limited: bool = False) -> None:
    body = {
        "text": language.config(is_limited=is_limited),
        "dialect": language.name,
        "expected_version": version,
    }
    answer = client.post("config/versions", body)
    assert answer.status == 201, answer.body


def report(client, *cpus: int) -> None:
    nodes = [{"name": f"n{at}", "allocatable": {"cpu": each}} for at, each in enumerate(cpus)]
    assert client.put("capacity/clusters/east", {"nodes": nodes}).status in (200, 201)


def submit(client, language: Language, **cpus: int) -> dict[str, str]:
    wishes = [
        {"name": name, "tags": language.tags, "requests": {"cpu": each}}
        for name, each in cpus.items()
    ]
    answer = client.post("workloads", {"workloads": wishes})
    assert answer.status == 202, answer.body
    return dict(zip(cpus, answer.body["ids"], strict=True))


def seen(client, uid: str) -> dict[str, Any]:
    return client.get(f"workloads/{uid}").body


@pytest.fixture
def ids(client, owner, settle, language: Language) -> dict[str, str]:
    """Submit one running workload, and one that can never run ahead of one that waits."""
    apply(client, language)
    report(client, 8)
    found = submit(client, language, runs=8, never=9, waits=4)
    settle(owner.org)
    return found


@pytest.mark.parametrize("language", ALL)
def test_rows_and_counts_keep_it_apart(client, ids, language: Language) -> None:
    rows = {name: seen(client, uid) for name, uid in ids.items()}
    assert {name: (row["state"], row["queue_position"]) for name, row in rows.items()} == {
        "runs": ("admitted", None),
        "never": ("pending", None),
        "waits": ("pending", 1),
    }
    assert rows["never"]["reason"]["code"] == language.reason
    listed = client.get("workloads", reason_class="cannot_run").body["results"]
    assert [each["name"] for each in listed] == ["never"]
    queue = client.get(f"queues/{language.queue}").body
    assert queue["counts"] == {"running": 1, "pending": 2, "cannot_run": 1}
    usage = [each for each in queue["usage"] if each["resource"] == language.resource]
    assert sum(each["demand"] for each in usage) == 4
    assert sum(each["cannot_run_demand"] for each in usage) == 9
    overview = client.get("overview").body
    assert overview["numbers"]["pending"] == {"now": 2, "week_ago": None, "cannot_run": 1}
    (item,) = [each for each in overview["attention"] if each["code"] == "cannot_run"]
    assert item["key"] == f"cannot_run.{language.reason}"


@pytest.mark.parametrize("language", ALL)
def test_its_explanation_says_what_would_be_possible(client, ids, language: Language) -> None:
    told = client.get(f"workloads/{ids['never']}/explanation").body
    assert (told["reason"], told["headline"]) == (language.reason, language.headline)
    order = [
        sentence["text"]
        for stage in told["stages"]
        if stage["stage"] == "order"
        for sentence in stage["sentences"]
    ]
    assert order[0] == ("It has no position in the queue, because it can never run.")


@pytest.mark.parametrize("language", ALL)
def test_pages_show_it_apart(client, ids, owner, client_for, language: Language) -> None:
    page, slug = client_for(owner), owner.org.slug

    def text(name: str, *args: str) -> str:
        content = page.get(reverse(f"pages:{name}", args=[slug, *args])).content.decode()
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", content))

    shown = text("workload", ids["never"])
    assert language.headline in shown
    assert "no position: it can never run" in shown
    assert "9 requested that can never run" in text("queue", language.queue)
    assert "1 can never run" in text("overview")


@pytest.mark.parametrize("language", ALL)
def test_a_report_with_a_larger_node_starts_it(
    client, ids, owner, settle, language: Language
) -> None:
    report(client, 8, 4)
    settle(owner.org)
    assert seen(client, ids["never"])["reason"]["code"] == language.reason
    report(client, 8, 4, 9)
    settle(owner.org)
    assert seen(client, ids["never"])["state"] == "admitted"
    queue = client.get(f"queues/{language.queue}").body
    assert queue["counts"]["cannot_run"] == 0


@pytest.mark.parametrize("language", LIMITED)
def test_another_config_changes_its_reason(client, ids, owner, settle, language: Language) -> None:
    report(client, 8, 4, 6)
    apply(client, language, 1, is_limited=True)
    settle(owner.org)
    assert seen(client, ids["waits"])["reason"]["code"] != language.limit_reason
    assert seen(client, ids["never"])["reason"]["code"] == language.limit_reason
    report(client, 8, 9)
    settle(owner.org)
    told = client.get(f"workloads/{ids['never']}/explanation").body
    assert (told["reason"], told["headline"]) == (language.limit_reason, language.limit_headline)


@pytest.mark.parametrize("language", LIMITED)
def test_the_advice_raises_the_limit_and_links_to_the_form(
    client, owner, settle, client_for, language: Language
) -> None:
    apply(client, language, is_limited=True)
    report(client, 16)
    uid = submit(client, language, never=9)["never"]
    settle(owner.org)
    found = client.get(f"workloads/{uid}/explanation").body["changes"]
    assert [each["kind"] for each in found] == ["ask_less", "quota"]
    assert found[0]["text"] == "Request 8 CPUs instead of 9: it would start now."
    content = client_for(owner).get(f"/o/here/workloads/{uid}/changes").content.decode()
    assert "Resubmit with 8 CPUs" in content
    assert f"Change the quota of {language.queue}" in content


@pytest.mark.parametrize("language", LIMITED)
def test_the_advice_for_a_full_queue_says_what_could_start_some_time(
    client, owner, settle, client_for, language: Language
) -> None:
    apply(client, language, is_limited=True)
    report(client, 16)
    uid = submit(client, language, runs=8, never=9)["never"]
    settle(owner.org)
    found = client.get(f"workloads/{uid}/explanation").body["changes"]
    assert [(each["kind"], each["from"], each["to"], each["starts"]) for each in found] == [
        ("ask_less", 9, 8, "later"),
        ("quota", 8, 9, "later"),
    ]
    assert found[0]["text"] == (
        "Request 8 CPUs instead of 9: it could then start as soon as there is room."
    )
    content = client_for(owner).get(f"/o/here/workloads/{uid}/changes").content.decode()
    assert "Resubmit with 8 CPUs" in content
    assert f"Change the quota of {language.queue}" in content
