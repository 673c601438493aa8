"""Two people change the config from the same base version: conflicts lose no text."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.editor import Editor
from tests.browser.place import Place

_FLAVOR = "resource_flavors:\n  - name: spare\n"
_RULE = "  - selector: [{ key: team, operator: exists }]\n    resource_queue: default\n"


def _edit(page: Page, place: Place, text: str, problems: int) -> None:
    page.goto(place.url("config/edit"))
    Editor(page).replace(text)
    expect(Editor(page).problems).to_have_count(problems)
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))


def test_second_apply_shows_the_other_change_and_merges(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    first, second = visitors.page(place, 0), visitors.page(place, 1)
    theirs = CAP.replace("resource_flavors:\n", _FLAVOR)
    mine = CAP.replace("scheduling_rules:\n", "scheduling_rules:\n" + _RULE)
    _edit(first, place, theirs, 1)
    _edit(second, place, mine, 0)
    first.get_by_label("Message").fill("A spare flavor")
    first.get_by_label(re.compile("1 warning that the active version does not have")).check()
    first.get_by_role("button", name="Apply version 2").click()
    expect(first.get_by_role("status").first).to_contain_text("Version 2 is active")

    second.get_by_label("Message").fill("Teams to default")
    second.get_by_role("button", name="Apply version 2").click()
    expect(second.get_by_role("heading", level=1)).to_have_text("The active version has changed")
    expect(second.get_by_role("alert")).to_contain_text("Nothing was applied or lost")
    meantime = second.get_by_role("region", name="Versions applied since")
    expect(meantime).to_contain_text("A spare flavor")
    expect(meantime).to_contain_text("first@example.com")
    added = ".diff__row[data-change=added]"
    expect(
        second.get_by_role("region", name="Changes in the active version").locator(added).first
    ).to_contain_text("spare")
    expect(second.get_by_role("region", name="Your changes").locator(added).first).to_contain_text(
        "team"
    )
    assert place.api.get("/config")["text"] == theirs

    second.get_by_role("button", name="Merge and review").click()
    expect(second.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))
    second.get_by_role("button", name="Apply version 3").click()
    expect(second.get_by_role("status").first).to_contain_text("Version 3 is active")
    merged = mine.replace("resource_flavors:\n", _FLAVOR)
    assert place.api.get("/config")["text"] == merged


def test_conflicts_in_one_line_are_resolved_by_the_author(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    page = visitors.page(place, 1)
    mine = CAP.replace("default: 50", "default: 60")
    _edit(page, place, mine, 0)
    place.apply(CAP.replace("default: 50", "default: 40"), "Lower")
    page.get_by_role("button", name="Apply version 2").click()
    expect(page.get_by_role("main")).to_contain_text("1 place changed on both sides")
    page.get_by_role("button", name="Merge and review").click()
    expect(page.get_by_text("Choose one of the texts.")).to_be_visible()
    page.get_by_role("button", name="Rebase my text on version 2").click()
    expect(page).to_have_url(re.compile(r"/config/drafts/\d+$"))
    assert Editor(page).text == mine
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("link", name="Text", exact=True).click()
    expect(page.locator(".diff__row[data-change=removed]")).to_contain_text("default: 40")
    page.get_by_role("button", name="Apply version 3").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 3 is active")


def test_second_window_does_not_overwrite_the_first(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    first, second = visitors.page(place), visitors.page(place)
    first.goto(place.url("config/edit"))
    Editor(first).replace("# begun\n" + CAP)
    Editor(first).expect_saved()
    second.goto(place.url("config/edit"))
    second.goto(place.url("config/edit"))
    second.get_by_role("link", name="Continue draft").click()
    expect(second).to_have_url(re.compile(r"/config/drafts/\d+$"))
    Editor(first).replace("# of the first window\n" + CAP)
    Editor(first).press("Control+s")
    Editor(first).expect_saved()
    Editor(second).replace("# of the second window\n" + CAP)
    saved = second.locator("[data-saved]")
    expect(saved).to_contain_text("Not saved")
    saved.get_by_role("button", name="Compare both texts").click()
    expect(second.get_by_role("alert")).to_contain_text("Another window has saved this draft")
    assert Editor(second).text.startswith("# of the second window")
    second.get_by_role("button", name="Save my text").click()
    expect(second.get_by_text("The draft is saved.")).to_be_visible()
    second.reload()
    assert Editor(second).text.startswith("# of the second window")
    # The refused save is an answer of the server, which the browser notes in its console.
    visitors.complaints[:] = [text for text in visitors.complaints if "409" not in text]
