"""Selecting workloads in the list, and withdrawing or resubmitting them after a confirmation."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import State, Workload
from console.workloads.services.submit_workloads import Submission, submit_workloads
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import Element, complaints, read_page

org, owner = module_org()
made, world = module_world()

LIST = "/o/here/workloads"
SELECTED = f"{LIST}/selected"
ClientFor = Callable[[Actor], Client]


def hidden(page: Element) -> dict[str, list[str]]:
    """Return the fields of the confirmation."""
    found: dict[str, list[str]] = {}
    for field in page.id("selection-outcome").all("input", type="hidden"):
        if field.attrs["name"] != "csrfmiddlewaretoken":
            found.setdefault(field.attrs["name"], []).append(field.attrs["value"])
    return found


def test_rows_have_boxes_for_those_who_may_submit(
    world: World, browser: Client, client_for: ClientFor, viewer: Actor
) -> None:
    page = read_page(browser.get(f"{LIST}?state=pending"))
    boxes = page.id("workload-rows").all("input", type="checkbox")
    assert [box.attrs["value"] for box in boxes] == [world.never.uid, world.waiting.uid]
    assert {box.attrs["form"] for box in boxes} == {"selected-workloads"}
    assert [label.text for label in page.id("workload-rows").all("label")] == [
        "Select huge",
        "Select eval",
    ]
    bar = page.id("selected-workloads")
    assert [button.text for button in bar.all("button")] == [
        "Withdraw",
        "Resubmit",
        "Deactivate",
        "Activate",
        "Change priority…",
        "Clear",
    ]
    (query,) = page.all("input", name="query", form="selected-workloads")
    assert query.attrs["value"] == "state=pending"
    assert complaints(page) == []
    reader = read_page(client_for(viewer).get(LIST))
    assert reader.id("workload-rows").all("input") == []
    assert not reader.all("form", id="selected-workloads")
    grouped = read_page(browser.get(f"{LIST}?group_by=queue"))
    assert not grouped.all("form", id="selected-workloads")


def test_selected_workloads_are_withdrawn_after_one_confirmation(
    world: World, browser: Client, settle: Callable[[Organization], int], org: Organization
) -> None:
    ids = [world.waiting.uid, world.admitted.uid, world.finished.uid]
    asked = {"do": "withdraw", "id": ids, "query": "queue=research"}
    page = read_page(browser.post(SELECTED, asked))
    outcome = page.id("selection-outcome")
    assert outcome.all("h2")[0].text == "Withdraw 3 workloads?"
    assert outcome.all("p")[0].text == (
        "Withdrawn workloads end permanently and free their quota. Selected: 1 pending, "
        "1 admitted, 1 finished. Not possible in their state, so unchanged: 1."
    )
    (button,) = outcome.all("button")
    assert button.text == "Withdraw 2 workloads"
    (cancel,) = outcome.all("a")
    assert cancel.attrs["href"] == f"{LIST}?queue=research"
    assert complaints(page) == []
    settle(org)
    assert Workload.objects.get(uid=world.waiting.uid).state == State.PENDING

    fields = hidden(page)
    assert fields["id"] == ids
    page = read_page(browser.post(SELECTED, fields | {"confirmed": "1"}))
    outcome = page.id("selection-outcome")
    assert outcome.all("h2")[0].text == "2 withdrawn, 1 not possible in this state."
    assert outcome.rows() == [
        ["eval", "The workload is withdrawn."],
        ["train", "The workload is withdrawn."],
        [
            "done",
            "The workload is already finished; only pending and running workloads are withdrawn.",
        ],
    ]
    assert complaints(page) == []
    settle(org)
    assert Workload.objects.get(uid=world.waiting.uid).state == State.WITHDRAWN


def test_ended_workloads_are_submitted_again_once(world: World, browser: Client) -> None:
    before = Workload.objects.count()
    page = read_page(browser.post(SELECTED, {"do": "resubmit", "id": world.finished.uid}))
    fields = hidden(page) | {"confirmed": "1"}
    for _ in range(2):
        page = read_page(browser.post(SELECTED, fields))
        new = Workload.objects.latest("pk")
        outcome = page.id("selection-outcome")
        assert outcome.all("h2")[0].text == "1 submitted again."
        assert outcome.all("td")[0].all("a")[0].attrs["href"] == f"{LIST}/{new.uid}"
    assert Workload.objects.count() == before + 1
    timeline = read_page(browser.get(f"{LIST}/{new.uid}?tab=timeline"))
    assert f"it repeats the workload {world.finished.uid}" in timeline.id("main").text


def test_selected_workloads_get_a_priority_after_one_confirmation(
    world: World, browser: Client, settle: Callable[[Organization], int], org: Organization
) -> None:
    ids = [world.waiting.uid, world.finished.uid]
    question = read_page(browser.post(SELECTED, {"do": "priority", "id": ids}))
    outcome = question.id("selection-outcome")
    assert outcome.all("h2")[0].text == "Change the priority of 2 workloads?"
    assert [button.text for button in outcome.all("button")] == [
        "Change the priority of 1 workload"
    ]
    assert complaints(question) == []
    sent = {**hidden(question), "confirmed": "1"}
    wrong = read_page(browser.post(SELECTED, sent | {"priority": "high"}))
    field = wrong.id("selected-priority")
    assert (field.attrs["value"], field.attrs["aria-invalid"]) == ("high", "true")
    error = wrong.id("selected-priority-error")
    assert error.text == "Enter the new priority as a whole number."
    assert hidden(wrong)["id"] == ids
    page = read_page(browser.post(SELECTED, sent | {"priority": "77"}))
    assert page.id("selection-outcome").all("h2")[0].text == (
        "1 changed, 1 not possible in this state."
    )
    assert [row[1] for row in page.id("selection-outcome").rows()] == [
        "The priority becomes 77.",
        (
            "The workload is already finished; only pending and running workloads get another "
            "priority."
        ),
    ]
    settle(org)
    world.waiting.refresh_from_db()
    assert world.waiting.priority == 77


def test_all_matching_workloads_are_offered_if_they_need_several_pages(
    world: World, browser: Client, owner: Actor
) -> None:
    made = submit_workloads(owner, [Submission(name=f"many-{number}") for number in range(60)])
    page = read_page(browser.get(f"{LIST}?q=many-"))
    (box,) = page.all("input", name="all")
    assert box.attrs["data-pick-matching"] == "60"
    asked = {"do": "withdraw", "all": "1", "query": "q=many-"}
    question = read_page(browser.post(SELECTED, asked))
    assert hidden(question)["id"] == [each.uid for each in made][::-1]
    assert not read_page(browser.get(f"{LIST}?state=rejected")).all("input", name="all")


def test_a_wrong_selection_is_explained(
    world: World, browser: Client, client_for: ClientFor, viewer: Actor
) -> None:
    for body, message in (
        ({}, "No workload is selected; select at least one in the list."),
        ({"id": "a\0"}, "An id of a selected workload is invalid; select the workloads again."),
        ({"id": [str(n) for n in range(501)]}, "Select 1 to 500 workloads; 501 are selected."),
        (
            {"all": "1", "query": "q=nothing"},
            (
                "The filters have to match 1 to 500 workloads to select all of them; change the "
                "filters."
            ),
        ),
        (
            {"all": "1", "query": "state=wrong"},
            "state has to be one of: pending, admitted, preempting, finished, rejected, withdrawn.",
        ),
    ):
        answer = browser.post(SELECTED, {"do": "withdraw"} | body)
        assert answer.status_code == 400
        (alert,) = read_page(answer).id("selection-outcome").all("div", role="alert")
        assert alert.text == f"{message} Back to the list"
        shown = browser.post(SELECTED, {"do": "withdraw"} | body, headers={"HX-Request": "true"})
        assert shown.status_code == 200
    unknown = {"do": "withdraw", "id": "unknown", "confirmed": "1"}
    page = read_page(browser.post(SELECTED, unknown))
    assert page.id("selection-outcome").rows() == [
        ["unknown", "There is no workload unknown in here."]
    ]
    assert browser.post(SELECTED, {"do": "delete", "id": world.waiting.uid}).status_code == 404
    assert browser.get(SELECTED).status_code == 405
    asked = {"do": "withdraw", "id": world.waiting.uid}
    assert client_for(viewer).post(SELECTED, asked).status_code == 403
