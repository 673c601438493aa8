"""The config history: comparisons, filters, the author of a line, and rollback."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.editor import Editor
from tests.browser.place import Place

_HIGHER = CAP.replace("default: 50", "default: 60")
_COMMENTED = f"# The type everybody asks for\n{_HIGHER}"


def _tell(place: Place) -> None:
    place.apply(CAP, "The first")
    place.apply(_HIGHER, "A higher default")
    place.apply(_COMMENTED, "Say why")


def test_diff_has_four_views_that_work_without_scripts(visitors: Visitors, place: Place) -> None:
    _tell(place)
    page = visitors.page(place, scripts=False)
    page.goto(place.url("config/compare/1...2"))
    region = page.get_by_role("region", name="Changes")
    expect(region.locator(".change")).to_have_count(1)
    expect(region.locator(".change__details")).to_contain_text("default priority")
    expect(region.locator(".change__old")).to_have_text("50")
    expect(region.locator(".change__new")).to_have_text("60")
    ways = page.get_by_role("navigation", name="Ways to compare")
    expect(ways.locator("[aria-current]")).to_have_text("Meaning")

    ways.get_by_role("link", name="Text").click()
    expect(page).to_have_url(re.compile(r"diff=text#difference$"))
    expect(region.locator(".diff__word")).to_have_text(["50", "60"])
    ways.get_by_role("link", name="Side by side").click()
    expect(region.locator(".diff__pair .diff__word")).to_have_text(["50", "60"])
    ways.get_by_role("link", name="With defaults").click()
    expect(region.locator("tr[data-change=removed]")).to_contain_text("default: 50")
    page.go_back()
    expect(ways.locator("[aria-current]")).to_have_text("Side by side")


def test_two_versions_are_chosen_and_compared(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/history"))
    expect(page.locator("tbody tr")).to_have_count(3)
    expect(page.locator("tbody tr").nth(1)).to_contain_text("default priority 50 → 60 (+10)")
    page.get_by_role("radio", name="from version 1").check()
    page.get_by_role("radio", name="to version 3").check()
    page.get_by_role("button", name="Compare selected").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("From version 1 to version 3")
    page.get_by_role("link", name="Swap versions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("From version 3 to version 1")


def test_versions_are_found_by_what_they_changed(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/history"))
    page.get_by_label("Object type").select_option("rule")
    page.get_by_label("Object name").fill("q-m5-2xlarge-cap3")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile(r"\?noun=rule&name=q-m5-2xlarge-cap3$"))
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name=re.compile("^changed a rule")).click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Clear all").click()
    expect(page.locator("tbody tr")).to_have_count(3)


def test_versions_are_picked_compared_and_edited_by_keys(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/history"))
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("radio", name="to version 3")).to_be_checked()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_role("radio", name="from version 1")).to_be_checked()
    page.keyboard.press("k")
    page.keyboard.press("x")
    expect(page.get_by_role("radio", name="to version 2")).to_be_checked()
    page.keyboard.press("c")
    expect(page.get_by_role("heading", level=1)).to_have_text("From version 1 to version 2")
    page.goto(place.url("config/history"))
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.wait_for_url(re.compile(r"/config/drafts/\d+$"))
    assert Editor(page).text == _HIGHER


def test_versions_are_filtered_by_date(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/history"))
    page.get_by_label("To", exact=True).fill("2026-01-31")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile(r"\?until=2026-01-31$"))
    expect(page.get_by_role("heading", name="No version matches these filters")).to_be_visible()
    page.get_by_role("link", name=re.compile("^until")).click()
    expect(page.locator("tbody tr")).to_have_count(3)


def test_line_links_to_the_version_that_changed_it(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/v/3"))
    page.get_by_role("link", name="Show line authors").click()
    first = page.locator(".source__run").first
    expect(first.locator(".source__blame")).to_contain_text("Say why")
    expect(first.locator(".source__line")).to_have_count(1)
    page.locator("#L2 .source__number").click()
    expect(page).to_have_url(re.compile(r"blame=1#L2$"))
    expect(page.locator("#L2[data-marked]")).to_be_visible()
    changed = page.locator(".source__run", has_text="A higher default")
    changed.get_by_role("link", name="v2").click()
    expect(page.get_by_role("region", name="Changes in this version")).to_contain_text("60")


def test_rollback_uses_the_same_review(page: Page, place: Place) -> None:
    _tell(place)
    page.goto(place.url("config/history"))
    page.get_by_role("link", name="Roll back to version 1").click()
    region = page.get_by_role("region", name="Changes")
    expect(region.locator(".change__old")).to_have_text("60")
    expect(region.locator(".change__new")).to_have_text("50")
    page.goto(place.url("config/history"))
    page.get_by_role("button", name="Edit version 1 as a new draft").click()
    expect(page).to_have_url(re.compile(r"/config/drafts/\d+$"))
