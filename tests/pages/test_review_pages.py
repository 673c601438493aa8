"""Review, conflict and confirmation pages, without scripts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.configs.models import ConfigVersion, Draft, ImpactRun, RevertTimer
from console.configs.services.apply_config import apply_config
from console.configs.services.begin_draft import begin_draft
from console.configs.services.find_impact import find_impact
from console.configs.services.revert_unconfirmed import revert_unconfirmed
from console.configs.services.save_draft import save_draft
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_number, get_version
from console.workloads.models import Event
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, complaints, read_page

REVIEW = "/o/here/config/review"
CONFLICT = "/o/here/config/conflict"
CONFIRM = "/o/here/config/confirm"
LAST = "  - selector: [{ key: team, operator: exists }]\n    resource_queue: default\n"
#: Removes queue research, which has workloads; no rule matches its workloads any more.
GONE = "resource_queues:\n  - name: default\nscheduling_rules:\n" + LAST
SMALLER = CONFIG.replace("nominal_quota: 8", "nominal_quota: 4")
WIDER = CONFIG.replace("max: 100", "max: 200")
LABS = CONFIG.replace("[research] }]", "[research, labs] }]", 1)


def active(org: Organization) -> ConfigVersion:
    """Return the active version."""
    return get_version(org, active_number(org))


def drafted(actor: Actor, text: str, base: int = 1) -> Draft:
    """Begin a draft."""
    return begin_draft(actor, "native", text, base, "For tests")


def form_fields(page: Element) -> dict[str, str]:
    """Return the fields that the form of a review or conflict submits unchanged."""
    form = next(
        form
        for form in page.id("main").all("form")
        if form.all("input", name="expected_version") or form.all("input", name="onto")
    )
    return {
        item.attrs["name"]: item.attrs.get("value", "")
        for item in form.all("input")
        if item.attrs.get("type") not in ("checkbox", "radio")
        and item.attrs["name"] != "csrfmiddlewaretoken"
    }


def consequence_boxes(page: Element) -> dict[str, str]:
    """Return the consequence checkboxes of a review by code."""
    labels = {item.attrs["for"]: item.text for item in page.all("label") if "for" in item.attrs}
    return {
        item.attrs["value"]: labels[item.attrs["id"]] for item in page.all("input", name="accept")
    }


def buttons(page: Element) -> list[str]:
    """Return the labels of the buttons in the page's main content."""
    main = page.id("main")
    found = [button.text for form in main.all("form") for button in form.all("button")]
    return found + [button.text for button in main.all("button") if "form" in button.attrs]


def opened(browser: Client, url: str) -> Element:
    """Return a page, and fail unless its markup is valid."""
    page = read_page(browser.get(url))
    assert complaints(page) == []
    return page


def error_of(answer: HttpResponse) -> tuple[int, str]:
    """Return the status of an answer and the text of its error summary."""
    page = read_page(answer)
    assert complaints(page) == []
    summary = [item.text for item in page.walk() if item.attrs.get("class") == "error-summary"]
    return answer.status_code, summary[0] if summary else ""


def test_grave_consequences_are_ticked_and_the_number_is_typed(
    world: World, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, GONE)
    url = f"{REVIEW}?draft={draft.pk}"
    page = opened(browser, url)
    found = consequence_boxes(page)
    assert set(found) == {"queue_removed"}
    assert found["queue_removed"].startswith(
        "Queue research is removed, with 1 running and 2 pending"
    )
    assert buttons(page)[-1] == "Apply version 2: up to 3 workloads affected"
    form = form_fields(page)
    assert form["message"] == "For tests"

    nothing = browser.post(url, form)
    assert error_of(nothing) == (
        422,
        "Nothing applied yet Confirm 1 more consequence, or change the text.",
    )
    form["accept"] = "queue_removed"
    typed = "Type the version number 2 below the consequences."
    for number in ("", "1", "22"):
        answer = browser.post(url, form | {"typed": number})
        assert error_of(answer) == (422, f"Nothing applied yet {typed}")
    # The form keeps the filled-in values.
    again = read_page(browser.post(url, form | {"message": "Really", "typed": "1"}))
    assert again.id("message").attrs["value"] == "Really"
    assert "checked" in again.id("accept-queue_removed").attrs
    assert active_number(world.org) == 1

    done = browser.post(url, form | {"typed": "2"})
    assert done.headers["Location"] == "/o/here/config/v/2?applied=1"
    version = ConfigVersion.objects.get(number=2)
    assert (version.via, [each["code"] for each in version.consequences]) == (
        "page",
        ["queue_removed"],
    )
    assert not Draft.objects.exists()
    shown = opened(browser, done.headers["Location"])
    assert found["queue_removed"] in shown.id("main").text
    assert f"{REVIEW}?to=1" in [link.attrs.get("href") for link in shown.all("a")]


def test_another_text_needs_new_acceptance(world: World, owner: Actor, browser: Client) -> None:
    draft = drafted(owner, GONE)
    url = f"{REVIEW}?draft={draft.pk}"
    sent = form_fields(opened(browser, url)) | {"accept": "queue_removed", "typed": "2"}
    save_draft(owner, draft.pk, "native", GONE + "# once more\n", 1, draft.revision + 1)
    answer = browser.post(url, sent | {"message": "Without research"})
    assert (answer.status_code, active_number(world.org)) == (409, 1)
    page = read_page(answer)
    assert "checked" not in page.id("accept-queue_removed").attrs
    assert page.id("typed").attrs["value"] == ""
    assert page.id("message").attrs["value"] == "Without research"


def test_a_renamed_queue_is_ticked_without_a_number(
    world: World, owner: Actor, browser: Client
) -> None:
    renamed = SMALLER.replace("name: research\n", 'name: "research:v2"\n').replace(
        "resource_queue: research\n", 'resource_queue: "research:v2"\n'
    )
    draft = drafted(owner, renamed)
    url = f"{REVIEW}?draft={draft.pk}"
    page = opened(browser, url)
    # The quota is smaller too: its warning is new, not just an old one under a new name.
    assert list(consequence_boxes(page)) == ["queue_drains", "warnings_added"]
    assert consequence_boxes(page)["queue_drains"].endswith("Combined peak usage:")
    (peak,) = page.id("items-queue_drains").all("li")
    assert "above the quota of research:v2" in peak.text
    described = page.id("accept-queue_drains").attrs["aria-describedby"]
    assert described == "items-queue_drains"
    assert not page.all("input", name="typed")
    answer = browser.post(url, form_fields(page) | {"accept": list(consequence_boxes(page))})
    assert answer.status_code == 302


def test_an_immutable_queue_is_one_button_away_from_its_new_name(
    world: World, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, SMALLER)
    url = f"{REVIEW}?draft={draft.pk}"
    page = opened(browser, url)
    title = 'Make successor "research:v2", in the rules too'
    assert title in buttons(page)
    assert "running workloads of the old one continue under its name until they end" in page.text
    (button,) = [item for item in page.all("button", name="fix") if item.text == title]
    sent = {"draft": str(draft.pk), "revision": "1", "fix": button.attrs["value"]}
    answer = browser.post(f"{REVIEW}/fix", sent)
    assert answer.headers["Location"] == url
    draft.refresh_from_db()
    assert draft.text == SMALLER.replace("name: research\n", "name: research:v2\n").replace(
        "resource_queue: research\n", "resource_queue: research:v2\n"
    )
    assert "queue_drains" in consequence_boxes(opened(browser, url))
    assert browser.post(f"{REVIEW}/fix", sent).status_code == 409


def test_nothing_to_accept_is_one_button(config: None, owner: Actor, browser: Client) -> None:
    draft = drafted(owner, WIDER)
    page = opened(browser, f"{REVIEW}?draft={draft.pk}")
    assert (consequence_boxes(page), buttons(page)[-1]) == (
        {},
        "Apply version 2: 0 workloads affected",
    )


def test_warnings_about_clusters_are_shown_and_accepted(owner: Actor, browser: Client) -> None:
    report_cluster(owner, "east", {"labels": {"region": "eu"}, "nodes": []})
    text = (
        "kind: PlacementTemplate\n"
        "metadata: { name: europe }\n"
        "spec: { filters: [{ name: eu, match_labels: { region: eu1 } }] }\n"
    )
    draft = begin_draft(owner, "skyshift", text, 0, "For tests")
    page = opened(browser, f"{REVIEW}?draft={draft.pk}")
    assert 'Label "region" of no cluster is "eu1".' in page.text
    assert list(consequence_boxes(page)) == ["warnings_added"]


def test_a_change_that_may_move_work_leads_to_its_impact_until_somebody_has_looked(
    world: World, owner: Actor, browser: Client
) -> None:
    note = (
        "This may affect up to 3 workloads. The impact of this text has not been computed yet. "
        "View impact"
    )
    url = f"{REVIEW}?draft={drafted(owner, GONE).pk}"
    assert note in opened(browser, url).text
    run = find_impact(owner, "native", GONE)
    assert note not in opened(browser, url).text
    # Nothing is applied: the consequence has to be ticked, and is listed once.
    ImpactRun.objects.filter(pk=run.pk).update(state="failed")
    page = opened(browser, url)
    assert "preview_unavailable" in consequence_boxes(page)
    assert note not in page.text


def test_a_change_that_concerns_nobody_asks_for_no_look(
    config: None, owner: Actor, browser: Client
) -> None:
    page = opened(browser, f"{REVIEW}?draft={drafted(owner, WIDER).pk}")
    assert "has not been computed" not in page.text


def test_a_roll_back_is_the_same_review(world: World, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", GONE, "", 1)
    apply_config(owner, "native", CONFIG, "", 2)
    url = f"{REVIEW}?to=2"
    page = opened(browser, url)
    assert page.all("h1")[0].text == "Roll back to version 2"
    assert set(consequence_boxes(page)) == {"queue_removed"}
    assert buttons(page)[-1].startswith("Roll back to version 2: ")
    sent = form_fields(page) | {"accept": "queue_removed"}
    assert browser.post(url, sent).status_code == 422
    assert browser.post(url, sent | {"typed": "4"}).status_code == 302
    assert active(world.org).rolled_back_to == 2


def test_roles_without_apply_see_the_consequences(
    world: World, editor: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(editor)
    draft = drafted(editor, GONE)
    page = opened(browser, f"{REVIEW}?draft={draft.pk}")
    assert "Queue research is removed" in page.id("main").text
    assert not page.all("input", name="accept")
    sent = {"revision": "1", "expected_version": "1", "accept": "queue_removed", "typed": "2"}
    assert browser.post(f"{REVIEW}?draft={draft.pk}", sent).status_code == 403
    assert active_number(world.org) == 1


def test_a_draft_of_somebody_else_is_reviewed_and_applied_by_an_owner(
    config: None, owner: Actor, editor: Actor, browser: Client
) -> None:
    draft = drafted(editor, WIDER)
    url = f"{REVIEW}?draft={draft.pk}"
    page = opened(browser, url)
    assert browser.post(url, form_fields(page)).status_code == 302
    assert active(owner.org).text == WIDER


@pytest.mark.parametrize("wrong", [{"message": "x" * 501}, {"revision": "9"}, {}])
def test_a_review_that_others_overtook_never_turns_into_one_that_undoes_them(
    wrong: dict[str, str], config: None, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    url = f"{REVIEW}?draft={draft.pk}"
    sent = form_fields(opened(browser, url)) | wrong
    apply_config(owner, "native", LABS, "", 1)
    answer = browser.post(url, sent)
    page = read_page(answer)
    assert (answer.status_code, complaints(page)) == (409, [])
    assert form_fields(page)["onto"] == "2"
    assert not page.all("input", name="expected_version")


def test_changes_of_one_object_are_decided_side_by_side(
    config: None, org: Organization, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    theirs = LABS.replace("max: 100", "max: 300")
    apply_config(owner, "native", theirs, "even wider", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    page = opened(browser, url)
    (tabs,) = page.all("nav", **{"aria-label": "Draft"})
    assert [(link.text, "aria-current" in link.attrs) for link in tabs.all("a")] == [
        ("Edit", False),
        ("Review", True),
        ("Impact", False),
        ("Tests", False),
    ]
    (piece,) = page.all("fieldset")
    assert piece.all("legend")[0].text == "Rule to research"
    texts = [side.text for side in piece.all("pre")]
    assert [("max: 100" in t, "max: 300" in t, "max: 200" in t) for t in texts] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert "Flavor spot theirs" in page.text
    sent = form_fields(page) | {"do": "merge"}

    undecided = browser.post(url, sent)
    assert undecided.status_code == 422
    assert complaints(read_page(undecided)) == []
    assert "Choose one of the texts." in read_page(undecided).text

    done = browser.post(url, sent | {"choice-0": "yours"})
    assert done.headers["Location"] == f"{REVIEW}?draft={draft.pk}"
    draft.refresh_from_db()
    assert (draft.base, draft.text) == (2, LABS.replace("max: 100", "max: 200"))
    event = Event.objects.filter(type="CONFIG_UPDATED", data__kind="merge").get()
    assert (event.actor, event.data) == (
        owner.name,
        {"kind": "merge", "version": 2, "from": 1, "draft": draft.pk, "conflicts": 1},
    )


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [("base", "max: 100"), ("theirs", "max: 300"), ("yours", "max: 200"), ("edited", "max: 250")],
)
def test_each_choice_is_what_comes_out(
    choice: str, outcome: str, config: None, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    apply_config(owner, "native", CONFIG.replace("max: 100", "max: 300"), "", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    own = CONFIG[CONFIG.index("  - selector: [{ key: team, operator: in", 200) :]
    own = own[: own.index(LAST)].replace("max: 100", "max: 250").replace("\n", "\r\n")
    page = opened(browser, url)
    sent = form_fields(page) | {"do": "merge", "choice-0": choice, "text-0": own}
    assert browser.post(url, sent).status_code == 302
    draft.refresh_from_db()
    assert draft.text == CONFIG.replace("max: 100", outcome)


def test_a_rename_of_theirs_is_followed_and_told(
    config: None, owner: Actor, browser: Client
) -> None:
    renamed = CONFIG.replace("name: research\n", "name: labs\n").replace(
        "resource_queue: research", "resource_queue: labs"
    )
    draft = drafted(owner, WIDER)
    apply_config(owner, "native", renamed.replace("max: 100", "max: 300"), "renamed", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    page = opened(browser, url)
    assert (
        "Queue research was renamed to labs in version 2. Your changes are merged under that name."
    ) in page.id("main").text
    (piece,) = page.all("fieldset")
    assert piece.all("legend")[0].text == "Rule to labs"
    texts = [side.text for side in piece.all("pre")]
    assert ["resource_queue: labs" in text for text in texts] == [True] * 3
    assert [f"max: {most}" in text for most, text in zip((100, 300, 200), texts, strict=True)] == [
        True
    ] * 3
    answer = browser.post(url, form_fields(page) | {"do": "merge", "choice-0": "yours"})
    assert answer.status_code == 302
    draft.refresh_from_db()
    assert (draft.base, draft.text) == (2, renamed.replace("max: 100", "max: 200"))


def test_a_merge_asks_for_the_order_of_rules_where_it_matters(
    config: None, owner: Actor, browser: Client
) -> None:
    rules = "scheduling_rules:\n"
    one = "  - selector: [{ key: late, operator: exists }]\n    resource_queue: default\n"
    other = "  - selector: [{ key: night, operator: exists }]\n    resource_queue: research\n"
    draft = drafted(owner, CONFIG.replace(rules, rules + other))
    apply_config(owner, "native", CONFIG.replace(rules, rules + one), "late", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    page = opened(browser, url)
    (piece,) = page.all("fieldset")
    assert "Rules are tried in order: which side comes first?" in piece.text
    assert [label.text for label in piece.all("label")][:3] == [
        "Theirs first, of version 2",
        "Yours first",
        "Custom text",
    ]
    sent = form_fields(page) | {"do": "merge"}
    neither = browser.post(url, sent | {"choice-0": "base"})
    assert neither.status_code == 422
    assert "Choose one of the texts." in read_page(neither).text
    assert browser.post(url, sent | {"choice-0": "yours"}).status_code == 302
    draft.refresh_from_db()
    assert draft.text == CONFIG.replace(rules, rules + other + one)


def test_a_conflict_page_that_is_out_of_date_merges_nothing(
    config: None, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    apply_config(owner, "native", LABS, "", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    sent = form_fields(opened(browser, url))
    apply_config(owner, "native", LABS + "# One more.\n", "", 2)
    for do in ("merge", "mine"):
        assert browser.post(url, sent | {"do": do}).status_code == 409
    sent = form_fields(opened(browser, url))
    save_draft(owner, draft.pk, "native", WIDER + "# Mine.\n", 1, 2)
    assert browser.post(url, sent | {"do": "merge"}).status_code == 409
    draft.refresh_from_db()
    assert (draft.base, draft.revision) == (1, 2)


def test_taking_ones_own_text_over_shows_what_it_undoes(
    config: None, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    apply_config(owner, "native", LABS, "", 1)
    url = f"{CONFLICT}?draft={draft.pk}"
    answer = browser.post(url, form_fields(opened(browser, url)) | {"do": "mine"})
    assert answer.headers["Location"] == f"/o/here/config/drafts/{draft.pk}"
    draft.refresh_from_db()
    assert (draft.base, draft.text, draft.revision) == (2, WIDER, 2)
    event = Event.objects.filter(type="CONFIG_UPDATED", data__kind="rebase").get()
    assert (event.actor, event.data) == (
        owner.name,
        {"kind": "rebase", "version": 2, "from": 1, "draft": draft.pk},
    )
    assert "spot" in opened(browser, f"{REVIEW}?draft={draft.pk}").id("difference").text


def test_a_merge_with_errors_opens_in_the_editor(
    config: None, owner: Actor, browser: Client
) -> None:
    spare = CONFIG.replace("resource_queues:\n", "resource_queues:\n  - name: spare\n")
    apply_config(owner, "native", spare, "", 1)
    uses = spare + "  - resource_queue: spare\n"
    draft = drafted(owner, uses, 2)
    apply_config(owner, "native", CONFIG, "", 2)
    url = f"{CONFLICT}?draft={draft.pk}"
    page = opened(browser, url)
    assert "Merge and fix errors" in buttons(page)
    answer = browser.post(url, form_fields(page) | {"do": "merge"})
    assert answer.headers["Location"] == f"/o/here/config/drafts/{draft.pk}"
    draft.refresh_from_db()
    assert (draft.base, draft.text) == (3, CONFIG + "  - resource_queue: spare\n")


def test_drafts_in_another_language_are_taken_over_whole(
    config: None, owner: Actor, browser: Client
) -> None:
    draft = begin_draft(owner, "kueue", "", 1)
    apply_config(owner, "native", LABS, "", 1)
    page = opened(browser, f"{CONFLICT}?draft={draft.pk}")
    assert buttons(page) == ["Rebase my text on version 2"]
    sent = form_fields(page) | {"do": "merge"}
    assert browser.post(f"{CONFLICT}?draft={draft.pk}", sent).status_code == 409


def test_every_page_says_that_a_version_waits(
    config: None,
    owner: Actor,
    viewer: Actor,
    browser: Client,
    client_for: Callable[[Actor], Client],
) -> None:
    draft = drafted(owner, WIDER)
    url = f"{REVIEW}?draft={draft.pk}"
    sent = form_fields(opened(browser, url)) | {"revert_after_minutes": "10"}
    assert browser.post(url, sent).status_code == 302
    for path in ("", "queues", "config", "config/v/2?applied=1", "config/history"):
        banner = opened(browser, f"/o/here/{path}").id("revert-timer")
        assert banner.text.startswith(
            "Version 2 needs confirmation. Without it, the config is rolled back to version 1 in 9"
        )
        assert [button.text for button in banner.all("button")] == [
            "Confirm version 2",
            "Roll back now",
        ]
    looks = client_for(viewer)
    banner = opened(looks, "/o/here/queues").id("revert-timer")
    assert ("needs confirmation" in banner.text, banner.all("button")) == (True, [])
    assert looks.post(CONFIRM, {"do": "confirm", "version": "2"}).status_code == 403

    # A poll of a live page removes the banner.
    live = opened(browser, "/o/here/queues").id("live-poll").attrs["data-version"]
    assert browser.get(f"/o/here/queues?v={live}").status_code == 204
    here = {"version": "2", "next": "/o/here/queues"}
    done = browser.post(CONFIRM, here | {"do": "confirm"})
    assert done.headers["Location"] == "/o/here/queues"
    assert browser.get(f"/o/here/queues?v={live}").status_code == 200
    assert opened(browser, "/o/here/queues").id("revert-timer").text == ""
    assert browser.post(CONFIRM, here | {"do": "confirm"}).status_code == 409
    assert active_number(owner.org) == 2


def test_the_banner_takes_a_version_back(config: None, owner: Actor, browser: Client) -> None:
    apply_config(owner, "native", WIDER, "", 1, revert_after=timedelta(minutes=10))
    answer = browser.post(CONFIRM, {"do": "revert", "version": "2", "next": "https://elsewhere/"})
    assert answer.headers["Location"] == "/o/here/config/v/3?applied=1"
    assert active(owner.org).text == CONFIG


def test_the_banner_stays_when_nothing_can_come_back(
    config: None, owner: Actor, browser: Client
) -> None:
    apply_config(owner, "native", WIDER, "", 1, revert_after=timedelta(minutes=10))
    RevertTimer.objects.update(due_at=timezone.now())
    ConfigVersion.objects.filter(number=1).update(text="resource_queues: 5\n")
    assert revert_unconfirmed() == 0
    banner = opened(browser, "/o/here/queues").id("revert-timer")
    assert banner.text.startswith("Version 2 was not confirmed and could not be rolled back")
    assert [button.text for button in banner.all("button")] == ["Confirm version 2"]
    answer = browser.post(CONFIRM, {"do": "revert", "version": "2", "next": "/o/here/queues"})
    assert answer.headers["Location"] == "/o/here/queues"
    assert "Not rolled back" in opened(browser, "/o/here/queues").id("main").text
    events = opened(browser, "/o/here/events").id("main").text
    assert "an owner has to decide" in events


@pytest.mark.parametrize(
    ("minutes", "status"), [("0", 422), ("1441", 422), ("99999999", 422), ("x", 400), ("-1", 400)]
)
def test_a_time_that_makes_no_sense_applies_nothing(
    minutes: str, status: int, config: None, owner: Actor, browser: Client
) -> None:
    draft = drafted(owner, WIDER)
    url = f"{REVIEW}?draft={draft.pk}"
    sent = form_fields(opened(browser, url)) | {"revert_after_minutes": minutes}
    assert browser.post(url, sent).status_code == status
    assert active_number(owner.org) == 1


def test_the_same_apply_is_offered_as_a_command(
    config: None, owner: Actor, editor: Actor, client_for: Callable[[Actor], Client]
) -> None:
    draft = drafted(owner, WIDER)
    page = read_page(client_for(owner).get(REVIEW, {"draft": draft.pk}))
    command = page.id("command").text
    assert '{text: $text, dialect: "native", expected_version: 1, accept: []}' in command
    assert "curl --fail-with-body http://testserver/api/v1/orgs/here/config/versions" in command
    apply_config(owner, "native", WIDER, "", 1)
    page = read_page(client_for(owner).get(REVIEW, {"to": "1"}))
    command = page.id("command").text
    assert "http://testserver/api/v1/orgs/here/config/rollback" in command
    assert '{"version": 1, "expected_version": 2, "accept": []}' in command
    others = read_page(client_for(editor).get(REVIEW, {"to": "1"}))
    assert [each for each in others.all("pre") if each.attrs.get("id") == "command"] == []


def test_warnings_lead_to_what_their_codes_mean(
    config: None, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    draft = drafted(owner, CONFIG[: CONFIG.rindex("  - selector")])
    page = read_page(client_for(owner).get(REVIEW, {"draft": draft.pk}))
    codes = [link for item in page.all("li", class_="problem") for link in item.all("a")]
    assert codes
    assert {link.attrs["href"] for link in codes} == {
        f"/docs/diagnostics/#{link.text}" for link in codes
    }


def test_the_active_text_is_not_applied_again(world: World, owner: Actor, browser: Client) -> None:
    draft = drafted(owner, CONFIG)
    main = opened(browser, f"{REVIEW}?draft={draft.pk}").id("main")
    sentence = "Nothing to apply: the text is identical to the active version 1."
    assert sentence in main.text
    assert not main.all("input", name="expected_version")
    sent = {"draft": draft.pk, "revision": draft.revision, "expected_version": 1}
    answer = browser.post(REVIEW, sent, follow=True)
    assert answer.redirect_chain == [("/o/here/config/v/1", 302)]
    told = read_page(answer).text
    assert "Nothing was applied: the text is identical to the active version 1." in told
    assert "Pending workloads are being routed again" not in told
    assert ConfigVersion.objects.count() == 1
    assert not Draft.objects.exists()


def test_the_button_counts_what_a_rule_that_takes_nothing_leaves_alone(
    world: World, owner: Actor, browser: Client
) -> None:
    added = CONFIG.replace(
        "scheduling_rules:\n",
        "scheduling_rules:\n"
        "  - selector: [{ key: team, operator: in, values: [nobody] }]\n"
        "    resource_queue: idle\n",
    ).replace("resource_queues:\n", "resource_queues:\n  - name: idle\n")
    page = opened(browser, f"{REVIEW}?draft={drafted(owner, added).pk}")
    assert buttons(page)[-1] == "Apply version 2: 0 workloads affected"


def test_groups_of_changes_are_folded_as_the_address_says(
    world: World, owner: Actor, browser: Client
) -> None:
    def groups(query: str = "") -> dict[str, tuple[bool, list[str]]]:
        page = opened(browser, f"{REVIEW}?draft={draft.pk}{query}")
        return {
            each.attrs["data-group"]: (
                "open" in each.attrs,
                [chip.text for chip in each.all("span", class_="change-count")],
            )
            for each in page.all("details", class_="change-group")
        }

    many = "".join(f"  - name: extra-{number}\n" for number in range(30))
    draft = drafted(owner, GONE.replace("resource_queues:\n", f"resource_queues:\n{many}", 1))
    found = groups()
    assert found["queue"] == (True, ["+30 queues", "−1 queue"])
    assert all(is_open for is_open, _ in groups("&groups=queue,rule").values()) == (
        set(found) <= {"queue", "rule"}
    )
    assert {key for key, (is_open, _) in groups("&groups=rule").items() if is_open} <= {"rule"}
    assert not any(is_open for is_open, _ in groups("&groups=").values())
