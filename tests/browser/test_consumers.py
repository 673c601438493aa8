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
    page.get_by_role("link", name="Label team").click()
    current = page.get_by_role("navigation", name="Time range").locator("[aria-current]")
    expect(current).to_have_text("7 days")
    expect(page.locator("#usage-consumers tbody tr").first).to_contain_text("language")


def test_pages_keep_the_rules(page: Page, busy: Place) -> None:
    paths = ("usage?by=queue", "usage?by=label.team&range=24h")
    assert broken_pages(page, map(busy.url, paths)) == {}


def test_a_label_is_chosen_without_scripts(visitors: Visitors, busy: Place) -> None:
    page = visitors.page(busy, scripts=False)
    page.goto(busy.url("usage?by=queue"))
    page.get_by_label("Label key").fill("team")
    page.get_by_role("button", name="Break down").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Usage by team")
    expect(page.locator("#usage-consumers tbody tr").first).to_contain_text("language")
