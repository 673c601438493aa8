"""Usage by consumer: the biggest team in two actions, accessible, and without scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.walks import broken_pages
from tests.usage_sample import CONFIG


@pytest.fixture
def busy(place: Place) -> Place:
    """An organization with workloads of two teams."""
    place.apply(CONFIG)
    place.submit(
        *(
            {"name": f"{team}-{gpus}", "tags": {"team": team}, "requests": {"gpu": gpus}}
            for team, gpus in (("vision", 2), ("language", 16), ("vision", 3))
        )
    )
    return place


def test_the_biggest_team_of_the_last_week_is_two_actions_away(page: Page, busy: Place) -> None:
    page.goto(busy.url())
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Usage").click()
    page.get_by_role("link", name="Team", exact=True).click()
    current = page.get_by_role("navigation", name="Time range").locator("[aria-current]")
    expect(current).to_have_text("7 days")
    expect(page.locator("#usage-consumers tbody tr").first).to_contain_text("language")


def test_pages_keep_the_rules(page: Page, busy: Place) -> None:
    paths = ("usage?by=queue", "usage?by=label.team&range=24h")
    assert broken_pages(page, map(busy.url, paths)) == {}


def test_a_label_is_chosen_without_scripts(visitors: Visitors, busy: Place) -> None:
    page = visitors.page(busy, scripts=False)
    page.goto(busy.url("usage?by=queue"))
    page.locator("summary", has_text="More").click()
    page.get_by_label("Label key").fill("team")
    page.get_by_role("button", name="Break down").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Usage by team")
    expect(page.locator("#usage-consumers tbody tr").first).to_contain_text("language")


def test_the_controls_take_one_row_and_a_menu_on_a_phone(page: Page, busy: Place) -> None:
    for path in ("usage", "usage?by=label.team"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(busy.url(path))
        bar = page.locator(".usage-bar")
        assert bar.evaluate("bar => bar.getBoundingClientRect().height") <= 50
        page.set_viewport_size({"width": 390, "height": 800})
        assert bar.evaluate("bar => bar.getBoundingClientRect().height") <= 120
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.locator(".usage-bar__narrow > summary").click()
        expect(page.get_by_role("link", name="Team", exact=True)).to_be_visible()
