"""Workload pages: the list with its filters, the explanation, submitting and ending."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.template.loader import render_to_string
from django.test import Client

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.workloads.workload import stages_of
from console.workloads.explanations import explain_workload
from console.workloads.models import Workload
from tests.pages.conftest import World
from tests.pages.page import Element, read_page

LIST = "/o/here/workloads"


def names(page: Element) -> list[str]:
    """Return the names of the listed workloads."""
    return [row.all("a")[0].text for body in page.all("tbody") for row in body.all("tr")]


def chips(page: Element) -> dict[str, str]:
    """Return the active filters, each with the address of its removal link."""
    return {
        chip.text: chip.attrs["href"]
        for chip in page.all("a", class_="chip")
        if chip.attrs["href"].startswith(LIST)
    }


def test_the_list_shows_state_reason_queue_and_request(world: World, browser: Client) -> None:
    found = [row[1:7] for row in read_page(browser.get(LIST)).rows()]
    assert found == [
        ["web owner@here.example", "Admitted", "Admitted without quota", "default", "—", "0"],
        ["lost owner@here.example", "Rejected", "Accepted by no rule", "—", "—", "—"],
        [
            "huge owner@here.example",
            "Pending",
            "Can never run under this config",
            "research",
            "80 GPUs",
            "50",
        ],
        [
            "eval nightly",
            "Pending",
            "Waiting for quota: 2 GPUs short on spot",
            "research",
            "4 GPUs",
            "50",
        ],
        [
            "train owner@here.example",
            "Admitted",
            "Quota reserved",
            "research",
            "6 GPUs",
            "50",
        ],
        ["done owner@here.example", "Finished", "Quota reserved", "research", "1 GPU", "50"],
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=pending", ["huge", "eval"]),
        ("reason=waiting_for_quota", ["eval"]),
        ("queue=default", ["web"]),
        ("user=nightly", ["eval"]),
        ("label.team=web", ["web"]),
        ("q=tr", ["train"]),
        ("since=2001-01-01T00%3A00&until=2002-01-01T00%3A00", []),
        ("state=pending&label.team=research&q=e", ["eval"]),
    ],
)
def test_filters_live_in_the_address(
    query: str, expected: list[str], world: World, browser: Client
) -> None:
    assert names(read_page(browser.get(f"{LIST}?{query}"))) == expected


def test_each_chip_removes_its_own_filter(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}?state=pending&q=e&label.team=research&label.x=1"))
    assert chips(page) == {
        "state Pending": f"{LIST}?q=e&label.team=research&label.x=1",
        "name or id e": f"{LIST}?state=pending&label.team=research&label.x=1",
        "team research": f"{LIST}?state=pending&q=e&label.x=1",
        "x 1": f"{LIST}?state=pending&q=e&label.team=research",
    }


def test_the_form_keeps_what_it_was_given(world: World, browser: Client) -> None:
    url = f"{LIST}?state=pending&reason=waiting_for_quota&user=nightly&type=job&label.team=research"
    form = read_page(browser.get(url)).all("form", **{"aria-label": "Filter the list"})[0]
    kept = {
        item.attrs["name"]: item.attrs.get("value", "")
        for item in form.all("input")
        if item.attrs.get("value")
    }
    chosen = [option.text for option in form.all("option") if "selected" in option.attrs]
    assert kept == {"state": "pending", "user": "nightly", "label.team": "research"}
    assert chosen == ["Waiting for quota", "job"]


def test_the_address_is_made_canonical(world: World, browser: Client) -> None:
    answer = browser.get(f"{LIST}?q=&queue=&label=team%3Dresearch&state=pending")
    assert answer.headers["Location"] == f"{LIST}?label.team=research&state=pending"
    assert browser.get(answer.headers["Location"]).status_code == 200


def test_the_segments_count_states_and_keep_other_filters(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}?state=rejected&user=x"))
    links = page.all("nav", **{"aria-label": "State"})[0].all("a")
    assert [link.text for link in links] == [
        "All 6",
        "Pending 2",
        "Admitted 2",
        "Preempting 0",
        "Finished 1",
        "Rejected 1",
        "Withdrawn 0",
    ]
    assert links[0].attrs["href"] == f"{LIST}?user=x"
    assert [link.text for link in links if "aria-current" in link.attrs] == ["Rejected 1"]


def test_pages_follow_each_other_without_overlap(
    config: None, browser: Client, owner: Actor
) -> None:
    data = {"name": "many", "type": "job", "copies": "120"}
    browser.post("/o/here/workloads/new", data)
    url, found = LIST, []
    while url:
        page = read_page(browser.get(url))
        found += names(page)
        following = page.all("a", rel="next")
        url = following[0].attrs["href"] if following else ""
    assert found == [f"many-{number}" for number in range(120, 0, -1)]


def test_the_kinds_of_empty_differ(
    org: Organization, viewer: Actor, browser: Client, client_for: Callable[[Actor], Client],
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    def title(reader: Client, query: str = "") -> str:
        return read_page(reader.get(LIST + query)).id("workload-list").all("h2")[0].text

    assert title(browser) == "No workloads yet"
    assert not read_page(client_for(viewer).get(LIST)).all("a", href=f"{LIST}/new")
    request.getfixturevalue("world")
    assert title(browser, "?user=nobody") == "Nothing matches these filters"


def test_wrong_filters_are_named(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}?state=asleep&since=yesterday"))
    assert [item.text for item in page.id("main").all("li")] == [
        "state has to be one of: pending, admitted, preempting, finished, rejected, withdrawn.",
        "since has to be a time such as 2026-01-31T12:00:00Z.",
    ]


def stages(page: Element) -> list[list[str]]:
    """Return the trace: title and visible sentences of each stage."""
    return [
        [stage.all("h3")[0].text, *(fact.text for fact in stage.all("ul")[0].all("li"))]
        for stage in page.walk()
        if stage.attrs.get("class") == "stage"
    ]


def test_a_waiting_workload_says_why(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}/{world.waiting.uid}"))
    headline = next(p for p in page.walk() if p.attrs.get("class") == "headline__text")
    assert headline.text == (
        "Waiting for quota in research: needs 4 GPUs on spot, 2 free now, 2 short; no workload "
        "may be preempted for it."
    )
    found = stages(page)
    assert [stage[0] for stage in found] == [
        "Intake",
        "Rules",
        "Priority",
        "Queue",
        "Flavors",
        "Preemption",
        "Order",
        "Outcome",
    ]
    assert found[1] == ["Rules", "Rule 1 (to research) accepts it. v1 L14–L16"]
    assert found[4] == [
        "Flavors",
        (
            "spot: 4 GPUs of 8 nominal - 6 used = 2 available: 2 short, preemption cannot free "
            "it. v1 L11"
        ),
    ]
    lines = [link.attrs["href"] for link in page.id("why").all("a", class_="lines-link")]
    assert "/o/here/config/v/1#L14-L16" in lines
    assert headline.text in page.id("copy-text").text


def test_a_rejected_workload_lists_every_rule(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}/{world.rejected.uid}"))
    assert stages(page)[1] == [
        "Rules",
        (
            "Rule 1 (to research) does not match: it requires team in [research], but the label "
            "is absent. v1 L14"
        ),
        (
            "Rule 2 (to default) does not match: it requires team exists, but the label is "
            "absent. v1 L17"
        ),
    ]


def test_rules_that_did_not_match_are_folded_away(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}/{world.passed.uid}"))
    assert [item.text for item in page.id("why").all("summary")] == [
        "1 other rule tried, none matched"
    ]


def test_where_many_are_explained_folded_rules_are_left_to_the_page_of_one(world: World) -> None:
    explained = explain_workload(world.org, world.passed)
    stages = stages_of(explained, fold_in=world.passed.uid)
    (route,) = (stage for stage in stages if stage.code == "route")
    assert (route.folded, route.fold_in) == ((), world.passed.uid)
    asked = {"stages": [route], "org": world.org.slug, "version": 1, "is_technical": False}
    text = render_to_string("components/trace.html", asked)
    link = f'<a href="{LIST}/{world.passed.uid}">1 other rule tried, none matched</a>'
    assert link in text
    assert "<details" not in text


def test_a_decision_has_an_address_of_its_own(
    world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    page = read_page(browser.get(f"{LIST}/{world.waiting.uid}"))
    link = page.id("decisions").all("a")[0].attrs["href"]
    before = read_page(browser.get(link)).all("p", class_="headline__text")[0].text
    browser.post(f"{LIST}/{world.admitted.uid}", {"do": "finish"})
    submit("later", gpu=1)
    assert read_page(browser.get(link)).all("p", class_="headline__text")[0].text == before


def test_finishing_and_withdrawing(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    answer = browser.post(f"{LIST}/{world.admitted.uid}", {"do": "finish"})
    assert answer.status_code == 302
    browser.post(f"{LIST}/{world.never.uid}", {"do": "withdraw"})
    settle(world.org)
    for workload in (world.admitted, world.never, world.waiting):
        workload.refresh_from_db()
    assert (world.admitted.state, world.never.state, world.waiting.state) == (
        "finished",
        "withdrawn",
        "admitted",
    )
    late = browser.post(f"{LIST}/{world.finished.uid}", {"do": "withdraw"})
    assert (late.status_code, read_page(late).all("h1")[0].text) == (409, "Conflict")
    assert browser.post(f"{LIST}/{world.waiting.uid}", {"do": "explode"}).status_code == 404


def test_a_workload_is_deactivated_and_activated(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    def buttons() -> list[str]:
        page = read_page(browser.get(address))
        return [
            each.text.partition(":")[0].strip()
            for each in page.id("workload-actions").all("button")
        ]

    address = f"{LIST}/{world.waiting.uid}"
    assert buttons()[:2] == ["Deactivate", "Withdraw"]
    answer = browser.post(address, {"do": "deactivate"}, follow=True)
    message = "Deactivating: the workload gets no turn until it is activated."
    assert message in read_page(answer).text
    settle(world.org)
    assert buttons()[:2] == ["Activate", "Withdraw"]
    page = read_page(browser.get(address))
    assert page.all("p", class_="headline__text")[0].text == (
        "Deactivated: it gets no turn until it is activated."
    )
    assert "no position until it is activated" in page.id("facts").text
    browser.post(address, {"do": "activate"})
    settle(world.org)
    assert buttons()[0] == "Deactivate"
    timeline = read_page(browser.get(f"{address}?tab=timeline"))
    assert "eval was activated." in timeline.id("main").text


def test_the_facts_have_the_end_of_the_run_time(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    form = {"name": "short", "type": "job", "copies": "1", "max_run_time": "1h30m"}
    answer = browser.post(f"{LIST}/new", form)
    assert answer.status_code == 302
    uid = Workload.objects.get(name="short").uid
    settle(world.org)
    facts = read_page(browser.get(f"{LIST}/{uid}")).id("facts").text
    assert "Maximum run time 1h30m" in facts
    again = read_page(browser.get(f"{LIST}/new?repeat={uid}"))
    assert again.id("id_max_run_time").attrs["value"] == "1h30m"
    for text in ("soon", "0s", "1.5s", "-1h", "700000h"):
        wrong = read_page(browser.post(f"{LIST}/new", form | {"max_run_time": text}))
        assert wrong.id("id_max_run_time").attrs["aria-invalid"] == "true"


def test_a_workload_gets_another_priority(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    address = f"{LIST}/{world.waiting.uid}"
    page = read_page(browser.get(address))
    assert page.id("priority-menu").all("summary")[0].text == "Change priority…"
    answer = browser.post(address, {"do": "priority", "priority": " 60 "}, follow=True)
    assert "Changing the priority to 60." in read_page(answer).text
    settle(world.org)
    world.waiting.refresh_from_db()
    assert world.waiting.priority == 60
    timeline = read_page(browser.get(f"{address}?tab=timeline"))
    assert "The priority of eval was changed" in timeline.id("main").text
    wrong = read_page(browser.post(address, {"do": "priority", "priority": "top"}, follow=True))
    assert "Enter the new priority as a whole number." in wrong.text
    gone = f"{LIST}/{world.finished.uid}"
    late = read_page(browser.post(gone, {"do": "priority", "priority": "1"}, follow=True))
    assert "The priority was not changed. The workload is already finished;" in late.text
    assert not late.all("details", id="priority-menu")


def test_submitting_one_leads_to_its_page_and_its_labels_are_kept(
    config: None, browser: Client, settle: Callable[[Organization], int], org: Organization
) -> None:
    data = {
        "name": "train",
        "type": "job",
        "copies": "1",
        "priority": "70",
        "instance_type": "p4d",
        "market_type": "SPOT",
        "tags": "team=research\n\n note = a=b \n",
        "request_gpu": "1.5",
        "user": "nightly",
    }
    answer = browser.post("/o/here/workloads/new", data)
    made = Workload.objects.get(org=org)
    assert answer.headers["Location"] == f"{LIST}/{made.uid}"
    assert (made.requests, made.requested_priority, made.user, made.label_set.labels) == (
        {"gpu": 1500},
        70,
        "nightly",
        {
            "team": "research",
            "note": "a=b",
            "instance-type": "p4d",
            "market-type": "SPOT",
            "workload-type": "job",
        },
    )
    settle(org)
    assert browser.get(answer.headers["Location"]).status_code == 200


def test_errors_stand_next_to_their_fields_and_in_a_summary(config: None, browser: Client) -> None:
    data = {
        "name": "",
        "type": "job",
        "copies": "1001",
        "priority": "high",
        "tags": "team\nmarket-type=SPOT",
        "request_gpu": "0.0001",
    }
    response = browser.post("/o/here/workloads/new", data)
    page = read_page(response)
    found = {
        element.attrs["id"]: element.text
        for element in page.walk()
        if element.attrs.get("id", "").endswith("_error")
    }
    assert response.status_code == 422
    assert found == {
        "id_name_error": "This field is required.",
        "id_copies_error": "Ensure this value is less than or equal to 1000.",
        "id_priority_error": "'high' is not a whole number.",
        "id_tags_error": "Line 1 has no =; write key=value. The key market-type is reserved: "
        "send it as the field market_type instead of a tag.",
        "id_request_gpu_error": "0.0001 has more than three decimals.",
    }
    summary = page.all("div", role="alert")[0]
    assert {link.attrs["href"] for link in summary.all("a")} == {
        "#id_name", "#id_copies", "#id_priority", "#id_tags", "#id_request_gpu",
    }  # fmt: skip
    assert not Workload.objects.exists()


def test_pasted_json_is_accepted_whole_or_refused_whole(
    config: None, browser: Client, org: Organization
) -> None:
    new = "/o/here/workloads/new"
    good = '[{"name": "a", "requests": {"gpu": 0.5}}, {"name": "b"}]'
    bad = '{"workloads": [{"name": "c"}, {"name": "d", "requests": {"gpu": -1}, "tipe": "job"}]}'
    refused = read_page(browser.post(new, {"json": bad}))
    assert [item.all("code")[0].text for item in refused.id("json-errors").all("li")] == [
        "workloads[1].tipe",
        "workloads[1].requests.gpu",
    ]
    assert refused.id("json").text == bad
    broken = read_page(browser.post(new, {"json": "[{"}))
    assert "Invalid JSON at line 1, column 3" in broken.id("json-errors").text
    for text in ("[1e99999999999999999999]", "[NaN]", '[{"name": "a", "name": "b"}]', "[" * 9999):
        answer = browser.post(new, {"json": text})
        assert answer.status_code == 422
        assert read_page(answer).id("json").text == text
    assert not Workload.objects.exists()
    answer = browser.post(new, {"json": good})
    assert names(read_page(browser.get(answer.headers["Location"]))) == ["b", "a"]


def test_many_candidates_for_preemption_are_folded_away(
    config: None, browser: Client, submit: Callable[..., Workload]
) -> None:
    for number in range(8):
        submit(f"small-{number}", gpu=1)
    waiting = submit("late", gpu=1)
    why = read_page(browser.get(f"{LIST}/{waiting.uid}")).id("why")
    assert [item.text for item in why.all("summary")] == ["8 running workloads considered"]
    links = [link.text for link in why.all("details")[0].all("a")]
    assert sorted(links) == [f"small-{number}" for number in range(8)]
