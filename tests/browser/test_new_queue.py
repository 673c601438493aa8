"""A queue with its rule is added from the list of queues."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.dialects.test_new_queues import NATIVE, add


def test_a_queue_with_its_rule_is_added(page: Page, place: Place) -> None:
    place.apply(NATIVE)
    page.goto(place.url("queues"))
    page.get_by_role("link", name="New queue").click()
    page.get_by_label("Name", exact=True).fill("vision")
    page.get_by_label("Label condition", exact=True).fill("team=vision")
    page.get_by_label("Nominal quota of gpu in a100").fill("8")
    preview = page.locator("#queue-preview")
    expect(preview).to_contain_text("nominal_quota: 8")
    expect(preview).to_contain_text("Nothing here needs your confirmation.")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_label("Message").fill("For vision")
    page.get_by_role("button", name="Apply version 2").click()

    expect(page).to_have_url(re.compile(r"/queues/vision$"))
    expect(page.get_by_role("status").first).to_contain_text("Version 2 is active")
    made = place.api.get("/config")
    assert (made["version"], made["message"]) == (2, "For vision")
    numbers = {("nominal_quota", "a100", "gpu"): "8"}
    assert made["text"] == (
        add("native", NATIVE, "vision", {"conditions": ["team=vision"]}, numbers).text
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_fits_a_small_screen_and_needs_no_scripts(
    visitors: Visitors, place: Place, scheme: str
) -> None:
    place.apply(NATIVE)
    page = visitors.page(place, scheme=scheme, width=390, scripts=False)
    page.goto(place.url("config/queues/new"))
    page.get_by_label("Name", exact=True).fill("vision")
    page.get_by_label("Label condition", exact=True).fill("team=vision")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#queue-preview")).to_contain_text("- name: vision")
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= 390
