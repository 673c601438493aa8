"""A rule is moved from the page of its queue in four actions."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.dialects.test_moving import TEXT, move


def test_a_rule_is_moved_in_four_actions(page: Page, place: Place) -> None:
    place.apply(TEXT)
    page.goto(place.url("queues/b?tab=rules"))
    actions = 0

    page.get_by_role("link", name="Move rule 2").click()
    actions += 1
    expect(page.get_by_label("Rule", exact=True)).to_have_value("2")
    page.get_by_label("New position").fill("1")
    actions += 1
    preview = page.locator("#rule-preview")
    expect(preview).to_contain_text("Nothing here needs your confirmation.")
    expect(preview).to_contain_text("Apply version 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_label("Message").fill("Team b first")
    actions += 1
    page.get_by_role("button", name="Apply version 2").click()
    actions += 1

    expect(page).to_have_url(re.compile(r"/config/rules/move\?rule=1$"))
    expect(page.get_by_role("status").first).to_contain_text("Version 2 is active")
    assert actions <= 4
    made = place.api.get("/config")
    assert (made["version"], made["message"]) == (2, "Team b first")
    assert made["text"] == move(dialects()["native"], TEXT, 1, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_fits_a_small_screen_and_needs_no_scripts(
    visitors: Visitors, place: Place, scheme: str
) -> None:
    place.apply(TEXT)
    page = visitors.page(place, scheme=scheme, width=390, scripts=False)
    page.goto(place.url("config/rules/move?rule=1"))
    page.get_by_label("New position").fill("2")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#rule-preview")).to_contain_text("# The first.")
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= 390
