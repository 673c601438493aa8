"""The list of workloads: groups, chosen columns, saved views, export and empty lists."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.configs.services.apply_config import apply_config
from console.orgs.models import Membership
from console.orgs.permissions import Actor
from console.workloads.models import SavedView
from tests.module_fixtures import module_org
from tests.pages.conftest import CONFIG, World
from tests.pages.module_fixtures import module_world
from tests.pages.page import complaints, read_page

org, owner = module_org()
made, world = module_world()

LIST = "/o/here/workloads"
ClientFor = Callable[[Actor], Client]


def test_reasons_are_counted_and_lead_to_one_explanation_of_all(
    world: World, browser: Client
) -> None:
    page = read_page(browser.get(f"{LIST}?group_by=reason"))
    assert [row[:2] for row in page.id("groups").rows()] == [
        ["Quota reserved", "2"],
        ["Can never run under this config", "1"],
        ["Accepted by no rule", "1"],
        ["Admitted without quota", "1"],
        ["Waiting for quota", "1"],
    ]
    links = [link.attrs["href"] for link in page.id("groups").all("a")]
    assert f"{LIST}?reason=waiting_for_quota" in links
    assert f"{LIST}/explain?reason=waiting_for_quota" in links
    told = read_page(browser.get(f"{LIST}/explain?reason=waiting_for_quota&queue=research"))
    assert told.all("h1")[0].text == "Waiting for quota"
    assert "needs 4 GPUs on spot, 2 free now, 2 short" in told.id("main").text
    assert told.all("a", href=f"{LIST}/{world.waiting.uid}/changes")
    assert complaints(told) == []
    rejected = read_page(browser.get(f"{LIST}/explain?reason=no_rule_matched"))
    assert "In the request: set team to research" in rejected.id("main").text
    assert browser.get(f"{LIST}/explain").status_code == 400


def test_a_rejected_workload_says_what_would_let_it_in_request_first(
    world: World, browser: Client
) -> None:
    page = read_page(browser.get(f"{LIST}/{world.rejected.uid}"))
    assert [item.all("p")[0].text for item in page.id("fixes").all("li")] == [
        "In the request: set team to research, to be accepted by rule 1, which routes to research.",
        (
            "In the request: set team to any value but research, to be accepted by rule 2, which "
            "routes to default."
        ),
        (
            "In the config: change rule 1 to accept it for research. Currently: does not match. "
            "It requires team in [research]. v1 L14–L16"
        ),
        (
            "In the config: change rule 2 to accept it for default. Currently: does not match. It "
            "requires team exists. v1 L17–L18"
        ),
    ]


def test_columns_are_chosen_by_the_address_and_by_a_form(world: World, browser: Client) -> None:
    usual = "&".join(f"col={name}" for name in page_columns(browser))
    page = read_page(browser.get(f"{LIST}?cols=label.team,queue&q=train"))
    assert page.rows() == [["Select train", "train owner@here.example", "research", "research"]]
    answer = browser.get(f"{LIST}?q=train&col=queue&col=state&col=&col_label=team")
    assert answer.headers["Location"] == f"{LIST}?q=train&cols=queue%2Cstate%2Clabel.team"
    assert browser.get(f"{LIST}?{usual}").headers["Location"] == LIST
    assert browser.get(f"{LIST}?cols=color").status_code == 400


def page_columns(browser: Client) -> list[str]:
    """Return the columns that are selected in the form."""
    form = read_page(browser.get(LIST)).all("form", **{"aria-label": "Columns"})[0]
    chosen = [option for option in form.all("option") if "selected" in option.attrs]
    return [option.attrs["value"] for option in chosen]


def test_my_workloads_are_those_of_my_user(world: World, owner: Actor, browser: Client) -> None:
    response = browser.get("/o/here/workloads/mine")
    assert (response.status_code, response["Location"]) == (
        302,
        f"/o/here/workloads?user={quote(owner.name)}",
    )
    Membership.objects.filter(org=world.org).update(user_name="ann k")
    assert browser.get("/o/here/workloads/mine")["Location"] == "/o/here/workloads?user=ann+k"
    page = read_page(browser.get("/o/here/workloads"))
    assert "/o/here/workloads/mine" in [link.attrs["href"] for link in page.id("main").all("a")]


def test_an_empty_list_links_to_the_nearest_list_with_rows(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}?state=rejected&user=nightly"))
    (link,) = page.id("workload-list").all("p", class_="empty__text")[0].all("a")
    # Either filter alone matches one workload; the link drops the first one in the address.
    assert (link.text, link.attrs["href"]) == ("1 workload", f"{LIST}?user=nightly")


def test_a_list_says_how_long_it_is_and_is_exported(world: World, browser: Client) -> None:
    page = read_page(browser.get(f"{LIST}?queue=research"))
    assert page.id("total").text == "4 workloads"
    answer = browser.get(f"{LIST}?as=ndjson&queue=research&state=pending")
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert [(row["name"], row["requests"]) for row in rows] == [
        ("huge", {"gpu": 80}),
        ("eval", {"gpu": 4}),
    ]


def test_a_view_is_saved_opened_and_deleted(
    world: World, browser: Client, viewer: Actor, client_for: ClientFor, owner: Actor
) -> None:
    body = {"name": "Waiting", "query": "state=pending&queue=research", "columns": "queue,reason"}
    opened = f"{LIST}?queue=research&state=pending&cols=queue%2Creason"
    assert browser.post(f"{LIST}/views", body | {"is_shared": "on"}).headers["Location"] == opened
    page = read_page(browser.get(opened))
    tabs = page.all("nav", **{"aria-label": "Saved views"})[0]
    assert [link.text for link in tabs.all("a") if "aria-current" in link.attrs] == [
        "Waiting shared"
    ]
    theirs = client_for(viewer)
    row = read_page(theirs.get(f"{LIST}/views")).id("saved-views").rows()[0]
    assert row[:3] == ["Waiting", "queue: research state: Pending", "Queue, Reason"]
    number = SavedView.objects.get().pk
    assert theirs.post(f"{LIST}/views", {"delete": str(number)}).status_code == 403
    assert theirs.post(f"{LIST}/views", body | {"is_shared": "on"}).status_code == 403
    assert browser.post(f"{LIST}/views", {"delete": str(number)}).status_code == 302
    assert browser.post(f"{LIST}/views", {"delete": str(number)}).status_code == 404
    assert (
        read_page(browser.get(f"{LIST}/views")).id("main").all("h2")[0].text == "No saved views yet"
    )


def test_a_view_of_a_queue_that_is_gone_still_opens_and_says_so(
    world: World, browser: Client, owner: Actor, settle: Callable[..., int]
) -> None:
    browser.post(f"{LIST}/views", {"name": "Old", "query": "queue=research"})
    text = CONFIG.replace("research\n    preemption", "other\n    preemption")
    text = text.replace("resource_queue: research", "resource_queue: other")
    apply_config(owner, "native", text, "Renamed", 1)
    settle(owner.org)
    page = read_page(browser.get(f"{LIST}?queue=research"))
    assert "The active config has no queue research" in page.id("workload-list").text
    views = read_page(browser.get(f"{LIST}/views"))
    assert "the active config has no queue research" in views.id("saved-views").text


def test_a_trace_is_plain_technical_or_json(world: World, browser: Client) -> None:
    url = f"{LIST}/{world.waiting.uid}"
    page = read_page(browser.get(f"{url}?trace=technical"))
    numbers = [each.text for each in page.all("p", class_="fact__numbers")]
    assert any("requested= 4000" in each for each in numbers), numbers
    (shown,) = read_page(browser.get(f"{url}?trace=json")).all("pre", class_="trace-json")
    assert json.loads(shown.children[0])["workload"] == world.waiting.uid
    assert not read_page(browser.get(url)).all("p", class_="fact__numbers")


def test_pages_ask_the_same_of_the_database_however_much_there_is(
    world: World, browser: Client, submit: Callable[..., object]
) -> None:
    paths = [
        LIST,
        f"{LIST}?queue=research&label.team=research",
        f"{LIST}?group_by=reason",
        f"{LIST}?group_by=flavor&queue=research",
        f"{LIST}/explain?reason=waiting_for_quota",
        f"{LIST}/{world.waiting.uid}/compare",
        f"{LIST}/{world.waiting.uid}?tab=timeline",
    ]

    def asked() -> list[int]:
        counts = []
        for path in paths:
            browser.get(path)
            with CaptureQueriesContext(connection) as captured:
                assert browser.get(path).status_code == 200
            counts.append(len(captured))
        return counts

    few = asked()
    for number in range(6):
        submit(f"more-{number}", gpu=4, user=f"user-{number}")
    assert asked() == few
    assert max(few) < 60
