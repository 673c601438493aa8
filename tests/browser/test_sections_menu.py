"""The sections of an organization: beside the page, or behind a button in a narrow window."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.place import Place


def test_a_button_opens_the_sections_in_a_narrow_window(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    page = visitors.page(place, width=390)
    page.goto(place.url("queues"))
    button = page.get_by_role("button", name="Menu")
    sections = page.get_by_role("navigation", name="Sections")
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(sections).to_be_hidden()
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(sections.get_by_role("link", name="Queues")).to_have_attribute("aria-current", "page")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.keyboard.press("Escape")
    expect(sections).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    sections.get_by_role("link", name="Workloads").click()
    expect(page).to_have_url(place.url("workloads"))
    expect(sections).to_be_hidden()


def test_wide_windows_and_browsers_without_scripts_show_the_sections(
    page: Page, visitors: Visitors, place: Place
) -> None:
    page.goto(place.url())
    plain = visitors.page(place, width=390, scripts=False)
    plain.goto(place.url())
    for shown in (page, plain):
        expect(shown.get_by_role("navigation", name="Sections")).to_be_visible()
        expect(shown.get_by_role("button", name="Menu")).to_be_hidden()
