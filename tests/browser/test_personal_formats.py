"""The form of a person's formats with scripts, and times that scripts write."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.place import Place


def form_of(page: Page, place: Place) -> Locator:
    """Open the settings, and return the form of times and numbers."""
    page.goto(place.url("settings/appearance"))
    return page.locator("form", has=page.locator("#time-zone"))


@pytest.fixture
def form(page: Page, place: Place) -> Iterator[Locator]:
    """The form; the person, who is a member of other organizations, gets the defaults back."""
    yield form_of(page, place)
    form = form_of(page, place)
    form.get_by_label("Time zone").fill("UTC")
    form.get_by_label("24 hours").check()
    form.get_by_label("Thin space").check()
    form.get_by_role("button", name="Save times and numbers").click()
    expect(page.get_by_text("Saved for your account.")).to_be_visible()


def test_scripts_write_times_as_the_server_does(page: Page, place: Place, form: Locator) -> None:
    field, example = form.get_by_label("Time zone"), page.locator("#formats-example")
    offer = form.get_by_role("button", name=re.compile("^Use the time zone of this browser: "))
    # The example shows formats before they are saved.
    field.fill("Asia/Kolkata")
    form.get_by_label("12 hours").check()
    form.get_by_label("Comma").check()
    expect(example).to_contain_text(re.compile(r"\d{1,2}:\d\d:\d\d [AP]M UTC\+5:30"))
    expect(example).to_contain_text("12,345,678")
    form.get_by_role("button", name="Save times and numbers").click()
    expect(page.get_by_text("Saved for your account.")).to_be_visible()
    expect(field).to_have_value("Asia/Kolkata")

    page.goto(place.url("queues"))
    expect(page.locator("[data-live-text]")).to_have_text(re.compile(r"Live · \d+ s ago"))
    page.keyboard.press("p")
    paused = re.compile(r"^Paused · as of \d{1,2}:\d\d:\d\d [AP]M UTC\+5:30$")
    expect(page.locator("[data-live-text]")).to_have_text(paused)

    form = form_of(page, place)
    zone = (offer.text_content() or "").rpartition(": ")[2]
    offer.click()
    expect(field).to_have_value(zone)
    expect(field).to_be_focused()
    expect(example).not_to_contain_text("UTC+5:30")
