"""The toy scheduler of docs/adding-a-scheduler.md, from its first config to a rollback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.editor import Editor
from tests.browser.place import Place, furnish, wait_until
from tests.browser.review import apply_button, draft, expect_active, expect_review, tick_all
from tests.product import PATIENCE, ROOT, running

_TOY: Final = ROOT / "tests/toy"


@pytest.fixture
def place(browser: Browser, tmp_path: Path) -> Iterator[Place]:
    """An organization of a product with the toy scheduler."""
    with running(tmp_path / "home", SLUICE_SCHEDULERS=str(_TOY)) as product:
        (only,) = furnish(browser, product, 1)
        yield only
        only.api.close()


def _workload(name: str, cpu: int = 4) -> dict[str, object]:
    """Return a workload, two of which fill the line."""
    return {"name": name, "tags": {"line": "batch"}, "requests": {"cpu": cpu}}


def _cells(page: Page) -> list[str]:
    """Return limit, used, available and requested CPUs of the line."""
    row = page.locator("#usage tbody tr").filter(has=page.get_by_role("cell", name="cpu"))
    return row.locator("td.number").all_inner_texts()


def _metric(place: Place, name: str) -> float:
    """Return a metric of CPUs of the line."""
    with urlopen(Request(f"{place.base}/metrics")) as answer:  # noqa: S310
        text = answer.read().decode()
    labels = '[^}]*queue="batch"[^}]*resource="cpu"[^}]*'
    found = re.search(rf"^{name}{{{labels}}} (\S+)", text, re.MULTILINE)
    assert found is not None, name
    return float(found[1])


# The place comes first, so that the pages are closed before their product stops.
def test_toy_scheduler_from_first_config_to_rollback(place: Place, visitors: Visitors) -> None:
    page = visitors.page(place)

    # The dialect: its sample, a diagnostic at its place, and the fix.
    page.goto(place.url("config/edit"))
    page.get_by_role("button", name=re.compile("Use this example.*Two lines")).click()
    expect(page.get_by_label("Language")).to_have_value("fifo")
    outline = page.locator("[data-outline]")
    expect(outline.get_by_role("heading")).to_have_text(["Lines 2"])
    editor = Editor(page)
    text = editor.text
    editor.replace(text.replace("memory_gb: 32", "memory_gb: 0"))
    problem = editor.expect_problem("With a limit of 0 memory_gb", 6, 18)
    problem.get_by_role("button", name='Replace with "1"').click()
    wait_until(lambda: "memory_gb: 1\n" in editor.text)
    expect(editor.problems).to_have_count(0)
    first = editor.text
    editor.expect_saved()

    # Review and apply.
    page.get_by_role("button", name="Review changes").click()
    expect_review(page)
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("Line batch added")
    tick_all(page)
    apply_button(page).click()
    expect_active(page, 1)
    assert place.api.get("/config")["dialect"] == "fifo"

    # Admission up to the limit, in order.
    one, two, three, four = place.submit(
        _workload("w1"), _workload("w2"), _workload("w3"), _workload("w4", cpu=3)
    )
    states = [place.state(each) for each in (one, two, three, four)]
    assert states == ["admitted", "admitted", "pending", "pending"]
    assert (place.reason(three), place.reason(four)) == ("limit_reached", "behind_others")

    # The page of the queue, and the workload with its explanation.
    page.goto(place.url("queues/batch"))
    assert _cells(page) == ["8", "8", "0", "7"]
    expect(page.locator("#waiting")).to_contain_text("Limit reached")
    page.locator("#pending-rows").get_by_role("link", name="w3").click()
    expect(_headline(page)).to_contain_text("it requests 4 CPUs, 0 of 8 free now")
    explanation = page.locator("#why")
    expect(explanation).to_contain_text("batch uses 8 of 8 CPUs, and 4 is requested: 4 short.")

    # The next one starts when one has finished.
    place.api.post(f"/workloads/{one}/finish", {})
    expect(_headline(page)).to_contain_text("Admitted")
    assert place.state(four) == "pending"

    # Another limit: differences, consequences, the impact.
    draft(page, place, first.replace("cpu: 8", "cpu: 6"))
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("Line batch changed")
    expect(changes.get_by_role("deletion")).to_have_text("8")
    expect(changes.get_by_role("insertion")).to_have_text("6")
    page.get_by_role("link", name=re.compile("impact", re.IGNORECASE)).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("mpact")
    page.go_back()
    tick_all(page)
    apply_button(page).click()
    expect_active(page, 2)
    page.goto(place.url("queues/batch"))
    assert _cells(page) == ["6", "8", "0", "3"]

    # Numbers for people and programs; usage is sampled once a minute, and the page waits for it.
    page.goto(place.url("queues/batch/usage?range=1h"))
    expect(page.locator("#chart-use").get_by_role("img")).to_have_accessible_name(
        re.compile("^Usage of"), timeout=PATIENCE * 1000
    )
    assert _metric(place, "sluice_queue_resource_usage") == 8
    assert _metric(place, "sluice_queue_nominal_quota") == 6
    assert {each["name"] for each in place.api.get("/queues")["results"]} == {"batch", "training"}

    # Rollback.
    page.goto(place.url("config/v/1"))
    page.get_by_role("link", name="Roll back to this version").click()
    apply_button(page).click()
    expect_active(page, 3)
    assert place.api.get("/config")["text"] == first


def _headline(page: Page) -> Locator:
    return page.locator("#headline")
