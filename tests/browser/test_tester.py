"""The rule tester: test labels, follow a near miss, save an expectation, and break it."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import GPUS
from tests.browser.place import Place
from tests.browser.rules import broken, hold_still


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_labels_are_tested_rerouted_and_saved_as_an_expectation(
    visitors: Visitors, place: Place, scripts: bool
) -> None:
    place.apply(GPUS, "The first")
    page = visitors.page(place, scripts=scripts)
    page.goto(place.url())
    page.get_by_role("link", name="Rule tester").click()
    page.get_by_label("Key 1").fill("team")
    page.get_by_label("Value 1").fill("web")
    page.get_by_label("Requests").fill("gpu=8")
    page.get_by_label("Compare with").select_option("1")
    page.get_by_role("button", name="Test").click()
    headlines = page.locator(".headline__text")
    expect(headlines).to_have_text(["Rule 2 routes it to default with priority 0."] * 2)
    rule = page.locator(".stage", has_text="Rule 1").first
    expect(rule.get_by_role("row", name="team in [research]")).to_contain_text("'web'")
    expect(rule).to_contain_text("Set team to research.")
    rule.get_by_role("link", name="Test this for rule 1").click()
    expect(headlines).to_have_text(["Rule 1 routes it to ml_training with priority 50."] * 2)
    expect(page.get_by_label("Value 1")).to_have_value("research")
    expect(page.get_by_role("main")).to_contain_text("It fits now: it would start on")
    shared = page.url
    assert "key=team&value=research" in shared

    page.get_by_role("link", name="Save as an expectation…").first.click()
    page.get_by_label("Name", exact=True).fill("research reaches its GPUs")
    expect(page.get_by_label("Expected queue")).to_have_value("ml_training")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("main")).to_contain_text("1 of 1 met")

    other = visitors.page(place, person=1, scripts=scripts)
    other.goto(shared)
    expect(other.locator(".headline__text").first).to_contain_text("routes it to ml_training")

    place.apply(GPUS.replace("values: [research]", "values: [science]"), "Another team")
    page.reload()
    expect(page.get_by_role("main")).to_contain_text("1 of 1 not met")
    page.get_by_role("link", name=re.compile("^Test *:")).click()
    expect(headlines).to_have_text("Rule 2 routes it to default with priority 0.")


def test_labels_are_pasted_or_taken_from_a_workload(page: Page, place: Place) -> None:
    place.apply(GPUS, "The first")
    (uid,) = place.submit({"name": "one", "tags": {"team": "research"}, "requests": {"gpu": 4}})
    page.goto(place.url("tools/route"))
    page.get_by_text("Paste labels or copy them from a workload").click()
    page.get_by_label("Paste", exact=True).fill('{"team": "web", "tier": "gold"}')
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_label("Key 2")).to_have_value("tier")
    page.goto(place.url(f"workloads/{uid}"))
    page.get_by_role("link", name="Test its labels").click()
    expect(page.locator(".headline__text")).to_contain_text("routes it to ml_training")
    expect(page.get_by_label("Requests")).to_have_value("gpu=4")


def test_many_label_sets_are_tested_and_downloaded(
    page: Page, place: Place, tmp_path: Path
) -> None:
    place.apply(GPUS, "The first")
    page.goto(place.url("tools/route/many"))
    page.get_by_label("Label sets").fill("team=research\nteam=web")
    page.get_by_role("button", name="Test").click()
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("ml_training")
    expect(rows.nth(2)).to_contain_text("default")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    path = tmp_path / "rows.csv"
    download.value.save_as(path)
    with path.open(encoding="utf-8") as file:
        assert [row["Queue"] for row in csv.DictReader(file)] == ["ml_training", "default"]


def test_pages_fit_a_phone(visitors: Visitors, place: Place) -> None:
    place.apply(GPUS, "The first")
    page = visitors.page(place, width=320)
    hold_still(page)
    long = "k" * 60
    query = (
        f"key=team&value=research&key={long}&value={long}&requests=gpu%3D8&config=active&beside=1"
    )
    for path in (f"tools/route?{query}", "tools/route/many", "tools/expectations"):
        page.goto(place.url(path))
        assert broken(page, "width") == []
