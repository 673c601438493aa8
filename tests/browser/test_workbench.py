"""A config change from start to end: edit, fix, review, impact, apply, merge and rollback."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.editor import Editor
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
)
from tests.product import Product

#: The first person's change: a higher priority for the lab, and no catch-all rule.
WANTED = CONFIG.replace("default: 50", "default: 80").replace(CATCH_ALL, RULE)
#: The second person's change, applied in the meantime, of the same rule.
WIDER = CONFIG.replace("max: 100", "max: 200")
#: Both changes.
BOTH = WANTED.replace("max: 100", "max: 200")
#: A change that is not confirmed.
WIDEST = WIDER.replace("max: 200", "max: 300")


def test_config_change_from_draft_to_apply_and_revert(
    visitors: Visitors, place: Place, product: Product
) -> None:
    place.apply(CONFIG, "The first")
    place.submit(*map(lab, range(3)), _of("web"), _of("ops"))
    page, other = visitors.page(place, 0), visitors.page(place, 1)
    _write_and_repair(page, place)
    _review(page)
    _foresee(page)
    _apply_too_late(page, other, place)
    _merge(page, place)
    assert _fate(place, "ops") == ("rejected", "no_rule_matched")
    _roll_back(page)
    assert _fate(place, "ops")[0] == "admitted"
    _let_it_be_reverted(page, other, place, product)
    assert _versions(place) == [
        (6, "timer", 4, "Version 5 was not confirmed in time", WIDER),
        (5, "page", None, "Everybody may ask for more", WIDEST),
        (4, "page", 2, "Ops waits for a rule", WIDER),
        (3, "page", None, "Teams only", BOTH),
        (2, "page", None, "Room for urgent work", WIDER),
        (1, "api", None, "The first", CONFIG),
    ]


def _of(team: str) -> dict[str, Any]:
    return {"name": f"of-{team}", "tags": {"team": team}}


def _fate(place: Place, team: str) -> tuple[str, str]:
    """Return the state and the reason of a new workload."""
    (uid,) = place.submit(_of(team))
    return place.state(uid), place.reason(uid)


def _versions(place: Place) -> list[tuple[Any, ...]]:
    rows = place.api.get("/config/versions")["results"]
    full = [place.api.get(f"/config/versions/{row['version']}") for row in rows]
    keys = ("version", "via", "rolled_back_to", "message", "text")
    return [tuple(each[key] for key in keys) for each in full]


def _write_and_repair(page: Page, place: Place) -> None:
    """Start a draft, misspell the name of a queue, and apply the fix of the editor."""
    page.goto(place.url("config/drafts"))
    page.get_by_role("link", name="Create a draft").click()
    page.get_by_label("Draft title").fill("Teams only")
    editor = Editor(page)
    editor.replace(WANTED.replace("default: 80", "default: 50"))
    lines = WANTED.splitlines()
    editor.replace_word(_line(WANTED, "default: 80"), "50", "80")
    editor.replace_word(len(lines), "default", "defalt")
    column = lines[-1].index("default") + 1
    entry = editor.expect_problem('Queue "defalt" is not defined', len(lines), column)
    entry.get_by_role("button", name='Replace with "default"').click()
    expect(entry).to_have_count(0)
    assert editor.text == WANTED
    editor.expect_saved()


def _line(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def _review(page: Page) -> None:
    """Check the review of the draft."""
    page.get_by_role("button", name="Review changes").click()
    expect_review(page)
    meaning = page.get_by_role("region", name="Changes")
    expect(meaning.get_by_role("navigation").locator("[aria-current]")).to_have_text("Meaning")
    lost = "rejected where team not in [lab, web], and more: 1 workload in the last 30 days."
    expect(meaning.locator(".change__body > p")).to_have_text(
        [
            "Rule 1 to lab changed",
            "Rule 2 to default changed",
            f"Its workloads would match no rule and be {lost}",
        ]
    )
    expect(meaning.locator(".change__details li")).to_have_text(
        [
            "default priority from 50 → to 80 (+30)",
            "selector from every workload → to team in [web]",
        ]
    )


def _foresee(page: Page) -> None:
    """Check the impact on running, pending and recorded workloads."""
    _open_tab(page, "Impact")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Impact of")
    live = page.get_by_role("region", name="Current workloads")
    expect(live).to_contain_text("4 workloads running, 1 pending")
    expect(live).to_contain_text("No running or pending workload is affected.")
    history = page.get_by_role("region", name="Recorded history")
    expect(history).to_contain_text("5 workloads · 3 distinct shapes · complete")
    expect(history.locator(".tile > span:first-child")).to_have_text(
        [
            "Unchanged",
            "Routed elsewhere",
            "Newly rejected",
            "Can never start",
            "Newly accepted",
            "Undecided",
        ]
    )
    expect(history.locator(".tile__number")).to_have_text(["1", "3", "1", "0", "0", "0"])
    # As text: labels, runs, outcome, queue, rule, priority and fit of each shape.
    for row in (
        "^team=lab .* 2 GPUs 3 .* Routed elsewhere lab 1 .* then 1 .* 50 then 80 fits$",
        "^team=ops .* 1 .* Newly rejected default then Accepted by no rule 2 .* then none ",
    ):
        expect(history.get_by_role("row", name=re.compile(row))).to_be_visible()


def _open_tab(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Draft").get_by_role("link", name=title).click()


def _accept(page: Page, number: int) -> None:
    """Tick the consequences of removing the last rule, and type the number of the version."""
    _consequences(page).get_by_label("No rule matches every workload any more").check()
    _consequences(page).get_by_label("1 warning that the active version does not have").check()
    page.get_by_label(f"Type {number}, the number of the new version").fill(str(number))


def _consequences(page: Page) -> Locator:
    return page.get_by_role("group", name="Consequences")


def _apply_too_late(page: Page, other: Page, place: Place) -> None:
    """Accept and apply after another person has applied a change of the same rule."""
    _open_tab(page, "Review")
    expect_review(page)
    expect(page.get_by_label("Message")).to_have_value("Teams only")
    _accept(page, 2)
    expect(apply_button(page)).to_have_text("Apply version 2: 0 workloads affected")

    draft(other, place, WIDER)
    other.get_by_label("Message").fill("Room for urgent work")
    expect(_consequences(other)).to_have_count(0)
    apply_button(other).click()
    expect_active(other, 2)

    apply_button(page).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The active version has changed")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was applied or lost")
    newer = page.get_by_role("region", name="Versions applied since")
    expect(newer).to_contain_text(re.compile("v2\\s*Room for urgent work\\s*second@example.com"))
    assert place.api.get("/config")["text"] == WIDER


def _merge(page: Page, place: Place) -> None:
    """Merge both changes of the rule, review them again, and apply."""
    expect(page.locator(".conflict__title")).to_have_text(["Rule to lab"])
    conflict = page.get_by_role("group", name="Rule to lab")
    expect(conflict.get_by_role("region", name="Theirs, in version 2")).to_contain_text("max: 200")
    conflict.get_by_role("radio", name="Custom text").check()
    conflict.get_by_text("Edit, starting from your text").click()
    own = conflict.get_by_role("textbox")
    own.fill(own.input_value().replace("max: 100", "max: 200"))
    page.get_by_role("button", name="Merge and review").click()
    expect_review(page)
    _accept(page, 3)
    apply_button(page).click()
    expect_active(page, 3)
    active = place.api.get("/config")
    assert (active["text"], active["author"]) == (BOTH, "first@example.com")
    assert [each["code"] for each in active["consequences"]] == ["catch_all_lost", "warnings_added"]


def _roll_back(page: Page) -> None:
    """Roll back to the other person's version through the review."""
    page.goto(re.sub(r"/config/.*", "/config/history", page.url))
    page.get_by_role("link", name="Roll back to version 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Roll back to version 2")
    page.get_by_label("Message").fill("Ops waits for a rule")
    apply_button(page).click()
    expect_active(page, 4)


def _let_it_be_reverted(page: Page, other: Page, place: Place, product: Product) -> None:
    """Apply for ten minutes, and let the time to confirm expire."""
    draft(page, place, WIDEST)
    page.get_by_label("Message").fill("Everybody may ask for more")
    page.get_by_label("Confirmation").select_option("10")
    apply_button(page).click()
    expect_active(page, 5)
    banner = "#revert-timer"
    expect(page.locator(banner)).to_contain_text("Version 5 needs confirmation")
    other.goto(place.url("queues"))
    expect(other.locator(banner)).to_contain_text("rolled back to version 4")
    assert place.api.get("/config")["text"] == WIDEST
    make_due(product, place)
    wait_until(lambda: place.api.get("/config")["version"] == 6)
    # A live page shows the change without a reload.
    expect(other.locator(banner)).to_be_empty()
    expect(other.locator("#active-config")).to_contain_text("v6")
