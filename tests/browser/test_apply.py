"""Applying a draft: review, consequences, conflicts and merges, and the revert timer."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place, wait_until
from tests.browser.review import (
    CATCH_ALL,
    CONFIG,
    RULE,
    apply_button,
    draft,
    expect_active,
    expect_review,
    lab,
    make_due,
    tick_all,
)
from tests.product import Product

#: Script: elements that are wider than a small screen.
TOO_WIDE = """() => [...document.querySelectorAll("main *")]
  .filter((item) => item.getBoundingClientRect().right > 320 && !item.closest(".diff, pre, table"))
  .map((item) => `${item.tagName} ${item.className}`)"""


def test_consequences_are_ticked_and_severe_ones_typed(page: Page, place: Place) -> None:
    place.apply(CONFIG)
    waiting = place.submit(*(lab(number) for number in range(3)))[-1]
    draft(page, place, CONFIG.replace("nominal_quota: 4", "nominal_quota: 2"))
    expect(page.get_by_role("heading", name="This text cannot be applied yet")).to_be_visible()
    page.get_by_role("button", name='Make successor "lab:v2"').click()
    drains = page.get_by_label(re.compile("lab becomes lab:v2, with 2 running and 1 pending"))
    expect(drains).not_to_be_checked()
    expect(apply_button(page)).to_have_text("Apply version 2: up to 3 workloads affected")
    apply_button(page).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing applied yet")
    assert place.api.get("/config")["version"] == 1
    drains.check()
    apply_button(page).click()
    expect_active(page, 2)
    queues = place.api.get("/queues")["results"]
    assert {queue["name"] for queue in queues} >= {"lab", "lab:v2", "default"}
    # Consequences of the next text are computed for workloads as routed under this version.
    wait_until(lambda: place.api.get(f"/workloads/{waiting}")["config_version"] == 2)

    draft(page, place, CONFIG[: CONFIG.index("  - selector")] + RULE)
    tick_all(page)
    apply_button(page).click()
    expect(page.get_by_role("alert")).to_contain_text("Type the version number 3")
    page.get_by_label("Type 3, the number of the new version").fill("3")
    apply_button(page).click()
    expect_active(page, 3)
    accepted = {each["code"] for each in place.api.get("/config")["consequences"]}
    assert accepted >= {"queue_drains", "catch_all_lost"}


def test_conflicting_changes_are_merged_piece_by_piece(visitors: Visitors, place: Place) -> None:
    place.apply(CONFIG)
    mine = CONFIG.replace("max: 100", "max: 200").replace(
        "resource_flavors:\n", "resource_flavors:\n  # Mine.\n  - name: fixed\n"
    )
    theirs = CONFIG.replace("max: 100", "max: 300").replace(CATCH_ALL, RULE + CATCH_ALL)
    page = visitors.page(place, 1)
    draft(page, place, mine)
    tick_all(page)
    place.apply(theirs, "Web to default")
    apply_button(page).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The active version has changed")
    expect(page.get_by_role("group", name="Rule to lab")).to_be_visible()
    merge = page.get_by_role("button", name="Merge and review")
    merge.click()
    expect(page.get_by_text("Choose one of the texts.")).to_be_visible()
    page.get_by_role("radio", name="Yours").check()
    merge.click()
    expect_review(page)
    tick_all(page)
    apply_button(page).click()
    expect_active(page, 3)
    both = mine.replace(CATCH_ALL, RULE + CATCH_ALL)
    assert place.api.get("/config")["text"] == both


def test_unconfirmed_apply_is_reverted(visitors: Visitors, place: Place, product: Product) -> None:
    place.apply(CONFIG)
    page, other = visitors.page(place, 0), visitors.page(place, 1)
    draft(page, place, CONFIG.replace("max: 100", "max: 200"))
    page.get_by_label("Confirmation").select_option("10")
    apply_button(page).click()
    expect_active(page, 2)
    banner = page.locator("#revert-timer")
    expect(banner).to_contain_text("Version 2 needs confirmation")
    other.goto(place.url("queues"))
    expect(other.locator("#revert-timer")).to_contain_text("rolled back to version 1")

    make_due(product, place)
    wait_until(lambda: place.api.get("/config")["version"] == 3)
    now = place.api.get("/config")
    assert (now["text"], now["via"], now["rolled_back_to"]) == (CONFIG, "timer", 1)
    # A live page shows the change without a reload.
    expect(other.locator("#revert-timer")).to_be_empty()
    expect(other.locator("#active-config")).to_contain_text("v3")

    draft(page, place, CONFIG.replace("max: 100", "max: 300"))
    page.get_by_label("Confirmation").select_option("10")
    apply_button(page).click()
    expect_active(page, 4)
    page.get_by_role("button", name="Confirm version 4").click()
    expect(page.get_by_text("Version 4 is confirmed.")).to_be_visible()
    expect(page.locator("#revert-timer")).to_be_empty()


def test_timed_rollback_is_reverted_by_hand(page: Page, place: Place) -> None:
    place.apply(CONFIG)
    place.apply(CONFIG.replace("max: 100", "max: 200"), "Wider")
    page.goto(place.url("config/v/1"))
    page.get_by_role("link", name="Roll back to this version").click()
    expect(page.get_by_label("Message")).to_have_value("Roll back to version 1")
    page.get_by_label("Confirmation").select_option("30")
    expect(apply_button(page)).to_contain_text("Roll back to version 1: ")
    apply_button(page).click()
    expect_active(page, 3)
    page.get_by_role("button", name="Roll back now").click()
    expect_active(page, 4)
    now = place.api.get("/config")
    assert ("max: 200" in now["text"], now["rolled_back_to"]) == (True, 2)


def test_the_review_works_on_a_small_screen_in_the_dark_with_keys(
    visitors: Visitors, place: Place
) -> None:
    place.apply(CONFIG)
    place.submit(lab(1))
    page = visitors.page(place, scheme="dark", width=320)
    draft(page, place, CONFIG[: CONFIG.index("  - selector")] + RULE)
    assert page.evaluate(TOO_WIDE) == []
    page.locator("input[name=accept]").first.focus()
    page.keyboard.press("Space")
    expect(page.locator("input[name=accept]").first).to_be_checked()

    place.apply(CONFIG.replace("max: 100", "max: 300"))
    page.goto(place.url("config/conflict"))
    expect(page.get_by_role("group", name="Rule to lab")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
    page.get_by_role("radio", name="Custom text").focus()
    page.keyboard.press("Space")
    page.get_by_text("Edit, starting from your text").click()
    expect(page.get_by_label("Rule to lab: custom text")).to_be_visible()
    assert page.evaluate(TOO_WIDE) == []
