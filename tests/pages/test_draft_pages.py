"""Draft pages: list, editing lock, takeover, uploads and requests of the editor's script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from console.configs.expectation_files import CODES as EXPECTATION_CODES
from console.configs.models import Draft
from console.configs.queries import get_draft
from console.configs.services.begin_draft import MOST_DRAFTS, begin_draft
from console.configs.services.save_draft import save_draft
from console.configs.services.visit_draft import leave_draft
from console.dialects import dialects
from console.dialects.catalogue import every_code
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, read_page

DRAFTS = "/o/here/config/drafts"
EDIT = "/o/here/config/edit"
WITHOUT_SELECTOR = (
    "All must hold on the workload's labels; without any, the rule matches every workload."
)


def post_json(browser: Client, path: str, **body: Any) -> HttpResponse:
    """Send a JSON request like the editor's script."""
    answer: HttpResponse = browser.post(path, json.dumps(body), content_type="application/json")
    return answer


def buttons(page: Element) -> list[str]:
    """Return the labels of the buttons in the content, without those that a script enables."""
    return [
        item.text
        for item in page.id("main").all("button")
        if item.text not in ("", "Switch to") and "hidden" not in item.attrs
    ]


def test_the_list_shows_authors_and_editors(
    config: None, editor: Actor, owner: Actor, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    left = begin_draft(editor, "native", "", base=0)
    leave_draft(editor, left.pk)
    begin_draft(editor, "native", CONFIG, base=1, title="Wider")
    rows = read_page(client_for(viewer).get(DRAFTS)).rows()
    assert [[re.sub(r" \d+ s$", "", cell) for cell in row[:4]] for row in rows] == [
        [f"Wider draft {left.pk + 1} · native", "v1", editor.name, f"{editor.name} for"],
        [f"Untitled draft draft {left.pk} · native", "no version v1 is active", editor.name, "—"],
    ]


def test_a_reader_sees_a_draft_and_may_change_nothing(
    config: None, editor: Actor, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    draft = begin_draft(editor, "native", CONFIG, base=1)
    browser = client_for(viewer)
    page = read_page(browser.get(f"{DRAFTS}/{draft.pk}"))
    assert buttons(page) == []
    assert "readonly" in page.all("textarea")[0].attrs
    assert f"{editor.name} has been editing this draft for" in page.id("main").text
    for do in ("save", "check", "review", "discard", "take", "copy", "seize"):
        answer = browser.post(f"{DRAFTS}/{draft.pk}", {"do": do, "text": "changed", "revision": 1})
        assert answer.status_code == 403, do
    assert post_json(browser, f"{DRAFTS}/{draft.pk}/visit").json() == {
        "revision": 1,
        "editor": {
            "id": editor.user.pk,
            "name": editor.name,
            "since": draft.editing_since.isoformat(),
        },
        "others": [],
    }
    assert browser.post(f"{DRAFTS}/{draft.pk}/leave").status_code == 204
    assert get_draft(draft.org, draft.pk).editor == editor.user


def test_another_member_takes_over_without_scripts(
    config: None, editor: Actor, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    draft = begin_draft(editor, "native", CONFIG, base=1)
    url = f"{DRAFTS}/{draft.pk}"
    first, second = client_for(editor), client_for(owner)
    assert buttons(read_page(second.get(url))) == ["Take over"]
    assert second.post(url, {"do": "take"}).status_code == 409
    assert second.post(url, {"do": "take", "seen": editor.user.pk}).headers["Location"] == url
    assert "Save draft" in buttons(read_page(second.get(url)))

    refused = first.post(url, {"do": "save", "text": "# mine\n", "revision": 1})
    page = read_page(refused)
    assert refused.status_code == 409
    assert f"{owner.name} edits this draft" in [title.text for title in page.all("h2")]
    assert page.id("text").text == "# mine"

    kept = first.post(url, {"do": "copy", "text": "# mine\n", "title": "Mine"})
    copy = Draft.objects.exclude(pk=draft.pk).get()
    assert kept.headers["Location"] == f"{DRAFTS}/{copy.pk}"
    assert (copy.text, copy.title, copy.author) == ("# mine\n", "Mine", editor.user)

    first.post(url, {"do": "seize", "seen": owner.user.pk, "text": "# mine\n", "revision": 1})
    now = get_draft(draft.org, draft.pk)
    assert (now.text, now.editor, now.revision) == ("# mine\n", editor.user, 2)


def test_discarding_leads_to_the_list_and_is_refused_to_others(
    config: None, editor: Actor, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    theirs = begin_draft(owner, "native", CONFIG, base=1)
    leave_draft(owner, theirs.pk)
    browser = client_for(editor)
    assert "Discard draft" not in buttons(read_page(browser.get(f"{DRAFTS}/{theirs.pk}")))
    assert browser.post(f"{DRAFTS}/{theirs.pk}", {"do": "discard"}).status_code == 403
    mine = begin_draft(editor, "native", CONFIG, base=1)
    answer = browser.post(f"{DRAFTS}/{mine.pk}", {"do": "discard"})
    assert answer.headers["Location"] == DRAFTS
    assert list(Draft.objects.all()) == [theirs]
    assert browser.get(f"{DRAFTS}/{mine.pk}").status_code == 404


def test_a_draft_of_another_organization_is_not_there(
    config: None, editor: Actor, other_org: Organization, outsider: Any, browser: Client
) -> None:
    theirs = begin_draft(Actor.from_user(other_org, outsider, "owner"), "native", "secret", base=0)
    for path in ("", "/text"):
        assert browser.get(f"{DRAFTS}/{theirs.pk}{path}").status_code == 404
    assert post_json(browser, f"{DRAFTS}/{theirs.pk}/visit").status_code == 404
    body = {"dialect": "native", "text": "", "base": 0, "revision": 1}
    assert post_json(browser, f"{DRAFTS}/{theirs.pk}/save", **body).status_code == 404


def test_a_file_becomes_a_draft_in_the_language_it_looks_like(
    config: None, browser: Client
) -> None:
    kueue = dialects()["kueue"].samples()["Two teams share one cohort"]
    sent = SimpleUploadedFile(
        "cluster.yaml", b"\xef\xbb\xbf" + kueue.replace("\n", "\r\n").encode()
    )
    answer = browser.post(DRAFTS, {"file": sent, "dialect": ""})
    draft = Draft.objects.get()
    assert answer.headers["Location"] == f"{DRAFTS}/{draft.pk}"
    assert (draft.dialect, draft.title, draft.base) == ("kueue", "cluster.yaml", 1)
    assert draft.text == kueue
    back = browser.get(f"{DRAFTS}/{draft.pk}/text")
    assert back.content.decode() == kueue
    assert back.headers["Content-Disposition"] == (
        f'attachment; filename="here-draft-{draft.pk}.yaml"'
    )


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "Choose a config file first."),
        ({"file": b"\xff\xfe"}, "config.yaml is not UTF-8 text"),
        ({"file": b"a: \x00"}, "NUL"),
        ({"file": b"#" * 8_000_001}, "config.yaml is too large"),
    ],
)
def test_a_file_that_is_no_text_is_refused(
    sent: dict[str, bytes], said: str, config: None, browser: Client
) -> None:
    files = {name: SimpleUploadedFile("config.yaml", data) for name, data in sent.items()}
    answer = browser.post(DRAFTS, files)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Draft.objects.exists()


def test_the_number_of_drafts_is_limited(config: None, editor: Actor, browser: Client) -> None:
    first = begin_draft(editor, "native", "", base=0)
    Draft.objects.bulk_create(
        Draft(org=first.org, author=first.author, dialect="native") for _ in range(MOST_DRAFTS - 1)
    )
    answer = browser.post(EDIT, {"do": "save", "text": "{}"})
    assert answer.status_code == 409
    assert "Discard one first" in answer.content.decode()
    page = read_page(browser.get(DRAFTS))
    assert len(page.rows()) == 50
    assert [link.text for link in page.all("a", rel="next")] == ["Next page"]


def test_the_editor_opens_the_active_text_and_offers_the_earlier_draft(
    config: None, editor: Actor, owner: Actor, browser: Client
) -> None:
    def offered() -> list[tuple[str, str]]:
        page = read_page(browser.get(EDIT))
        assert page.id("text").text == " ".join(CONFIG.split())
        notices = [each for each in page.all("div", class_="notice") if "You have a" in each.text]
        return [(link.text, link.attrs["href"]) for notice in notices for link in notice.all("a")]

    assert offered() == []
    begin_draft(editor, "native", "", base=0)
    assert offered() == []
    mine = begin_draft(owner, "native", "", base=0, title="Wider")
    assert offered() == [
        (f"Continue draft {mine.pk}", f"{DRAFTS}/{mine.pk}"),
        ("Compare", f"/o/here/config/compare?draft={mine.pk}"),
    ]
    page = read_page(browser.get(EDIT))
    (notice,) = [each for each in page.all("div", class_="notice") if "You have" in each.text]
    assert notice.text.startswith("You have a draft, Wider, saved")
    assert "based on no version" in notice.text
    assert f"Discard draft {mine.pk}" in buttons(page)
    discarded = browser.post(f"{DRAFTS}/{mine.pk}", {"do": "discard", "then": "edit"})
    assert discarded.headers["Location"] == EDIT
    assert offered() == []


def test_only_an_owner_is_offered_to_discard_the_draft_of_another_member(
    config: None, editor: Actor, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    theirs = begin_draft(owner, "native", CONFIG, base=1)
    leave_draft(owner, theirs.pk)
    save_draft(editor, theirs.pk, "native", f"{CONFIG}# more\n", 1, 2)
    assert f"Discard draft {theirs.pk}" not in buttons(read_page(client_for(editor).get(EDIT)))
    assert f"Discard draft {theirs.pk}" in buttons(read_page(client_for(owner).get(EDIT)))


def test_the_outline_without_scripts_tells_problems_and_hits(world: World, browser: Client) -> None:
    sent = {"do": "check", "text": CONFIG, "dialect": "native"}
    page = read_page(browser.post(EDIT, sent))
    entries = [item.text for item in page.walk() if item.attrs.get("class") == "outline__entry"]
    # The huge workload can never fit, and no rule matches the ones without a team.
    assert [entry.partition(" has a problem: ")[2].partition(" ")[0] for entry in entries] == [
        "",
        "warning",
        "",
        "",
        "warning",
    ]
    assert [re.sub(" has a problem: [a-z]+", "", entry) for entry in entries] == [
        "spot line 2",
        "research 4 workloads line 5",
        "default 1 workload line 12",
        "1 → research 4 workloads line 14",
        "2 → default 1 workload line 17",
    ]
    note = next(item for item in page.walk() if "data-hits-note" in item.attrs)
    assert note.text == "Workloads of the last 7 days by object, 6 in total."


def test_hits_are_counted_under_the_text_in_the_editor(world: World, browser: Client) -> None:
    moved = CONFIG.replace(
        "values: [research] }]\n    resource_queue: research",
        "values: [web] }]\n    resource_queue: research",
    )
    answer = post_json(browser, f"{EDIT}/hits", seq=3, dialect="native", text=moved).json()
    counted = {
        (group["kind"], entry["title"]): entry["hits"]
        for group in answer["outline"]
        for entry in group["entries"]
    }
    assert (answer["seq"], answer["runs"], answer["nowhere"], answer["days"]) == (3, 6, 1, 7)
    assert counted == {
        ("flavor", "spot"): None,
        ("queue", "research"): 1,
        ("queue", "default"): 4,
        ("rule", "1 → research"): 1,
        ("rule", "2 → default"): 4,
    }
    broken = post_json(browser, f"{EDIT}/hits", seq=4, dialect="native", text=moved + "x: [").json()
    assert (broken["runs"], broken["outline"][0]["entries"][0]["hits"]) == (None, None)


def test_the_check_has_an_outline_with_the_worst_problem(config: None, browser: Client) -> None:
    text = CONFIG.replace("resource_queue: default", "resource_queue: defalt")
    answer = post_json(browser, f"{EDIT}/check", seq=1, dialect="native", text=text).json()
    rules = next(group for group in answer["outline"] if group["kind"] == "rule")
    assert [(entry["title"], entry["line"], entry["severity"]) for entry in rules["entries"]] == [
        ("1 → research", 14, ""),
        ("2 → defalt", 17, "error"),
    ]


def test_every_code_is_explained_and_findings_lead_there(config: None, browser: Client) -> None:
    page = read_page(browser.get("/o/here/config/codes"))
    ids = {item.attrs.get("id") for item in page.walk()}
    assert {code.code for code in (*every_code(), *EXPECTATION_CODES)} <= ids
    text = CONFIG.replace("resource_queue: default", "resource_queue: defalt")
    checked = read_page(browser.post(EDIT, {"do": "check", "text": text, "dialect": "native"}))
    (problem,) = checked.all("li", class_="problem")
    (link,) = problem.all("a")
    assert link.attrs["href"] == f"/docs/diagnostics/#{link.text}"
    assert link.text in ids
    (finding,) = post_json(browser, f"{EDIT}/check", seq=1, dialect="native", text=text).json()[
        "diagnostics"
    ]
    assert (finding["doc_url"], finding["live"]) == (link.attrs["href"], False)


def test_the_panel_tells_of_the_key_the_queue_and_who_refers_to_it(
    world: World, browser: Client
) -> None:
    sent = {"dialect": "native", "text": CONFIG, "line": 5, "column": 6}
    page = read_page(post_json(browser, f"{EDIT}/context", **sent))
    assert [title.text for title in page.all("h3")] == ["name", "Queue research"]
    said = " ".join(item.text for item in page.all("p"))
    assert "The queue's other fields can never change under this name." in said
    assert "1 running, 2 pending" in said
    assert [button.text for button in page.all("button")] == [
        "line 5",
        "rule 1 → research, line 15",
    ]
    assert [link.attrs["href"] for link in page.all("a")] == ["/o/here/queues/research"]
    rule = read_page(post_json(browser, f"{EDIT}/context", **sent | {"line": 14, "column": 1}))
    assert [title.text for title in rule.all("h3")] == ["Rule 1 → research"]


@pytest.mark.parametrize("odd", ["\0", "\ud800"])
def test_the_panel_shows_what_no_page_and_no_database_can_hold_as_unknown(
    odd: str, config: None, browser: Client
) -> None:
    sent = {"dialect": "native", "line": 2, "column": 12}
    text = f"resource_queues:\n  - name: a{odd}b\n"
    page = read_page(post_json(browser, f"{EDIT}/context", **sent, text=text))
    assert [title.text for title in page.all("h3")] == ["name", "Queue a\N{REPLACEMENT CHARACTER}b"]
    assert "No queue of this name is active." in [item.text for item in page.all("p")]


def test_a_save_that_cannot_be_made_says_why(config: None, editor: Actor, browser: Client) -> None:
    begun = begin_draft(editor, "native", CONFIG, base=1)
    sent = {"dialect": "native", "text": "a\0b", "base": 1, "revision": 1}
    refused = post_json(browser, f"{DRAFTS}/{begun.pk}/save", **sent, title="x" * 501)
    assert (refused.status_code, refused.json()) == (
        400,
        {
            "code": "invalid_request",
            "detail": "text: NUL and single surrogates cannot be stored; remove them. "
            "title: At most 500 characters; this one has 501.",
        },
    )


def test_a_draft_that_was_begun_by_a_check_is_checked_again(config: None, browser: Client) -> None:
    sent = {"do": "check", "dialect": "native", "text": CONFIG + "# one\n", "base": 1}
    begun = read_page(browser.post(EDIT, sent)).id("editor").attrs["action"]
    sent |= {"text": CONFIG + "# two\n", "revision": 1}
    again = read_page(browser.post(begun, sent)).id("editor").attrs["action"]
    draft = Draft.objects.get()
    assert begun == again == f"{DRAFTS}/{draft.pk}"
    assert (draft.text, draft.revision) == (CONFIG + "# two\n", 2)


def test_an_example_that_is_not_there_takes_no_text_away(config: None, browser: Client) -> None:
    browser.post(EDIT, {"do": "save", "dialect": "native", "text": CONFIG})
    draft = Draft.objects.get()
    sent = {"do": "sample", "dialect": "native", "sample": "Gone", "revision": draft.revision}
    answer = browser.post(f"{DRAFTS}/{draft.pk}", sent)
    assert answer.status_code == 404
    assert "This example does not exist" in read_page(answer).text
    assert get_draft(draft.org, draft.pk).text == CONFIG


def test_completion_and_help_are_answered_to_every_reader(
    config: None, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(viewer)
    sent = {"seq": 2, "dialect": "native", "text": CONFIG + "  - r", "line": 19, "column": 6}
    answer = post_json(browser, f"{EDIT}/complete", **sent).json()
    assert answer == {
        "seq": 2,
        "completions": [
            {
                "label": "resource_queue",
                "insert": "resource_queue: ",
                "kind": "required key",
                "lines": ["A queue of resource_queues.", "The name of a queue.", "Required."],
            },
            {
                "label": "selector",
                "insert": "selector:",
                "kind": "key",
                "lines": [
                    WITHOUT_SELECTOR,
                    "A list.",
                ],
            },
            {
                "label": "priority_policy",
                "insert": "priority_policy:",
                "kind": "key",
                "lines": ["The priority the rule gives and accepts.", "A mapping."],
            },
        ],
    }
    told = post_json(browser, f"{EDIT}/explain", **sent | {"line": 16, "column": 60}).json()
    assert told["help"] == {
        "line": 16,
        "column": 55,
        "end_column": 67,
        "title": "on_violation",
        "lines": [
            "Reject tries the next rule, force_update clamps.",
            "One of: reject, force_update.",
            "Default: reject.",
        ],
    }
    assert post_json(browser, f"{EDIT}/explain", **sent | {"line": 99}).json()["help"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"dialect": "native"},
        {"dialect": "native", "text": "", "line": 0, "column": 1},
        {"dialect": "native", "text": "", "line": "1", "column": 1},
        {"dialect": "cobol", "text": "", "line": 1, "column": 1},
    ],
)
def test_invalid_requests_are_refused(body: dict[str, Any], config: None, browser: Client) -> None:
    for path in ("complete", "explain", "context"):
        assert post_json(browser, f"{EDIT}/{path}", **body).status_code == 400
