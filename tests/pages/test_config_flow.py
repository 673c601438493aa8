"""The config workflow from the first draft to a rollback, without scripts."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client

from console.configs.models import Draft
from console.configs.queries import latest_draft
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version
from tests.pages.conftest import CONFIG
from tests.pages.page import Element, read_page

EDIT = "/o/here/config/edit"
REVIEW = "/o/here/config/review"
CONFLICT = "/o/here/config/conflict"
#: Changes the flavor, which WIDER leaves alone.
SHARED = CONFIG.replace("[research] }]", "[research, labs] }]", 1)
WIDER = CONFIG.replace("max: 100", "max: 200")


def fields(page: Element, form_id: str = "editor") -> dict[str, str]:
    """Return the fields that a browser would submit with the editor's form."""
    form = page.id(form_id)
    values = {
        item.attrs["name"]: item.attrs.get("value", "")
        for item in form.all("input")
        if item.attrs.get("name", "csrfmiddlewaretoken") != "csrfmiddlewaretoken"
    }
    area = form.all("textarea")[0]
    # A browser drops the line break after the start tag; the page relies on this.
    text = "".join(child for child in area.children if isinstance(child, str))
    return values | {"text": text.removeprefix("\n")}


def send(browser: Client, do: str, text: str | None = None):
    """Open the editor, change its text and press a button."""
    page, url = open_editor(browser)
    values = fields(page)
    if text is not None:
        values["text"] = text.replace("\n", "\r\n")
    return browser.post(url, values | {"do": do})


def open_editor(browser: Client) -> tuple[Element, str]:
    """Return the page of the user's draft or of the active text, and its address."""
    page = read_page(browser.get(EDIT))
    drafts = [link for link in page.all("a") if link.text.startswith("Continue draft")]
    if not drafts:
        return page, EDIT
    url = drafts[0].attrs["href"]
    return read_page(browser.get(url)), url


def is_draft_of(answer: HttpResponse, page: str) -> bool:
    """Return whether *answer* redirects to *page* of the only draft."""
    return answer.headers["Location"] == f"{page}?draft={Draft.objects.get().pk}"


def apply_form(page: Element) -> dict[str, str | list[str]]:
    """Return the hidden values of the review's form, and every consequence ticked."""
    form = next(form for form in page.id("main").all("form") if form.all("input", id="message"))
    ticked = [item.attrs["value"] for item in form.all("input", name="accept")]
    hidden = {
        item.attrs["name"]: item.attrs["value"]
        for item in form.all("input")
        if item.attrs["name"] not in ("csrfmiddlewaretoken", "typed", "accept")
    }
    return {**hidden, "accept": ticked}


def conflict_form(page: Element) -> dict[str, str]:
    """Return the hidden values of the form of a conflict."""
    form = next(form for form in page.id("main").all("form") if form.all("input", name="onto"))
    return {
        item.attrs["name"]: item.attrs["value"]
        for item in form.all("input", type="hidden")
        if item.attrs["name"] != "csrfmiddlewaretoken"
    }


def changes(page: Element) -> list[str]:
    """Return the sentences about a change, without their details."""
    return [
        f"{item.all('span', class_='change__sign')[0].text} {item.all('p')[0].text}"
        for item in page.walk()
        if item.attrs.get("class") == "change"
    ]


def test_from_an_empty_organization_to_a_rollback(
    org: Organization, owner: Actor, browser: Client
) -> None:
    empty = read_page(browser.get(EDIT))
    samples = [
        form.all("h3")[0].text for form in empty.walk() if form.attrs.get("class") == "sample"
    ]
    assert samples == [
        "Cap one instance type",
        "Share research GPUs by priority",
        "Guard a capacity reservation",
        "Queues of a team, and a burst queue",
        "Departments of a lab, with nodes",
        "A burst queue beside a guaranteed one",
        "Two teams share one cohort",
        "Forty queues, as kubectl prints them",
        "Two clusters, dev and staging",
        "Clusters by purpose and location, with a template",
        "Namespaces, limits and templates",
        "Teams with priorities and preemption",
        "Several partitions",
    ]
    assert browser.post(EDIT, {"do": "sample", "sample": samples[1]}).status_code == 302

    wrong = read_page(send(browser, "check", CONFIG.replace("gpu]", "gpus]")))
    assert wrong.all("li", class_="problem")[0].text == (
        '"gpus" is not a resource; use gpu, cpu, memory_gb or tpu. '
        'Did you mean "gpu"? '
        "NAT003 · line 8, column 29 · resource_queues[0].resource_groups[0].covered_resources[0]"
    )
    assert is_draft_of(send(browser, "review", CONFIG.replace("gpu]", "gpus]")), REVIEW)
    refused = read_page(browser.get(REVIEW))
    assert refused.id("errors-title").text == "This text cannot be applied yet"
    assert not [button for button in refused.all("button") if button.text.startswith("Apply")]

    send(browser, "review", CONFIG)
    review = read_page(browser.get(REVIEW))
    assert changes(review) == [
        "+ Flavor spot added",
        "+ Queue research added",
        "+ Queue default added",
        "+ Rule 1 to research added",
        "+ Rule 2 to default added",
    ]
    done = browser.post(REVIEW, apply_form(review) | {"message": "the first"})
    assert done.headers["Location"] == "/o/here/config/v/1?applied=1"
    assert read_page(browser.get(done.headers["Location"])).all("h1")[0].text == "Config version 1"
    assert latest_draft(org, owner.user) is None

    send(browser, "review", WIDER)
    review = read_page(browser.get(REVIEW))
    assert changes(review) == ["~ Rule 1 to research changed"]
    browser.post(REVIEW, apply_form(review) | {"message": "wider"})

    back = read_page(browser.get(f"{REVIEW}?to=1"))
    assert back.all("h1")[0].text == "Roll back to version 1"
    cancel = [each for each in back.all("a") if each.text == "Cancel"]
    assert [each.attrs["href"] for each in cancel] == ["/o/here/config/history"]
    browser.post(REVIEW, apply_form(back))
    now = active_version(org)
    assert now is not None
    assert (now.number, now.text, now.kind, now.rolled_back_to, now.message) == (
        3,
        CONFIG,
        "rollback",
        1,
        "Roll back to version 1",
    )
    history = read_page(browser.get("/o/here/config/history")).rows()
    by = f"{owner.name}, in the browser"
    later = "Effect after 24 h: no data yet"
    assert [row[1:5] for row in history] == [
        [
            "v3 Active Rolled back to version 1",
            f"Roll back to version 1 {by}",
            "~ Rule 1 to research: highest priority 200 → 100 (−100)",
            later,
        ],
        [
            "v2 Applied",
            f"wider {by}",
            "~ Rule 1 to research: highest priority 100 → 200 (+100)",
            later,
        ],
        [
            "v1 Applied",
            f"the first {by}",
            "+ Flavor spot added; + Queue research added; + Queue default added; and 2 more",
            later,
        ],
    ]


def test_a_faster_apply_is_answered_with_409_and_a_merge(
    config: None, org: Organization, owner: Actor, browser: Client
) -> None:
    send(browser, "review", WIDER)
    form = apply_form(read_page(browser.get(REVIEW)))
    apply_config(owner, "native", SHARED, "labs too", 1)

    answer = browser.post(REVIEW, form | {"message": "wider"})
    page = read_page(answer)
    assert (answer.status_code, page.all("h1")[0].text) == (409, "The active version has changed")
    newer = page.all("section", **{"aria-labelledby": "newer-title"})[0]
    assert [link.text for link in newer.all("a")] == ["v2"]
    assert "labs too" in newer.text
    assert owner.name in newer.text
    yours = page.all("section", **{"aria-labelledby": "yours-title"})[0].rows()
    assert [row[2:] for row in yours if len(row) == 4 and row[2]] == [
        ["−", "priority_policy: { default: 50, min: 0, max: 100 , on_violation: reject }"],
        ["+", "priority_policy: { default: 50, min: 0, max: 200 , on_violation: reject }"],
    ]
    assert active_version(org).number == 2

    assert is_draft_of(browser.get(REVIEW), CONFLICT)
    form = conflict_form(read_page(browser.get(CONFLICT)))
    assert is_draft_of(browser.post(CONFLICT, form | {"do": "merge"}), REVIEW)
    review = read_page(browser.get(REVIEW))
    assert changes(review) == ["~ Rule 1 to research changed"]
    browser.post(REVIEW, apply_form(review))
    assert active_version(org).text == SHARED.replace("max: 100", "max: 200")


def test_only_the_reviewed_text_is_applied(
    config: None, org: Organization, browser: Client
) -> None:
    send(browser, "review", WIDER)
    form = apply_form(read_page(browser.get(REVIEW)))
    send(browser, "save", WIDER + "# one more line\n")
    answer = browser.post(REVIEW, form)
    assert (answer.status_code, active_version(org).number) == (409, 1)
    assert "saved after you opened this review" in read_page(answer).id("main").text


def test_two_windows_do_not_overwrite_each_other(
    config: None, org: Organization, owner: Actor, browser: Client
) -> None:
    send(browser, "save", WIDER)
    page, url = open_editor(browser)
    one = fields(page)
    browser.post(url, one | {"do": "save", "text": "# one\n"})
    answer = browser.post(url, one | {"do": "save", "text": "# two\n"})
    page = read_page(answer)
    assert (answer.status_code, fields(page)["text"]) == (409, "# two\n")
    assert [row[2:] for row in page.id("main").rows()] == [["−", "# one"], ["+", "# two"]]
    assert latest_draft(org, owner.user).text == "# one\n"
    browser.post(url, fields(page) | {"do": "save"})
    assert latest_draft(org, owner.user).text == "# two\n"


def test_discarding_a_draft_leads_back_to_the_active_text(
    config: None, org: Organization, owner: Actor, browser: Client
) -> None:
    send(browser, "save", WIDER)
    send(browser, "discard")
    assert latest_draft(org, owner.user) is None
    assert fields(read_page(browser.get(EDIT)))["text"] == CONFIG


def test_an_old_version_opens_as_a_draft_on_the_active_one(
    config: None, org: Organization, owner: Actor, browser: Client
) -> None:
    apply_config(owner, "native", WIDER, "", 1)
    browser.post(EDIT, {"do": "from", "version": "1"})
    draft = latest_draft(org, owner.user)
    assert draft is not None
    assert (draft.base, draft.text) == (2, CONFIG)


def test_an_editor_drafts_and_an_owner_applies(
    config: None, org: Organization, editor: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(editor)
    send(browser, "review", WIDER)
    page = read_page(browser.get(REVIEW))
    assert not page.all("input", id="message")
    assert "your role is editor" in page.id("main").text
    assert browser.post(REVIEW, {"expected_version": "1", "revision": "1"}).status_code == 403
    assert active_version(org).number == 1


def post_json(browser: Client, path: str, body: object):
    """Send a JSON request like the editor's script."""
    return browser.post(path, json.dumps(body), content_type="application/json")


def test_the_script_checks_text_and_gets_its_number_back(config: None, browser: Client) -> None:
    answer = post_json(
        browser, f"{EDIT}/check", {"seq": 7, "dialect": "native", "text": "resource_queue: []\n"}
    ).json()
    found = answer["diagnostics"][0]
    assert (answer["seq"], answer["ok"], found["range"], [f["title"] for f in found["fixes"]]) == (
        7,
        False,
        {"line": 1, "column": 1, "end_line": 1, "end_column": 15},
        ['Replace with "resource_queues"'],
    )


COHORT = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: { name: a }\n"


def test_a_text_in_another_language_is_one_button_away_from_it(browser: Client) -> None:
    sent = {"seq": 1, "dialect": "native", "text": COHORT}
    check = f"{EDIT}/check"
    assert post_json(browser, check, sent).json()["likely"] == {"name": "kueue", "title": "Kueue"}
    assert post_json(browser, check, sent | {"dialect": "kueue"}).json()["likely"] is None
    assert post_json(browser, check, sent | {"text": ""}).json()["likely"] is None

    send(browser, "save", COHORT)
    page, url = open_editor(browser)
    (button,) = [item for item in page.all("button") if item.attrs.get("name") == "likely"]
    assert (button.text, button.attrs["value"]) == ("Switch to Kueue", "kueue")
    read = read_page(browser.post(url, fields(page) | {"likely": "kueue"}))
    assert [item.text for item in read.id("editor").all("option") if "selected" in item.attrs] == [
        "Kueue"
    ]
    (problem,) = read.all("li", class_="problem")
    assert "KUE059 · line 3, column 19 · metadata.name" in problem.text


def test_the_script_saves_and_learns_of_another_window(config: None, browser: Client) -> None:
    body = {"dialect": "native", "text": "{}", "base": 1, "title": "Shorter"}
    first = post_json(browser, f"{EDIT}/begin", body)
    begun = first.json()
    url = begun["page"]
    assert (first.status_code, begun["revision"]) == (200, 1)
    second = post_json(browser, f"{url}/save", body | {"revision": 1})
    late = post_json(browser, f"{url}/save", body | {"text": "late", "revision": 1})
    assert (second.status_code, second.json()["revision"]) == (200, 2)
    assert (late.status_code, late.json()["code"]) == (409, "stale_draft")
    gone = post_json(browser, "/o/here/config/drafts/99/save", body | {"revision": 1})
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"text": 1}', '{"dialect": "x", "text": ""}', "[" * 100_000]
)
def test_invalid_requests_of_the_script_are_refused(
    body: str, config: None, browser: Client
) -> None:
    send(browser, "save", WIDER)
    _, url = open_editor(browser)
    for path in (f"{EDIT}/check", f"{EDIT}/begin", f"{url}/save"):
        answer = browser.post(path, body, content_type="application/json")
        assert answer.status_code == 400


@pytest.mark.parametrize("expected", ["", "x", "-1", "1e3"])
def test_a_review_without_its_base_is_refused(expected: str, config: None, browser: Client) -> None:
    answer = browser.post(REVIEW, {"to": "1", "expected_version": expected})
    assert answer.status_code == 400


def test_lines_of_a_version_can_be_pointed_at(config: None, browser: Client) -> None:
    page = read_page(browser.get("/o/here/config/v/1"))
    lines = [line for line in page.walk() if line.attrs.get("class") == "source__line"]
    assert [line.attrs["id"] for line in lines] == [
        f"L{number}" for number in range(1, CONFIG.count("\n") + 1)
    ]
    assert [line.all("code")[0].text for line in lines[:4]] == [
        "resource_flavors:",
        "- name: spot",
        "selector: [{ key: team, operator: in, values: [research] }]",
        "resource_queues:",
    ]


def test_the_form_for_two_versions_leads_to_their_comparison(config: None, browser: Client) -> None:
    answer = browser.get("/o/here/config/compare", {"a": "v1", "b": "1"})
    assert answer.headers["Location"] == "/o/here/config/compare/1...1"
    assert browser.get("/o/here/config/compare", {"a": "x", "b": "1"}).status_code == 400


def test_a_dump_of_another_language_from_the_example_to_a_version(browser: Client) -> None:
    title = "Forty queues, as kubectl prints them"
    assert (
        browser.post(EDIT, {"do": "sample", "dialect": "kueue", "sample": title}).status_code == 302
    )

    page, _ = open_editor(browser)
    languages = page.id("editor").all("option")
    assert [(item.text, "selected" in item.attrs) for item in languages] == [
        ("KAI", False),
        ("Kueue", True),
        ("Native", False),
        ("SkyShift", False),
        ("YuniKorn", False),
    ]
    assert is_draft_of(send(browser, "review"), REVIEW)

    review = read_page(browser.get(REVIEW))
    told = changes(review)
    assert len(told) == 4 + 5 + 40 + 40 + 3 + 40 + 1
    assert [told[i] for i in (0, 4, 9, 49, 89, 92, 132)] == [
        "+ Flavor on-demand added",
        "+ Cohort organization added",
        "+ Queue research-01 added",
        "+ Local queue research-01/main added",
        "+ Priority class production added",
        "+ Namespace research-01 added",
        "~ Settings of admission changed",
    ]
    done = browser.post(REVIEW, apply_form(review) | {"message": "from the cluster"})
    assert done.headers["Location"] == "/o/here/config/v/1?applied=1"
    shown = read_page(browser.get(done.headers["Location"]))
    assert "kueue" in " ".join(item.text for item in shown.all("p"))
    for path in ("", "queues", "queues/vision-01", "cohorts", "cohorts/research", "config/edit"):
        assert browser.get(f"/o/here/{path}").status_code == 200
