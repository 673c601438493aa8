"""The config editor: outline, completion, help, fixes by key, and drafts of two people."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from console.expensive import CHEAP_TEXT
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.editor import Editor
from tests.browser.place import PASSWORD, PEOPLE, Place, sign_in

_CURSOR = "ace.edit(document.querySelector('.editor__ace')).getCursorPosition().row + 1"

#: Response to a presence request while no other person edits.
_QUIET = {"revision": 1, "editor": None, "others": []}

#: Has the responses to checks and counts arrive late, and records their texts and how many requests
#: are in progress at a time.
_SLOW_REQUESTS = """
window.slow = { sent: [], open: 0, most: 0 };
const send = window.fetch;
window.fetch = async (url, init) => {
  const name = /edit\\/(check|hits)$/.exec(url)?.[1];
  if (!name) return send(url, init);
  slow.sent.push([name, JSON.parse(init.body).text]);
  slow.most = Math.max(slow.most, (slow.open += 1));
  const answer = await send(url, init);
  await new Promise((later) => setTimeout(later, 1000));
  slow.open -= 1;
  return answer;
};
"""


def line_of(text: str, part: str) -> int:
    """Return the number of the line of *text*, from 1, that contains *part*."""
    return next(i for i, line in enumerate(text.splitlines(), 1) if part in line)


def test_outline_links_to_objects_and_shows_problems_and_hits(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("one"), m5("two"))
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    outline = page.locator("[data-outline]")
    expect(outline.get_by_role("heading")).to_have_text(["Flavors 1", "Queues 2", "Rules 2"])
    cap = outline.get_by_role("button", name=re.compile("^q-m5-2xlarge-cap3"))
    expect(cap).to_contain_text("2 workloads")
    expect(outline.get_by_role("button", name=re.compile("^1 → q-m5"))).to_contain_text(
        "2 workloads"
    )
    expect(outline.get_by_role("button", name=re.compile("^default"))).to_contain_text(
        "0 workloads"
    )
    expect(page.locator("[data-hits-note]")).to_contain_text("the last 7 days")

    editor.expect_hits({line_of(CAP, "- name: q-m5"): "2", line_of(CAP, "- name: default"): "0"})
    # After a line is added above, the counts stay with their objects until they are counted again.
    editor.focus()
    editor.press("Control+Home")
    editor.type("# Caps\n")
    editor.expect_hits({line_of(CAP, "- name: q-m5") + 1: "2"})
    editor.replace(CAP)
    editor.press("Control+Home")
    editor.expect_hits({line_of(CAP, "- name: q-m5"): "2"})

    cap.click()
    assert page.evaluate(_CURSOR) == line_of(CAP, "- name: q-m5")
    expect(cap).to_have_attribute("aria-current", "true")

    page.get_by_label("Filter the outline").fill("defa")
    expect(outline.get_by_role("button")).to_have_count(2)
    page.get_by_label("Filter the outline").press("Enter")
    assert page.evaluate(_CURSOR) == line_of(CAP, "- name: default")
    page.get_by_label("Filter the outline").fill("")

    editor.replace(CAP.replace("resource_queue: default", "resource_queue: defalt"))
    rule = outline.get_by_role("button", name=re.compile("^2 → defalt"))
    expect(rule).to_contain_text("has a problem: error")


def test_keys_words_and_names_are_completed(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.focus()
    choices = page.locator(".ace_autocomplete:visible .ace_line")
    editor.type("resource_q")
    expect(choices.first).to_contain_text("resource_queues")
    editor.press("Enter", "Enter")
    editor.press("Control+Space")
    expect(choices.first).to_contain_text("- name")
    editor.press("Enter")
    editor.type("vision")
    editor.press("Enter")
    editor.type("pree")
    expect(choices.first).to_contain_text("preemption")
    expect(page.locator(".ace_doc-tooltip")).to_contain_text(
        "When the queue may preempt running workloads."
    )
    editor.press("Enter")
    editor.type(" { within")
    expect(choices.first).to_contain_text("within_resource_queue")
    editor.press("Enter")
    expect(choices.first).to_contain_text("never")
    editor.type("low")
    editor.press("Enter")
    editor.type(" }")
    editor.press("Enter", "Control+[", "Control+[")
    editor.type("scheduling_rules:")
    editor.press("Escape", "Enter")
    editor.type("- resource_queue: ")
    editor.press("Control+Space")
    expect(choices.first).to_contain_text("vision")
    editor.press("Enter")
    lines = [line.strip() for line in editor.text.splitlines() if line.strip()]
    assert lines == [
        "resource_queues:",
        "- name: vision",
        "preemption: { within_resource_queue: lower_priority }",
        "scheduling_rules:",
        "- resource_queue: vision",
    ]
    expect(editor.problems).to_have_count(0)


#: Script: type a letter and Enter with nothing in between, as a fast typist does.
_LETTER_AND_ENTER = """letter => {
  const editor = window.ace.edit(document.querySelector(".editor__ace"));
  editor.execCommand("insertstring", letter);
  editor.onCommandKey(new KeyboardEvent("keydown", { key: "Enter" }), 0, 13);
}"""


def test_enter_accepts_the_completion_of_the_whole_word(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    choices = page.locator(".ace_autocomplete:visible .ace_line")
    editor.replace("resource_queues:\n  - name: vision\n    ")
    editor.type("pre")
    expect(choices.first).to_contain_text("preemption")
    page.evaluate(_LETTER_AND_ENTER, "e")
    assert editor.text.splitlines()[2:] == ["    preemption:"]
    editor.replace("resource_queues:\n  - name: vision\n    ")
    editor.type("pre")
    expect(choices.first).to_contain_text("preemption")
    # No completion matches, so Enter ends the line.
    editor.type("z")
    editor.press("Enter")
    editor.type("#")
    assert editor.text.splitlines()[2:] == ["    prez", "    #"]


def test_help_explains_the_word_at_pointer_and_cursor(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("one"))
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    line = line_of(CAP, "nominal_quota")
    column = CAP.splitlines()[line - 1].index("nominal_quota") + 3
    x, y = editor.place(line, column)
    page.mouse.move(x, y + 8)
    page.mouse.move(x + 2, y + 9)
    card = page.locator(".hover-card")
    expect(card).to_be_visible()
    expect(card).to_contain_text("Quota that the queue owns; absent is unlimited, 0 blocks.")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()

    page.mouse.click(x, y + 8)
    panel = page.get_by_role("complementary", name="At the cursor")
    expect(panel).to_contain_text("Quota that the queue owns")
    expect(panel.get_by_role("heading", name="Queue q-m5-2xlarge-cap3")).to_be_visible()
    expect(panel).to_contain_text("1 running, 0 pending")
    rule = line_of(CAP, "resource_queue: q-m5")
    panel.get_by_role("button", name=re.compile(f"^rule 1 .*, line {rule}$")).click()
    assert page.evaluate(_CURSOR) == rule


def test_problems_are_visited_and_fixed_by_keys(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(
        CAP.replace("resource_flavors:", "resource_flavours:").replace(
            "resource_queue: default", "resource_queue: defalt"
        )
    )
    wrong = page.locator(".problem[data-severity=error]")
    expect(wrong.filter(has_text="defalt")).to_be_visible()
    for _ in range(editor.problems.count()):
        editor.press("F8", "Control+.")
        page.wait_for_timeout(50)
        if editor.text == CAP:
            break
    expect(wrong).to_have_count(0)
    assert editor.text == CAP
    editor.press("Control+z")
    expect(wrong).to_have_count(1)


def test_five_problems_are_fixed_by_one_button(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    broken = CAP
    for right, wrong in (
        ("resource_flavors:", "resource_flavours:"),
        ("resource_queue: default", "resource_queue: defalt"),
        ("nominal_quota: 24", "nominal_qouta: 24"),
        ("priority_policy:", "priority_polici:"),
        ("covered_resources:", "covered_resource:"),
    ):
        assert right in broken
        broken = broken.replace(right, wrong, 1)
    editor.replace(broken)
    button = page.get_by_role("button", name=re.compile(r"^Fix all \d"))
    expect(button).to_be_visible()
    button.click()
    expect(page.locator("[data-fixed]")).to_contain_text("5 problems fixed; no problems remain.")
    assert editor.text == CAP
    expect(editor.problems).to_have_count(0)
    expect(button).to_be_hidden()
    # The fixes are one step.
    editor.press("Control+z")
    assert editor.text == broken
    expect(button).to_be_visible()
    editor.press("Control+Shift+.")
    expect(page.locator("[data-fixed]")).to_contain_text("5 problems fixed")
    assert editor.text == CAP


def test_all_problems_are_fixed_without_scripts(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place, scripts=False)
    page.goto(place.url("config/edit"))
    page.get_by_label("Config text").fill(
        CAP.replace("resource_flavors:", "resource_flavours:").replace(
            "resource_queue: default", "resource_queue: defalt"
        )
    )
    page.get_by_role("button", name="Check").click()
    page.get_by_role("button", name="Fix all").click()
    expect(page.get_by_role("main")).to_contain_text("2 problems fixed; no problems remain.")
    assert page.get_by_label("Config text").input_value().replace("\r\n", "\n") == CAP
    expect(page.get_by_role("region", name="Problems")).to_contain_text("No problems")


def test_tab_leaves_the_text_and_brackets_indent(page: Page, place: Place) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.focus()
    editor.press("Control+]")
    assert editor.text == "  "
    editor.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor') !== null")
    assert editor.text == "  "
    editor.press("Shift+Tab", "Shift+Tab")
    assert not page.evaluate("document.activeElement.closest('.ace_editor') !== null")


def test_draft_has_one_editor_and_can_be_taken_over(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    first, second = visitors.page(place, 0), visitors.page(place, 1)
    first.goto(place.url("config/edit"))
    first.get_by_label("Draft title").fill("More cores")
    Editor(first).replace("# mine\n" + CAP)
    Editor(first).expect_saved()
    expect(first).to_have_url(re.compile(r"/config/drafts/\d+$"))
    assert Editor(first).text == "# mine\n" + CAP

    second.goto(place.url("config/drafts"))
    row = second.get_by_role("row").filter(has_text="More cores")
    expect(row).to_contain_text(re.compile(r"first@example.com\s*for \d+ s"))
    row.get_by_role("link", name="More cores").click()
    expect(second.get_by_role("main")).to_contain_text(
        "first@example.com has been editing this draft"
    )
    expect(second.get_by_role("button", name="Review changes")).to_have_count(0)
    Editor(second).focus()
    Editor(second).type("nothing")
    assert Editor(second).text == "# mine\n" + CAP

    second.get_by_role("button", name="Take over").click()
    expect(second.get_by_role("status").first).to_contain_text("You edit this draft now")
    Editor(second).replace("# theirs\n" + CAP)
    Editor(second).expect_saved()

    # The first person's editor learns of it from its next presence request.
    saved = first.locator("[data-saved]")
    expect(saved).to_contain_text("second@example.com edits this draft now. Your text is saved.")
    Editor(first).focus()
    Editor(first).type("nothing")
    assert Editor(first).text == "# mine\n" + CAP
    saved.get_by_role("link", name="View the current draft").click()
    expect(first.get_by_role("button", name="Take over")).to_be_visible()
    assert Editor(first).text == "# theirs\n" + CAP


def test_text_typed_after_a_take_over_is_kept(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    first, second = visitors.page(place, 0), visitors.page(place, 1)
    # As if the next sign of life were still to come.
    first.route("**/visit", lambda route: route.fulfill(json=_QUIET))
    first.goto(place.url("config/edit"))
    Editor(first).replace("# mine\n" + CAP)
    Editor(first).expect_saved()
    second.goto(first.url)
    second.get_by_role("button", name="Take over").click()
    expect(second.get_by_role("status").first).to_contain_text("You edit this draft now")

    Editor(first).replace("# still mine\n" + CAP)
    saved = first.locator("[data-saved]")
    expect(saved).to_contain_text("Not saved: second@example.com edits this draft")
    saved.get_by_role("button", name="Compare both texts").click()
    alert = first.get_by_role("alert")
    expect(alert).to_contain_text("second@example.com edits this draft")
    expect(alert.locator(".diff__row[data-change=added]")).to_contain_text("# still mine")
    assert Editor(first).text == "# still mine\n" + CAP
    alert.get_by_role("button", name="Save mine as a new draft").click()
    expect(first).not_to_have_url(second.url)
    assert Editor(first).text == "# still mine\n" + CAP
    second.reload()
    assert Editor(second).text == "# mine\n" + CAP
    # The refused save is an answer of the server, which the browser notes in its console.
    visitors.complaints[:] = [text for text in visitors.complaints if "409" not in text]


def test_requests_of_one_editor_do_not_exceed_the_limits(page: Page, place: Place) -> None:
    large = CAP + "# A note that makes this config a large one.\n" * 3000
    assert len(large) > CHEAP_TEXT
    place.apply(large)
    place.submit(m5("one"))
    statuses: dict[str, list[int]] = {"check": [], "hits": []}
    for name, seen in statuses.items():
        page.on(
            "response",
            lambda answer, name=name, seen=seen: (
                seen.append(answer.status) if answer.url.endswith(f"/edit/{name}") else None
            ),
        )
    page.goto(place.url("config/edit"))
    Editor(page).expect_hits({line_of(CAP, "- name: q-m5"): "1"})
    assert statuses == {"check": [200], "hits": [200]}


def test_editor_checks_or_counts_one_large_text_at_a_time(page: Page, place: Place) -> None:
    large = CAP + "# A note that makes this config a large one.\n" * 3000
    place.apply(large)
    place.submit(m5("one"))
    page.add_init_script(_SLOW_REQUESTS)
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    # The text changes while its first check is in progress, and again during the second check.
    editor.focus()
    editor.press("Control+Home")
    page.keyboard.insert_text("# first\n")
    page.wait_for_function("() => slow.sent.length === 2")
    page.keyboard.insert_text("# second\n")
    editor.expect_hits({line_of(CAP, "- name: q-m5") + 2: "1"})
    assert page.evaluate("slow.most") == 1
    assert page.evaluate("slow.sent") == [
        ["check", large],
        ["check", "# first\n" + large],
        ["check", "# first\n# second\n" + large],
        ["hits", "# first\n# second\n" + large],
    ]


@pytest.mark.parametrize("is_saved", [False, True], ids=["first save", "later save"])
def test_review_waits_for_a_save_in_progress(page: Page, place: Place, is_saved: bool) -> None:
    place.apply(CAP)
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.focus()
    editor.press("Control+Home")
    if is_saved:
        page.keyboard.insert_text("# first\n")
        editor.expect_saved()
    late: list[tuple[Route, APIResponse]] = []
    page.route(re.compile("/(save|begin)$"), lambda route: late.append((route, route.fetch())))
    with page.expect_request(re.compile("/(save|begin)$")):
        page.keyboard.insert_text("# second\n")
    # The server has saved the draft, and the response is on its way.
    for _ in range(600):
        if not late:
            page.wait_for_timeout(100)
    page.get_by_role("button", name="Review changes").click()
    ((save, answer),) = late
    save.fulfill(response=answer)
    expect(page).to_have_url(re.compile(r"/config/review\?draft=\d+$"))
    expect(page.get_by_role("button", name="Apply version 2")).to_be_visible()
    page.goto(place.url("config/drafts"))
    expect(page.locator("main tbody tr")).to_have_count(1)


def test_refused_hits_are_requested_again(visitors: Visitors, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("one"))
    page = visitors.page(place)
    refusal = {"status": 429, "headers": {"Retry-After": "1"}, "body": ""}
    page.route("**/edit/hits", lambda route: route.fulfill(**refusal), times=1)
    page.goto(place.url("config/edit"))
    Editor(page).expect_hits({line_of(CAP, "- name: q-m5"): "1"})
    # The browser notes the refusal in its console.
    visitors.complaints[:] = [text for text in visitors.complaints if "429" not in text]


def test_discarded_draft_keeps_the_text_in_the_other_window(
    visitors: Visitors, place: Place
) -> None:
    first, second = visitors.page(place, 0), visitors.page(place, 1)
    # As if the next sign of life were still to come.
    first.route("**/visit", lambda route: route.fulfill(json=_QUIET))
    first.goto(place.url("config/edit"))
    Editor(first).replace(CAP)
    Editor(first).expect_saved()
    second.goto(first.url)
    second.get_by_role("button", name="Take over").click()
    second.get_by_role("button", name="Discard draft").click()
    expect(second.get_by_role("status").first).to_contain_text("discarded")

    Editor(first).replace("# kept\n" + CAP)
    saved = first.locator("[data-saved]")
    expect(saved).to_contain_text("it was discarded, or applied")
    saved.get_by_role("button", name="Keep my text as a new draft").click()
    expect(first.get_by_role("status").first).to_contain_text("The draft is saved")
    assert Editor(first).text == "# kept\n" + CAP
    visitors.complaints[:] = [text for text in visitors.complaints if "404" not in text]


def test_editing_continues_after_signing_in_again(visitors: Visitors, place: Place) -> None:
    page = visitors.page(place)
    page.goto(place.url("config/edit"))
    Editor(page).replace(CAP)
    Editor(page).expect_saved()
    page.context.clear_cookies(name="sluice_session")
    Editor(page).replace("# later\n" + CAP)
    saved = page.locator("[data-saved]")
    expect(saved).to_contain_text("Not saved: you are signed out.")

    # Signing in creates a new CSRF token, which differs from that of this page.
    other = page.context.new_page()
    sign_in(other, place.base, PEOPLE[0], PASSWORD)
    expect(other).not_to_have_url(re.compile("/login"))
    Editor(page).expect_saved()
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))
    page.go_back()
    assert Editor(page).text == "# later\n" + CAP
    visitors.complaints[:] = [text for text in visitors.complaints if "401" not in text]


def test_draft_is_imported_and_exported_as_a_file(page: Page, place: Place) -> None:
    page.goto(place.url("config/drafts"))
    file = {"name": "cap.yaml", "mimeType": "text/yaml", "buffer": CAP.encode()}
    page.get_by_label("Config file").set_input_files(file)
    page.get_by_role("button", name="Create draft").click()
    expect(page).to_have_url(re.compile(r"/config/drafts/\d+$"))
    assert Editor(page).text == CAP
    expect(page.get_by_label("Draft title")).to_have_value("cap.yaml")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.path().read_text("utf-8") == CAP


def test_a_draft_has_its_tabs_with_its_first_save(page: Page, place: Place) -> None:
    place.apply(CAP)
    page.goto(place.url("config/edit"))
    expect(page.get_by_role("navigation", name="Config")).to_be_visible()
    review = page.get_by_role("button", name="Review changes")
    before = review.bounding_box()
    Editor(page).replace(CAP.replace("default: 50", "default: 60"))
    tabs = page.get_by_role("navigation", name="Draft")
    expect(tabs.get_by_role("link")).to_have_text(["Edit", "Review", "Impact", "Tests"])
    expect(page.get_by_role("navigation", name="Config")).to_be_hidden()
    after = review.bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == before["y"], "the page must not move under the pointer"
    tabs.get_by_role("link", name="Review").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))


def test_problems_stand_beside_the_text_and_f6_goes_to_them(page: Page, place: Place) -> None:
    place.apply(CAP)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(place.url("config/edit"))
    problems, text = page.get_by_role("region", name="Problems"), page.locator(".editor__ace")
    expect(problems).to_be_in_viewport()
    beside, edited = problems.bounding_box(), text.bounding_box()
    assert beside is not None
    assert edited is not None
    assert beside["x"] >= edited["x"] + edited["width"]
    assert edited["height"] > 400
    assert page.evaluate("document.documentElement.scrollHeight") <= 801
    Editor(page).focus()
    expect(page.locator(".ace_text-input")).to_be_focused()
    for pane in ("[data-problems]", "[data-context]", ".ace_text-input"):
        page.keyboard.press("F6")
        expect(page.locator(pane)).to_be_focused()

    page.set_viewport_size({"width": 1100, "height": 800})
    below, edited = problems.bounding_box(), text.bounding_box()
    assert below is not None
    assert edited is not None
    assert below["y"] >= edited["y"] + edited["height"]


def test_the_address_of_a_line_puts_the_cursor_there(page: Page, place: Place) -> None:
    place.apply(CAP)
    last = len(CAP.splitlines())
    page.goto(f"{place.url('config/edit')}#L{last}")
    assert page.locator(".editor__ace .ace_text-input").evaluate("input => input.matches(':focus')")
    position = "() => ace.edit(document.querySelector('.editor__ace')).getCursorPosition()"
    assert page.evaluate(position) == {"row": last - 1, "column": 0}
