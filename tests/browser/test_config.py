"""Writing a config: the first version, a second version, and a rollback."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Request, Route, expect

from tests.benchmarks.configs import large_config
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.editor import Editor
from tests.browser.place import Place, sign_in
from tests.product import Product

#: The text and the link of each page of an empty organization.
EMPTY = {
    "": ("Write a config", "Start from an example"),
    "queues": ("No config yet", "Start from an example"),
    "workloads": ("No workloads yet", "Submit a workload"),
    "config": ("No config yet", "Start from an example"),
    "config/history": ("No versions yet", "Write the first config"),
    "config/edit": ("Start from an example", "Use this example"),
    "events": ("Apply a config or submit a workload", ""),
}


def test_empty_product_shows_the_next_steps_after_sign_in(
    visitors: Visitors, product: Product
) -> None:
    welcome = re.search(r"Sign in as +(\S+)\s+Password +(\S+)", product.output())
    assert welcome is not None
    page = visitors.page()
    base = f"http://127.0.0.1:{product.port}"
    sign_in(page, base, welcome[1], welcome[2])
    expect(page).to_have_url(f"{base}/o/main/")
    for path, (says, leads) in EMPTY.items():
        page.goto(f"{base}/o/main/{path}")
        main = page.get_by_role("main")
        expect(main).to_contain_text(says)
        if leads:
            expect(main.get_by_text(leads).first).to_be_visible()


def test_a_wrong_password_is_refused_with_a_sentence(visitors: Visitors, place: Place) -> None:
    page = visitors.page()
    sign_in(page, place.base, "nobody@example.com", "wrong")
    expect(page.get_by_role("alert")).to_contain_text("password")
    expect(page.get_by_label("E-mail address")).to_have_value("nobody@example.com")


def test_a_config_is_written_checked_applied_changed_and_rolled_back(
    page: Page, place: Place
) -> None:
    page.goto(place.url("config"))
    page.get_by_role("link", name="Start from an example").click()
    page.locator("form.sample", has_text="Cap one instance type").get_by_role("button").click()
    editor = Editor(page)
    assert editor.text == CAP
    _make_mistakes_and_repair_them(editor)
    fixed = editor.text
    editor.expect_saved()
    page.reload()
    assert editor.text == fixed
    _apply_the_first(page)
    _change_a_queue(page, place)
    _roll_back(page, place)
    assert place.api.get("/config")["version"] == 3
    assert place.api.get("/config")["text"] == fixed


def _make_mistakes_and_repair_them(editor: Editor) -> None:
    last = len(CAP.splitlines())
    editor.focus()
    editor.press("Control+End", "ArrowLeft", "Backspace", "Backspace", "Backspace")
    editor.type("lt")
    entry = editor.expect_problem('Queue "defalt" is not defined', last, 21)
    editor.press("Enter")
    editor.type("priority_polcy: { default: 10 }")
    unknown = editor.expect_problem('"priority_polcy"', last + 1, 5)
    entry.get_by_role("button", name='Replace with "default"').click()
    expect(entry).to_have_count(0)
    unknown.locator(".problem__fixes button").click()
    expect(editor.problems).to_have_count(0)
    assert editor.text == (CAP.rstrip("\n") + "\n    priority_policy: { default: 10 }\n")


def _apply_the_first(page: Page) -> None:
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))
    meaning = page.get_by_role("region", name="Changes")
    expect(meaning).to_contain_text("q-m5-2xlarge-cap3")
    meaning.get_by_role("link", name="Text").click()
    expect(page.locator(".diff__row[data-change=added]").first).to_be_visible()
    page.get_by_label("Message").fill("Three of a kind")
    page.get_by_role("button", name="Apply version 1").click()
    expect(page).to_have_url(re.compile(r"/config/v/1\?applied=1(#\w+)?$"))
    expect(page.get_by_role("status").first).to_contain_text("Version 1 is active")
    expect(page.locator("#active-config")).to_contain_text("v1")


def _change_a_queue(page: Page, place: Place) -> None:
    page.get_by_role("main").get_by_role("link", name="Edit", exact=True).click()
    editor = Editor(page)
    line = next(i for i, text in enumerate(CAP.splitlines(), 1) if "name: cpu" in text)
    editor.replace_word(line, "24", "32")
    queue = next(i for i, text in enumerate(CAP.splitlines(), 1) if "name: q-m5" in text)
    entry = editor.problems.filter(has_text="q-m5-2xlarge-cap3")
    expect(entry).to_have_count(1)
    expect(entry).to_contain_text(re.compile(rf"line {queue}, column \d+"))
    fix = entry.locator(".problem__fixes button").first
    expect(fix).to_have_text(re.compile("^Make successor"))
    # The first quick fix at the number, which is below the name that the problem is about.
    page.keyboard.press("Control+.")
    expect(page.locator(".problem[data-severity=error]")).to_have_count(0)
    assert editor.text.count("q-m5-2xlarge-cap3:v2") == 2
    page.get_by_role("button", name="Review changes").click()
    meaning = page.get_by_role("region", name="Changes")
    expect(meaning).to_contain_text("q-m5-2xlarge-cap3:v2")
    meaning.get_by_role("link", name="Text").click()
    expect(page.locator(".diff__row[data-change=removed]")).to_have_count(3)
    expect(page.locator(".diff__row[data-change=added]")).to_have_count(3)
    page.get_by_label("Message").fill("Four of a kind")
    page.get_by_role("button", name="Apply version 2").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 2 is active")
    page.goto(place.url("queues"))
    expect(page.get_by_role("rowheader", name="q-m5-2xlarge-cap3:v2")).to_be_visible()


def _roll_back(page: Page, place: Place) -> None:
    page.goto(place.url("config/history"))
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Four of a kind")
    expect(rows.nth(0)).to_contain_text("first@example.com")
    rows.nth(1).get_by_role("link", name="v1", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Config version 1")
    expect(page.locator("[data-source]")).to_contain_text("nominal_quota: 24")
    page.get_by_role("link", name="Roll back to this version").click()
    page.get_by_role("link", name="Text", exact=True).click()
    expect(page.locator(".diff__row[data-change=removed]")).to_have_count(3)
    expect(page.get_by_label("Message")).to_have_value("Roll back to version 1")
    page.get_by_role("button", name="Roll back to version 1").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 3 is active")
    page.goto(place.url("config/history"))
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Rolled back to version 1")


def test_a_mistake_in_two_thousand_lines_is_marked_at_its_place(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(large_config(2000))
    last = editor.text.rstrip("\n").count("\n") + 1
    editor.press("Control+End", "ArrowLeft", "Backspace")
    editor.type("s")
    editor.expect_problem('Queue "defauls" is not defined', last, 21)
    editor.expect_saved()


def test_outdated_check_result_is_ignored(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(CAP)
    late: list[Route] = []

    def is_older(request: Request) -> bool:
        return "/config/edit/check" in request.url and "defauls" in (request.post_data or "")

    def delay_the_older(route: Route) -> None:
        if is_older(route.request):
            late.append(route)
        else:
            route.continue_()

    page.route("**/config/edit/check", delay_the_older)
    editor.press("Control+End", "ArrowLeft", "Backspace")
    with page.expect_request(is_older):
        editor.type("s")
    last = len(CAP.splitlines())
    editor.press("Backspace")
    editor.type("x")
    editor.expect_problem('Queue "defaulx" is not defined', last, 21)
    (older,) = late
    with page.expect_response(lambda answer: is_older(answer.request)) as answer:
        older.continue_()
    assert "defauls" in answer.value.text()
    # In the next frame, the page has processed the response.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    editor.expect_problem('Queue "defaulx" is not defined', last, 21)
    expect(editor.problems).to_have_count(1)
