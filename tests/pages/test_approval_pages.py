"""Pages of review requests and of the required approval, without scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from console.configs.models import Draft, ReviewRequest
from console.configs.services.begin_draft import begin_draft
from console.configs.services.request_review import request_review
from console.orgs.permissions import Actor
from console.orgs.services.set_approval import set_approval
from console.policies.queries import active_version
from tests.pages.conftest import World
from tests.pages.test_review_pages import WIDER, active, buttons, form_fields, opened

REVIEWS = "/o/here/config/reviews"
REVIEW = "/o/here/config/review"


@pytest.fixture
def guarded(world: World, owner: Actor) -> Actor:
    """Return the owner of an organization in which changes need approval."""
    set_approval(owner, required=True)
    return owner


def test_comments_are_shown_and_written_at_their_line(
    guarded: Actor, editor: Actor, browser: Client
) -> None:
    text = WIDER + "# a line far away\n" * 40 + "# the end\n"
    review = request_review(editor, "native", text, 1)
    one = f"{REVIEWS}/{review.pk}"
    page = opened(browser, one)
    last = len(text.splitlines())
    (link,) = [
        each for each in page.all("a") if each.attrs.get("aria-label") == f"Comment on line {last}"
    ]
    assert link.attrs["href"] == f"{one}?line={last}#line-form"
    page = opened(browser, link.attrs["href"].partition("#")[0])
    form = page.id("line-form").all("form")[0]
    assert form.attrs["action"] == one
    sent = browser.post(one, {"do": "comment", "text": "Why?", "line": str(last)})
    assert sent.headers["Location"] == one

    # A line that is not changed is shown for its comment.
    assert browser.post(one, {"do": "comment", "text": "Keep this", "line": "1"}).status_code == 302
    page = opened(browser, one)
    notes = [item.text for item in page.all("tr", class_="diff__comment")]
    assert len(notes) == 2
    assert [text.rpartition(" ")[2] for text in notes] == ["this", "Why?"]
    rows = page.all("tr")
    places = [
        row.attrs.get("id") or "comment"
        for row in rows
        if "id" in row.attrs or row.attrs.get("class") == "diff__comment"
    ]
    assert places[places.index("L1") + 1] == "comment"
    assert places[places.index(f"L{last}") + 1] == "comment"
    (at,) = [each for each in page.id("comments").all("a") if each.text == f"line {last}"]
    assert at.attrs["href"] == f"#L{last}"
    assert "Why?" not in page.id("comments").text
    for line in ("0", "abc", str(last + 1)):
        assert not opened(browser, f"{one}?line={line}").all("tr", id="line-form")


def test_waiting_reviews_are_counted_for_those_who_may_decide(
    guarded: Actor, editor: Actor, browser: Client, client_for: Callable[[Actor], Client]
) -> None:
    request_review(editor, "native", WIDER, 1)
    page = opened(browser, "/o/here/")
    assert "1 review waits for you." in page.id("main").text
    assert [each.text for each in page.all("span", class_="rail__count")] == [
        "1 review waits for you"
    ]
    request_review(editor, "native", WIDER + "# more\n", 1)
    assert "2 reviews wait for you." in opened(browser, "/o/here/").id("main").text
    theirs = opened(client_for(editor), "/o/here/")
    assert not theirs.all("span", class_="rail__count")
    set_approval(guarded, required=False)
    assert not opened(browser, "/o/here/").all("span", class_="rail__count")


def test_a_draft_goes_from_review_to_apply(
    guarded: Actor, editor: Actor, browser: Client, client_for: Callable[[Actor], Client]
) -> None:
    theirs = client_for(editor)
    draft = begin_draft(editor, "native", WIDER, 1, "A wider range")
    page = opened(browser, f"{REVIEW}?draft={draft.pk}")
    assert "need approval by another member" in page.id("main").text
    assert "Submit for review" in buttons(page)
    assert not page.all("input", name="expected_version")

    Draft.objects.update(editor=None, editing_since=None)
    sent = theirs.post(REVIEWS, {"draft": draft.pk, "revision": 1})
    review = ReviewRequest.objects.get()
    one = f"{REVIEWS}/{review.pk}"
    assert sent.headers["Location"] == one
    assert "Approve" not in buttons(opened(theirs, one))
    assert theirs.post(one, {"do": "approve"}).status_code == 403
    assert theirs.post(one, {"do": "comment", "text": "See line 2", "line": "2"}).status_code == 302

    page = opened(browser, one)
    assert buttons(page) == ["Comment", "Approve", "Request changes", "Withdraw request"]
    assert f"{editor.name} commented at line 2" in page.id("comments").text
    assert browser.post(one, {"do": "approve"}).status_code == 302
    assert "Review and apply" in opened(browser, one).id("main").text

    page = opened(browser, f"{REVIEW}?request={review.pk}")
    assert f"Approved by {guarded.name}" in page.id("main").text
    done = browser.post(REVIEW, form_fields(page) | {"message": "Wider"})
    assert done.status_code == 302
    assert (active(guarded.org).number, active(guarded.org).text) == (2, WIDER)
    # Its draft is discarded, and the request can no longer be applied.
    assert not Draft.objects.exists()
    gone = browser.get(f"{REVIEW}?request={review.pk}")
    assert gone.headers["Location"] == one
    assert "can no longer be applied" in opened(browser, one).id("main").text


def test_a_forged_apply_is_refused(guarded: Actor, browser: Client) -> None:
    draft = begin_draft(guarded, "native", WIDER, 1)
    sent = {"draft": draft.pk, "revision": 1, "expected_version": 1, "accept": "warnings_added"}
    answer = browser.post(REVIEW, sent)
    assert answer.status_code == 409
    assert "Submit the text for review" in answer.content.decode()
    assert active(guarded.org).number == 1


def test_the_quota_form_submits_for_review(guarded: Actor, browser: Client) -> None:
    form = "/o/here/queues/research/quota"
    page = opened(browser, form)
    assert "Submit for review" in buttons(page)
    field = next(each for each in page.id("main").all("input") if each.attrs.get("value") == "8")
    sent = {"expected_version": "1", "do": "apply", "message": "Half", field.attrs["name"]: "4"}
    answer = browser.post(form, sent)
    review = ReviewRequest.objects.get()
    assert answer.headers["Location"] == f"{REVIEWS}/{review.pk}"
    assert (review.title, review.base, "nominal_quota: 4" in review.text) == ("Half", 1, True)
    assert active(guarded.org).number == 1


def test_a_rollback_asks_for_a_reason(guarded: Actor, browser: Client) -> None:
    set_approval(guarded, required=False)
    draft = begin_draft(guarded, "native", WIDER, 1)
    browser.post(REVIEW, {"draft": draft.pk, "revision": 1, "expected_version": 1})
    set_approval(guarded, required=True)
    page = opened(browser, f"{REVIEW}?to=1")
    assert "state the reason" in page.id("main").text
    sent = form_fields(page)
    assert sent["message"] == ""
    refused = browser.post(REVIEW, sent)
    assert refused.status_code == 422
    assert "needs a reason" in refused.content.decode()
    assert browser.post(REVIEW, sent | {"message": "It blocks labs"}).status_code == 302
    assert active(guarded.org).number == 3


def test_owners_change_the_setting(
    world: World,
    owner: Actor,
    editor: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    page = opened(browser, "/o/here/settings/approval")
    assert buttons(page) == ["Save"]
    theirs = client_for(editor)
    assert buttons(opened(theirs, "/o/here/settings/approval")) == []
    assert theirs.post("/o/here/settings/approval", {"required": "on"}).status_code == 403
    assert browser.post("/o/here/settings/approval", {"required": "on"}).status_code == 302
    owner.org.refresh_from_db()
    assert owner.org.approval_required
    browser.post("/o/here/settings/approval", {})
    owner.org.refresh_from_db()
    assert not owner.org.approval_required


def test_the_list_shows_the_state_of_each_request(
    guarded: Actor, editor: Actor, browser: Client
) -> None:
    version = active_version(guarded.org)
    assert version is not None
    request_review(editor, "native", WIDER, 1, "A wider range")
    row = opened(browser, REVIEWS).id("main").all("tbody")[0].text
    assert all(each in row for each in ("A wider range", "Waits for approval", editor.name))
