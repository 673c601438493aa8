"""Keyboard access to the whole product."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.documents import CAP, m5
from tests.browser.editor import Editor
from tests.browser.place import Place

_FOCUSED = """() => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  return {
    main: document.getElementById('main').contains(element),
    tag: element.tagName,
    text: (element.getAttribute('aria-label') || element.innerText || '').trim(),
    ringed: parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none',
    visible: box.width > 0 && box.height > 0,
    top: box.top, left: box.left,
  };
}"""


def test_the_first_tab_offers_to_skip_the_navigation(page: Page, place: Place) -> None:
    page.goto(place.url())
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate(_FOCUSED)["main"]


def test_tab_visits_everything_in_order_and_shows_where_it_is(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(*(m5(f"m5-{i}") for i in range(4)))
    for path in ("", "workloads", "queues/q-m5-2xlarge-cap3", "workloads/new", "config"):
        page.goto(place.url(path))
        seen = []
        for _ in range(150):
            page.keyboard.press("Tab")
            at = page.evaluate(_FOCUSED)
            if at["tag"] == "BODY" or at in seen[:1]:
                break
            seen.append(at)
            assert at["visible"], at
            assert at["ringed"], at
        else:
            raise AssertionError(f"{path}: the way through has no end")
        assert seen[0]["text"] == "Skip to the content"
        inside = [at["main"] for at in seen]
        assert inside == sorted(inside), f"{path}: leaves the content and comes back"


def test_letter_keys_open_pages_search_rows_and_help(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("first"), m5("second"))
    page.goto(place.url())
    for letter, path in (
        ("q", "queues"),
        ("k", "cohorts"),
        ("a", "capacity"),
        ("w", "workloads"),
        ("c", "config"),
        ("e", "events"),
    ):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.wait_for_url(re.compile(rf"/{path}(/v/1)?$"))
    page.keyboard.press("?")
    help_list = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_list).to_be_visible()
    page.keyboard.press("Escape")
    expect(help_list).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("second")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"workloads\?q=second$"))
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("second")


def test_letter_keys_can_be_disabled(page: Page, place: Place) -> None:
    page.goto(place.url())
    page.keyboard.press("?")
    page.get_by_label("Turn off single-letter shortcuts").check()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).not_to_be_focused()


def test_the_editor_can_be_left_and_f8_moves_between_problems(page: Page, place: Place) -> None:
    place.apply(CAP)
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    wrong = CAP.replace("resource_flavors:", "resource_flavours:")
    editor.replace(wrong.replace("resource_queue: default", "resource_queue: defalt"))
    expect(editor.problems.nth(1)).to_be_visible()
    lines = []
    for _ in range(editor.problems.count() + 1):
        page.keyboard.press("F8")
        current = page.locator(".problem[data-current]")
        lines.append(current.locator(".problem__meta").inner_text())
        cursor = page.evaluate(
            "ace.edit(document.querySelector('.editor__ace')).getSelectionRange().start.row + 1"
        )
        assert f"line {cursor}," in lines[-1]
    assert lines[-1] == lines[0]
    assert len(set(lines)) == editor.problems.count()
    page.keyboard.press("Shift+F8")
    expect(page.locator(".problem[data-current] .problem__meta")).to_have_text(lines[-2])
    before = editor.text
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor') !== null")
    assert editor.text == before
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("textbox", name=re.compile("^Config text"))).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor') !== null")
