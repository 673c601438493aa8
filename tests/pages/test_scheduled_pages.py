"""Pages of scheduled changes: temporary quotas and scheduled applies, without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from console.configs.models import ConfigVersion, ScheduledChange
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.carry_out_changes import carry_out_due
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.set_approval import set_approval
from console.policies.queries import active_number
from tests.dialects.test_editable_numbers import KUEUE_TEXT
from tests.pages.page import Element, read_page
from tests.pages.test_quota_form import CPU, SAME, texts
from tests.pages.test_review_pages import buttons, form_fields, opened

RAISED = KUEUE_TEXT.replace('"9"', '"12"')
SCHEDULED = "/o/here/config/scheduled"
REVIEW = "/o/here/config/review"
State = ScheduledChange.State


@pytest.fixture(autouse=True)
def kueue(owner: Actor) -> ConfigVersion:
    """An active Kueue config."""
    return apply_config(owner, "kueue", KUEUE_TEXT, "", 0)


def typed(hours: int = 1) -> str:
    """Return a time some *hours* from now as a browser sends it."""
    return f"{timezone.now() + timedelta(hours=hours):%Y-%m-%dT%H:%M}"


def shown(at: str) -> str:
    """Return a typed time as pages show it."""
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M}:00 UTC"


def plain(element: Element) -> str:
    """Return the text of an element without the spaces that its tags add before punctuation."""
    return re.sub(r" (?=[.,:])", "", element.text)


def raised(browser: Client, until: str, url: str = "/o/here/queues/ml/quota") -> HttpResponse:
    """Send the form that raises the CPUs of a queue."""
    form = {"expected_version": 1, "message": "Demo", "do": "apply", "until": until}
    return browser.post(url, form | SAME | {CPU: "12"})


def test_a_temporary_quota_is_shown_until_it_ends(browser: Client, org: Organization) -> None:
    at = typed()
    assert raised(browser, at).status_code == 302
    end = ScheduledChange.objects.get()
    page = opened(browser, "/o/here/queues/ml")
    notice = page.id(f"temporary-{end.pk}")
    assert f"Temporary quota until {shown(at)}" in plain(notice)
    assert "Nominal quota of cpu in spot 12 (+3), then 9. Demo" in plain(notice)
    assert notice.all("button") == []
    assert [(each.text, each.attrs["href"]) for each in notice.all("a")] == [
        ("Change the end", f"{SCHEDULED}/{end.pk}"),
        ("End now", f"{SCHEDULED}/{end.pk}#time-title"),
    ]
    assert f"temporary, until {shown(at)}" in plain(opened(browser, "/o/here/config/history"))
    assert "1 scheduled change." in plain(opened(browser, "/o/here/config").id("main"))
    form = plain(opened(browser, "/o/here/queues/ml/quota").id("main"))
    assert f"Temporary quota until {shown(at)}" in form
    listed = plain(opened(browser, SCHEDULED).id("main"))
    assert "End the temporary quota of queue ml" in listed

    ScheduledChange.objects.update(due_at=timezone.now(), try_at=timezone.now())
    assert carry_out_due() == 1
    assert texts(org) == (3, KUEUE_TEXT)
    assert "Temporary quota" not in plain(opened(browser, "/o/here/queues/ml").id("main"))
    history = plain(opened(browser, "/o/here/config/history"))
    assert "temporary, ended by version 3" in history
    assert "end of the temporary change of version 2" in history
    assert "as scheduled" in history
    assert buttons(opened(browser, f"{SCHEDULED}/{end.pk}")) == []


def test_a_draft_says_that_it_has_no_end(browser: Client) -> None:
    form = {"expected_version": 1, "do": "draft"} | SAME | {CPU: "12"}
    said = []
    for until in (typed(), ""):
        answer = browser.post("/o/here/queues/ml/quota", form | {"until": until}, follow=True)
        said.append("A draft has no end time: after you apply it" in read_page(answer).text)
        assert ScheduledChange.objects.count() == 0
    assert said == [True, False]


def test_a_cohort_shows_its_temporary_quota(browser: Client) -> None:
    names = {"number/nominalQuota/spot/cpu": "6"}
    form = {"expected_version": 1, "do": "apply", "until": typed()}
    assert browser.post("/o/here/cohorts/all/quota", form | names).status_code == 302
    end = ScheduledChange.objects.get()
    notice = opened(browser, "/o/here/cohorts/all").id(f"temporary-{end.pk}")
    assert "Nominal quota of cpu in spot 6 (+2), then 4." in plain(notice)


@pytest.mark.parametrize(
    ("until", "problem"),
    [
        ("soon", "Enter a date and a time, such as 2026-01-31T18:00."),
        ("2001-01-01T00:00", "The time has to be later than now and within a year."),
    ],
)
def test_an_invalid_end_is_reported_at_its_field(
    browser: Client, org: Organization, until: str, problem: str
) -> None:
    answer = raised(browser, until)
    assert answer.status_code == 422
    page = read_page(answer)
    assert page.id("until-error").text == problem
    assert page.id("until").attrs["value"] == until
    assert (active_number(org), ScheduledChange.objects.count()) == (1, 0)


def test_the_end_is_moved_made_early_and_canceled(browser: Client, org: Organization) -> None:
    raised(browser, typed())
    end = ScheduledChange.objects.get()
    one = f"{SCHEDULED}/{end.pk}"
    assert buttons(opened(browser, one)) == [
        "Change the time",
        "End now",
        "Keep the quota, cancel the end",
    ]
    at = typed(5)
    assert browser.post(one, {"do": "move", "due_at": at}).status_code == 302
    assert shown(at) in plain(opened(browser, one).id("main"))
    for body in ({"do": "move", "due_at": ""}, {"do": "move", "due_at": "x"}, {"do": "other"}):
        assert browser.post(one, body).status_code == 422
    answer = browser.post(one, {"do": "now"})
    assert (answer.status_code, texts(org)) == (302, (3, KUEUE_TEXT))
    for url in ("/o/here/config/v/3", "/o/here/config/history"):
        made = plain(opened(browser, url).id("main"))
        assert "end of the temporary change of version 2, made early by " in made
        assert "as scheduled" not in made
    answer = browser.post(one, {"do": "cancel"})
    assert answer.status_code == 409
    assert "was carried out, canceled or given up already" in plain(read_page(answer).id("main"))


def test_an_end_that_is_impossible_is_explained_and_listed(
    browser: Client, owner: Actor, org: Organization
) -> None:
    raised(browser, typed())
    end = ScheduledChange.objects.get()
    apply_config(owner, "kueue", RAISED.replace('"12"', '"20"'), "", 2)
    answer = browser.post(f"{SCHEDULED}/{end.pk}", {"do": "now"})
    assert answer.status_code == 409
    assert "Nominal quota of cpu in spot is 20, not 12" in plain(read_page(answer).id("main"))
    assert "A change is scheduled: temporary quota of ml" in plain(opened(browser, "/o/here/"))
    ScheduledChange.objects.update(due_at=timezone.now(), try_at=timezone.now())
    assert carry_out_due() == 0
    assert "A scheduled change was not made: " in plain(opened(browser, "/o/here/attention"))
    page = plain(opened(browser, f"{SCHEDULED}/{end.pk}").id("main"))
    assert "Problem: The numbers of queue ml were changed after version 2" in page
    assert "temporary, changed again" in plain(opened(browser, "/o/here/config/history"))
    apply_config(owner, "kueue", KUEUE_TEXT, "", 3)
    assert "was not made" not in plain(opened(browser, "/o/here/attention"))


def test_a_review_of_a_temporary_quota_shows_its_end(
    browser: Client, owner: Actor, editor: Actor, client_for: Callable[[Actor], Client]
) -> None:
    set_approval(owner, required=True)
    at = typed()
    sent = raised(browser, at)
    assert sent.status_code == 302
    request = sent.headers["Location"]
    stated = f"Temporary change until {shown(at)}: Nominal quota of cpu in spot 12 (+3), then 9."
    assert stated in plain(opened(browser, request).id("main"))
    assert client_for(editor).post(request, {"do": "approve"}).status_code == 302
    number = request.rpartition("/")[2]
    page = opened(browser, f"{REVIEW}?request={number}")
    assert stated in plain(page.id("main"))
    assert browser.post(REVIEW, form_fields(page)).status_code == 302
    assert [each.state for each in ScheduledChange.objects.all()] == [State.SCHEDULED]


def test_a_draft_is_applied_at_a_time(browser: Client, owner: Actor, org: Organization) -> None:
    draft = begin_draft(owner, "kueue", RAISED, 1, "More")
    review = f"{REVIEW}?draft={draft.pk}"
    fields = form_fields(opened(browser, review))
    refused = browser.post(REVIEW, fields | {"apply_at": typed(), "revert_after_minutes": "10"})
    assert refused.status_code == 422
    assert "A scheduled apply cannot require a confirmation" in plain(read_page(refused))
    at = typed()
    sent = browser.post(REVIEW, fields | {"apply_at": at})
    change = ScheduledChange.objects.get()
    one = f"{SCHEDULED}/{change.pk}"
    assert (sent.status_code, sent.headers["Location"]) == (302, one)
    page = opened(browser, one)
    assert page.all("h1")[0].text == "More"
    assert buttons(page) == ["Change the time", "Apply now", "Cancel the scheduled apply"]
    page = opened(browser, review)
    assert f"This draft is applied at {shown(at)}" in plain(page.id("main"))
    assert not page.all("input", name="expected_version")
    assert browser.post(REVIEW, fields).status_code == 409
    editor = opened(browser, f"/o/here/config/drafts/{draft.pk}")
    assert f"This draft is applied at {shown(at)}" in plain(editor.id("main"))
    assert "Save draft" not in buttons(editor)
    listed = opened(browser, "/o/here/config/drafts")
    assert f"Applied at {shown(at)}" in plain(listed.id("main"))
    kept = {"text": KUEUE_TEXT, "dialect": "kueue", "base": "1", "revision": "1", "do": "save"}
    refused = browser.post(f"/o/here/config/drafts/{draft.pk}", kept)
    assert refused.status_code == 409
    assert "Save mine as a new draft" in buttons(read_page(refused))
    assert active_number(org) == 1
    ScheduledChange.objects.update(due_at=timezone.now(), try_at=timezone.now())
    assert carry_out_due() == 1
    assert texts(org) == (2, RAISED)
    noted = f"scheduled by {owner.name}, for"
    assert noted in plain(opened(browser, "/o/here/config/v/2").id("main"))


def test_members_read_scheduled_changes_and_change_none(
    browser: Client, editor: Actor, client_for: Callable[[Actor], Client]
) -> None:
    assert "No scheduled changes yet" in plain(opened(browser, SCHEDULED).id("main"))
    raised(browser, typed())
    end = ScheduledChange.objects.get()
    theirs = client_for(editor)
    assert buttons(opened(theirs, f"{SCHEDULED}/{end.pk}")) == []
    assert "End now" not in opened(theirs, "/o/here/queues/ml").id("main").text
    assert theirs.post(f"{SCHEDULED}/{end.pk}", {"do": "now"}).status_code == 403
