"""The command palette, and keyboard shortcuts on lists."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place


@pytest.fixture
def busy(place: Place) -> Place:
    """An organization with a config, queues and two workloads."""
    place.apply(CAP, "The first")
    place.submit(m5("first"), m5("second"))
    return place


def test_palette_finds_queues_workloads_versions_and_pages(page: Page, busy: Place) -> None:
    palette = page.get_by_role("dialog", name="Go to")
    for text, offered, path in (
        ("M5-2", "q-m5-2xlarge-cap3", "queues/q-m5-2xlarge-cap3"),
        ("sec", "second", "workloads/"),
        ("v1", "v1", "config/v/1"),
        ("tokens", "API tokens", "settings/tokens"),
    ):
        page.goto(busy.url())
        page.keyboard.press("Control+k")
        expect(palette.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type(text)
        # Before that, the page with the form would handle the key.
        expect(palette.locator('[aria-busy="false"]')).to_be_attached()
        expect(palette.locator("a[data-found]").first).to_contain_text(offered)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(re.escape(busy.url(path))))


def test_arrow_keys_select_and_closing_restores_the_focus(page: Page, busy: Place) -> None:
    page.goto(busy.url("queues"))
    opener = page.get_by_role("link", name="Go to a queue, workload, version or page")
    opener.focus()
    page.keyboard.press("Enter")
    palette = page.get_by_role("dialog", name="Go to")
    offered = palette.locator("a[data-found]")
    expect(offered.nth(1)).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(offered.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(palette.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("nosuchthing")
    expect(palette.locator('[aria-busy="false"]')).to_be_attached()
    expect(palette).to_contain_text("No results")
    page.keyboard.press("Enter")
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    expect(opener).to_be_focused()


def test_search_page_works_without_scripts(visitors: Visitors, busy: Place) -> None:
    page = visitors.page(busy, width=320, scripts=False)
    page.goto(busy.url())
    page.get_by_role("link", name="Go to a queue, workload, version or page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Go to…")
    page.get_by_label("Queue, cohort, workload, version, page or topic").last.fill("seco")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("main").get_by_role("link", name="second").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("second")


def test_keys_filter_a_list_change_tabs_and_give_a_permalink(page: Page, busy: Place) -> None:
    page.goto(busy.url("workloads"))
    page.keyboard.press("f")
    expect(page.get_by_label("Name starts with, or id")).to_be_focused()
    page.goto(busy.url("queues/q-m5-2xlarge-cap3"))
    page.keyboard.press("]")
    page.wait_for_url(re.compile(r"tab=running"))
    page.keyboard.press("[")
    page.wait_for_url(lambda url: "tab=running" not in url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(busy.url("events?type=REQUEST_QUEUED"))
    page.keyboard.press("y")
    expect(page.locator("#toast")).to_have_text("Permalink copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url(busy.url("config/history"))
