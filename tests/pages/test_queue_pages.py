"""Queue and event pages: draining queues, names, sentences, and constant numbers of queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
from tests.pages.conftest import CONFIG, World
from tests.pages.page import read_page


def test_a_queue_that_left_the_config_drains(
    world: World, owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    text = CONFIG.replace("name: research\n", "name: labs\n").replace(
        "resource_queue: research", "resource_queue: labs"
    )
    apply_config(owner, "native", text, "", 1)
    settle(world.org)
    page = read_page(browser.get("/o/here/queues/research"))
    assert page.id("queue-state").text == "Draining"
    assert page.id("usage").rows() == [
        ["spot", "gpu", "6 GPUs used of 0 · draining", "0", "6", "0", "—"]
    ]
    overview = read_page(browser.get("/o/here/"))
    assert "Queue research is not in the active config and still has workloads" in (
        overview.id("attention").text
    )


def test_the_page_of_a_successor_names_the_queue_that_still_drains(
    world: World, owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    text = CONFIG.replace("name: research\n", "name: research:v2\n").replace(
        "resource_queue: research", "resource_queue: research:v2"
    )
    apply_config(owner, "native", text, "", 1)
    settle(world.org)
    notices = read_page(browser.get("/o/here/queues/research:v2")).id("queue-notices")
    assert notices.text == ("Replaces research , whose 1 workload still runs outside this quota.")
    assert [a.attrs["href"] for a in notices.all("a")] == ["/o/here/queues/research"]
    drained = read_page(browser.get("/o/here/queues/research")).id("queue-notices").text
    assert "Replaces" not in drained
    finish_workloads(owner, [world.admitted.uid])
    settle(world.org)
    assert not read_page(browser.get("/o/here/queues/research:v2")).id("queue-notices").text


@pytest.mark.parametrize(
    "name", ["a/b", "a b", "50%", "ü:v2", "new", "x?y#z", "hold", '"<b>"', "a//b"]
)
def test_any_name_of_a_queue_has_a_page(
    name: str, org: Organization, owner: Actor, browser: Client,
    settle: Callable[[Organization], int],
) -> None:  # fmt: skip
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    text = f'resource_queues: [{{ name: "{quoted}" }}]\nscheduling_rules: [{{ resource_queue: "{quoted}" }}]\n'  # noqa: E501
    apply_config(owner, "native", text, "", 0)
    settle(org)
    listed = read_page(browser.get("/o/here/queues")).all("tbody")[0].all("a")[0]
    page = read_page(browser.get(listed.attrs["href"]))
    assert listed.attrs["href"] == reverse("pages:queue", args=["here", name])
    assert page.all("h1")[0].text == name


def test_events_are_sentences_about_linked_things(world: World, browser: Client) -> None:
    page = read_page(browser.get("/o/here/events?type=REQUEST_REJECTED"))
    # The facts follow the sentence and are expandable.
    ((told, *about, _),) = page.id("event-rows").rows()
    assert told.partition(" Facts of ")[0] == "lost was rejected: accepted by no rule. Error"
    assert about == ["lost", "—", "engine"]
    page = read_page(browser.get(f"/o/here/events?workload={world.waiting.uid}"))
    assert [row[0].partition(" Facts of ")[0] for row in page.id("event-rows").rows()] == [
        "eval is queued: waiting for quota.",
        "eval was submitted.",
    ]


@pytest.mark.parametrize(
    ("path", "most"),
    [
        # The overview combines the data of all other pages.
        ("", 56),
        ("queues", 25),
        ("queues/research", 25),
        ("workloads", 25),
        ("workloads?state=pending", 25),
        ("events", 25),
    ],
)
def test_queries_do_not_grow_with_rows(
    path: str, most: int, world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            browser.get(f"/o/here/{path}")
        return len(captured)

    queries()
    before = queries()
    for number in range(8):
        submit(f"more-{number}", gpu=number + 1, priority=number)
        submit(f"lost-{number}", team=None)
    assert queries() == before
    assert before <= most


@pytest.mark.parametrize("name", ["a%00b", "%00", "unknown", "%F0%9F%9A%80"])
def test_an_unknown_queue_is_not_found(config: None, browser: Client, name: str) -> None:
    assert browser.get(f"/o/here/queues/{name}").status_code == 404
    assert browser.post(f"/o/here/queues/{name}", {"reason": "x"}).status_code == 404
