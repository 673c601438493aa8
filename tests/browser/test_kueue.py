"""Kueue manifests of forty queues are pasted into the editor, applied, and decide workloads."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.editor import Editor
from tests.browser.place import Place

_DUMP = dialects()["kueue"].samples()["Forty queues, as kubectl prints them"]

#: The flavor of H100 nodes in the manifests.
_H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}

#: Together the 432 H100 that language-02 may use: 288 of the cohort language, and 144 that
#: production lends.
_SIZES = (64, 64, 64, 64, 64, 64, 48)


def _training(name: str, team: str, gpus: int, priority: str = "", **pods: Any) -> dict[str, Any]:
    """Return a workload of *team* that trains on *gpus* GPUs, 8 on each node."""
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    if priority:
        labels["kueue.x-k8s.io/priority-class"] = priority
    requests = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": 8}
    pod_set = {"name": "workers", "count": gpus // 8, "requests": requests, **pods}
    return {"name": name, "namespace": team, "tags": labels, "pod_sets": [pod_set]}


def _headline(page: Page) -> Locator:
    return page.locator("#headline")


def _why(page: Page) -> Locator:
    return page.get_by_role("region", name="Why, step by step")


def _row(page: Page, flavor: str, resource: str) -> Locator:
    """Return one row of a queue's quota."""
    return page.locator("#usage tbody tr", has_text=flavor).filter(
        has=page.get_by_role("cell", name=resource, exact=True)
    )


@pytest.fixture
def cluster(place: Place) -> Place:
    """The manifests are active, and one queue borrows every H100 that others do not use."""
    body = {"dialect": "kueue", "text": _DUMP, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    place.submit(
        *(
            _training(f"pretrain-{number}", "language-02", gpus, "best-effort", node_selector=_H100)
            for number, gpus in enumerate(_SIZES, 1)
        )
    )
    return place


def test_pasted_manifests_are_applied_and_admit(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    page.get_by_label("Language").select_option("kueue")
    editor = Editor(page)
    editor.paste(_DUMP)
    expect(editor.problems).to_have_count(1)
    expect(editor.problems).to_contain_text("Set by the server and not read")
    expect(page.locator("[data-problem-count]")).to_have_text("1 note")
    editor.expect_saved()
    expect(page.get_by_role("navigation", name="Draft")).to_be_visible()
    page.get_by_role("button", name="Review changes").click()
    meaning = page.get_by_role("region", name="Changes")
    expect(meaning.get_by_text(re.compile("^Cohort .* added$"))).to_have_count(5)
    expect(meaning.get_by_text(re.compile("^Queue .* added$"))).to_have_count(40)
    page.get_by_label("Message").fill("The cluster as it is today")
    page.get_by_role("button", name="Apply version 1").click()
    expect(page).to_have_url(re.compile(r"/config/v/1\?applied=1$"))
    assert place.api.get("/config")["text"] == _DUMP

    page.goto(place.url("workloads/new"))
    page.get_by_label("Name", exact=True).fill("finetune")
    page.locator("[name=namespace]").fill("vision-01")
    page.locator("[name=tags]").fill("kueue.x-k8s.io/queue-name=main")
    page.locator("[name=request_cpu]").fill("64")
    page.locator("[name='request_nvidia.com/gpu']").fill("8")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(_headline(page)).to_contain_text(
        "Admitted in vision-01 on a100: its request fits the free quota."
    )

    tolerant = [{"key": "maintenance", "operator": "Exists"}]
    place.submit(
        _training("sweep", "vision-01", 16, tolerations=tolerant, node_selector={}),
    )
    page.goto(place.url("queues/vision-01"))
    expect(_row(page, "a100", "nvidia.com/gpu")).to_contain_text(
        "24 of 8 nvidia.com/gpu used · 16 borrowed"
    )
    page.get_by_role("navigation", name="About this queue").get_by_role(
        "link", name="Running 2"
    ).click()
    expect(page.locator("#running-rows tr")).to_have_count(2)


def test_owner_of_quota_reclaims_it_from_the_borrower(visitors: Visitors, cluster: Place) -> None:
    page = visitors.page(cluster)
    page.goto(cluster.url("cohorts/production"))
    expect(page.locator("#pools")).to_contain_text("0 of 144 nvidia.com/gpu used")
    (ranking,) = cluster.submit(
        _training("ranking", "production-01", 16, "production", node_selector=_H100)
    )
    page.goto(cluster.url(f"workloads/{ranking}"))
    expect(_headline(page)).to_contain_text(
        "Starting soon in production-01: 1 workload is being preempted to free quota."
    )
    (victim,) = cluster.api.get("/workloads?state=preempting")["results"]
    assert (victim["name"], victim["reason"]["code"]) == ("pretrain-7", "reclaimed_in_cohort")
    theirs = visitors.page(cluster)
    theirs.goto(cluster.url(f"workloads/{victim['id']}"))
    expect(_headline(theirs)).to_contain_text(
        "Preempted: ranking with priority 10000 needs its quota; production-01 reclaims"
    )
    expect(theirs.locator("#decisions")).to_contain_text("Quota reclaimed")
    life = visitors.page(cluster)
    life.goto(cluster.url(f"workloads/{victim['id']}?tab=timeline"))
    expect(life.locator("#timeline")).to_contain_text(
        "pretrain-7 was preempted: production-01 reclaims quota that it lent, for ranking."
    )

    cluster.api.post(f"/workloads/{victim['id']}/release", {})
    expect(_headline(page)).to_contain_text("Admitted in production-01 on h100")
    expect(_headline(theirs)).to_contain_text("Waiting for quota in language-02")
    expect(life.locator("#timeline")).to_contain_text("stopped and released its quota")
    page.goto(cluster.url("queues/production-01"))
    expect(_row(page, "h100", "nvidia.com/gpu")).to_contain_text("16 of 16 nvidia.com/gpu used")


def test_pending_workload_shows_lenders_and_possible_victims(page: Page, cluster: Place) -> None:
    (alike,) = cluster.submit(
        _training("distill", "language-03", 16, "best-effort", node_selector=_H100)
    )
    page.goto(cluster.url(f"workloads/{alike}"))
    expect(_headline(page)).to_contain_text(
        "Waiting for quota in language-03: needs 16 nvidia.com/gpu on h100, 0 free now, 16 short"
    )
    expect(_why(page)).to_contain_text(
        "language-03 admits within quota and shares unused quota in cohort language, part of "
        "research, part of organization."
    )
    expect(_why(page)).to_contain_text(
        "Cohort organization pools 432 nvidia.com/gpu on h100: 432 used, none available."
    )
    expect(_why(page)).to_contain_text("Unused nominal quota of other queues on h100")
    expect(_why(page)).to_contain_text(
        "No workload may be preempted for it: all 7 running workloads considered have the same or "
        "a higher priority."
    )
    _why(page).get_by_text("7 running workloads considered", exact=True).click()
    expect(_why(page).get_by_role("link", name="pretrain-7")).to_be_visible()

    page.goto(cluster.url("cohorts/language"))
    expect(page.locator("#matrix-rows")).to_contain_text("432 of 32")
    loan = page.locator("#loan-rows tr", has_text="language-04 32")
    expect(loan).to_contain_text("nvidia.com/gpu on h100")
    expect(loan).to_contain_text("256")
    expect(page.locator("#cohort-notices")).to_contain_text("language-03 waits for 16")


def test_workload_that_cannot_run_says_so(page: Page, cluster: Place) -> None:
    page.goto(cluster.url("workloads/new"))
    page.get_by_label("Name", exact=True).fill("too-large")
    page.locator("[name=namespace]").fill("vision-01")
    page.locator("[name=tags]").fill("kueue.x-k8s.io/queue-name=main")
    page.locator("[name='request_nvidia.com/gpu']").fill("32")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(_headline(page)).to_contain_text(
        "Can never run under this config: it requests 32 nvidia.com/gpu, but vision-01 can never "
        "have more than 24 on a100."
    )
    expect(_why(page)).to_contain_text("vision-01 may borrow 16 nvidia.com/gpu on a100")
