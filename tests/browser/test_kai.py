"""Queues of KAI are pasted with mistakes, repaired by quick fixes, and share the nodes."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.editor import Editor
from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages
from tests.dialects.kai.test_first_queues import TEXT


def _repair(page: Page, editor: Editor) -> None:
    """Apply the first fix of the first problem until no problem is left."""
    while count := editor.problems.count():
        editor.problems.first.locator(".problem__fixes button").first.click()
        expect(editor.problems).not_to_have_count(count)


def _submit(place: Place, name: str, queue: str, **job: Any) -> str:
    body = {"name": name, "tags": {"kai.scheduler/queue": queue}, **job}
    return place.submit(body)[0]


def test_queues_are_repaired_applied_and_reclaim_from_each_other(page: Page, place: Place) -> None:
    nodes = [{"name": "n1", "allocatable": {"cpu": 8, "memory": "64Gi", "nvidia.com/gpu": 2}}]
    assert place.api.request("PUT", "/capacity/clusters/east", {"nodes": nodes}).status == 201
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(TEXT)
    page.get_by_role("button", name="Switch to KAI").click()
    expect(editor.problems).to_have_count(8)
    expect(editor.problems.first).to_contain_text("does not state memory")
    _repair(page, editor)
    assert editor.text.count("overQuotaWeight") == 8
    editor.expect_saved()
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("button", name="Apply version 1").click()
    expect(page).to_have_url(re.compile(r"/config/v/1\?applied=1$"))
    assert place.api.get("/config")["dialect"] == "kai"

    burst = [_submit(place, f"burst-{each}", "burst-queue", requests={"gpu": 1}) for each in "ab"]
    wait_until(lambda: {place.state(each) for each in burst} == {"admitted"})
    train = _submit(place, "train", "ml-team", requests={"cpu": 0.5, "gpu": 1})
    wait_until(lambda: "preempting" in {place.state(each) for each in burst})
    page.goto(place.url(f"workloads/{train}"))
    expect(page.locator("#headline")).to_contain_text("Starting soon in ml-team")
    (stopping,) = [each for each in burst if place.state(each) == "preempting"]
    page.goto(place.url(f"workloads/{stopping}"))
    expect(page.get_by_text("burst-queue uses").first).to_be_visible()
    place.api.post(f"/workloads/{stopping}/release", {}, 202)
    wait_until(lambda: place.state(train) == "admitted")
    page.goto(place.url(f"workloads/{train}"))
    expect(page.locator("#headline")).to_contain_text("Started")

    below = _submit(place, "in-the-parent", "research-team", requests={"gpu": 1})
    page.goto(place.url(f"workloads/{below}"))
    expect(page.locator("#headline")).to_contain_text("child queues")
    page.goto(place.url("shares"))
    expect(page.get_by_role("row", name="ml-team")).to_contain_text("1")
    paths = ("shares", "queues", "queues/ml-team", f"workloads/{train}", f"workloads/{stopping}")
    assert broken_pages(page, map(place.url, paths)) == {}
