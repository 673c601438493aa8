"""The documentation: its pages satisfy all rules, and sections are found and linked."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from console.documentation.library import document_url
from tests.browser.place import Place
from tests.browser.walks import broken_pages

#: The contents, and pages with pictures, wide tables, long code, many sections and nested lists.
_PAGES = ("README", "queues", "kueue-reference", "operations", "config-reference", "style")


def test_pages_satisfy_all_rules(page: Page, place: Place) -> None:
    urls = [place.base + document_url(name) for name in _PAGES]
    urls += [f"{place.base}/docs/?q=quota", f"{place.base}/docs/?q=no-such-word"]
    assert broken_pages(page, urls) == {}


def test_a_page_links_its_section_and_returns(page: Page, place: Place) -> None:
    page.goto(place.url("workloads"))
    page.get_by_role("link", name="Help on this page").click()
    page.wait_for_url(f"{place.base}/docs/workloads/#the-list")
    heading = page.get_by_role("heading", name="The list", exact=True)
    expect(heading).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Workloads")


def test_images_follow_the_color_scheme(page: Page, place: Place) -> None:
    light = page.locator('img[src$="queues-light.png"]')
    dark = page.locator('img[src$="queues-dark.png"]')
    for scheme, shown, hidden in (("light", light, dark), ("dark", dark, light)):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{place.base}/docs/queues/")
        expect(shown).to_be_visible()
        expect(hidden).to_be_hidden()
        expect(shown).to_have_js_property("complete", True)
        assert shown.evaluate("image => image.naturalWidth") > 1000
    page.emulate_media(media="print")
    expect(light).to_be_visible()
    expect(dark).to_be_hidden()


def test_the_palette_finds_sections(page: Page, place: Place) -> None:
    page.goto(place.url())
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to")
    expect(palette.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("hold and resume")
    expect(palette.locator('[aria-busy="false"]')).to_be_attached()
    found = palette.get_by_role("region", name="Documentation").get_by_role("link")
    expect(found.first).to_have_text(re.compile("Hold and resume"))
    found.first.click()
    page.wait_for_url(f"{place.base}/docs/queues/#hold-and-resume")


def test_the_reference_follows_the_selected_language(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    reference = page.get_by_role("link", name="Reference", exact=True)
    expect(reference).to_have_attribute("href", "/docs/config-reference/")
    page.get_by_label("Language").select_option("kueue")
    expect(reference).to_have_attribute("href", "/docs/kueue-reference/")


def test_narrow_pages_have_the_documents_behind_the_menu(page: Page, place: Place) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{place.base}/docs/queues/")
    documents = page.get_by_role("navigation", name="Documentation")
    expect(documents).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    documents.get_by_role("link", name="Webhooks").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Webhooks")
