"""Live updates: polls are answered only when something changed, then with the whole page."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.hold_queue import hold_queue
from tests.module_fixtures import module_org
from tests.pages.conftest import CONFIG, World
from tests.pages.module_fixtures import module_world
from tests.pages.page import read_page

org, owner = module_org()
made, world = module_world()

LIVE = [
    "",
    "queues",
    "queues/research",
    "workloads",
    "workloads/{waiting}",
    "events",
    "events/audit",
]


def version_of(browser: Client, url: str) -> str:
    """Return the version in the poll attributes of a page."""
    return read_page(browser.get(url)).id("live-poll").attrs["data-version"]


@pytest.mark.parametrize("path", LIVE)
def test_polling_is_answered_only_when_something_changed(
    path: str, world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    url = f"/o/{world.org.slug}/" + path.format(waiting=world.waiting.uid)
    version = version_of(browser, url)
    unchanged = browser.get(url, {"v": version})
    assert (unchanged.status_code, unchanged.content) == (204, b"")
    submit("another", gpu=1)
    changed = browser.get(url, {"v": version})
    assert changed.status_code == 200
    assert read_page(changed).id("live-poll").attrs["data-version"] != version


def test_an_unchanged_page_costs_few_queries(world: World, browser: Client) -> None:
    url = f"/o/{world.org.slug}/queues/research"
    version = version_of(browser, url)
    with CaptureQueriesContext(connection) as queries:
        browser.get(url, {"v": version})
    tables = [query["sql"].split(" FROM ")[1].split()[0].strip('"') for query in queries]
    assert tables == [
        # Session, account and membership in one query; the engine and its intake in another.
        "orgs_membership",
        "workloads_intake",
    ]


def test_a_poll_of_somebody_signed_out_is_refused_and_not_redirected(world: World) -> None:
    answer = Client().get(f"/o/{world.org.slug}/queues", {"v": "1.1"})
    assert (answer.status_code, answer.content) == (401, b"")


def test_links_of_a_polled_page_do_not_poll(world: World, browser: Client) -> None:
    page = read_page(
        browser.get(f"/o/{world.org.slug}/workloads", {"v": "0.0", "state": "pending"})
    )
    found = [link.attrs["href"] for link in page.all("nav", **{"aria-label": "State"})[0].all("a")]
    assert found == [
        "/o/here/workloads",
        "/o/here/workloads?state=pending",
        "/o/here/workloads?state=admitted",
        "/o/here/workloads?state=preempting",
        "/o/here/workloads?state=finished",
        "/o/here/workloads?state=rejected",
        "/o/here/workloads?state=withdrawn",
    ]


def test_no_link_of_a_polled_page_is_a_poll(world: World, owner: Actor, browser: Client) -> None:
    later = timedelta(minutes=10)
    apply_config(owner, "native", f"{CONFIG}# more\n", "With a timer", 1, revert_after=later)
    for path in (
        *LIVE,
        "attention",
        "cohorts",
        "capacity/east",
        "usage",
        "workloads?group_by=reason",
    ):
        url = f"/o/here/{path.format(waiting=world.waiting.uid)}"
        polled = read_page(browser.get(f"{url}{'&' if '?' in url else '?'}v=0-0"))
        ways = [
            value
            for each in polled.walk()
            for name, value in each.attrs.items()
            if name in ("href", "action", "hx-get", "hx-post", "value")
        ]
        assert [way for way in ways if re.search(r"[?&]v=", way)] == []
        # The banner's return address is the polled page.
        (back,) = polled.id("revert-timer").all("input", name="next")
        assert back.attrs["value"] == url


def test_every_list_that_is_patched_has_stable_rows(world: World, browser: Client) -> None:
    for path in ("queues", "queues/research", "capacity", "capacity/east", "workloads", "events"):
        page = read_page(browser.get(f"/o/{world.org.slug}/{path}"))
        lists = [body for body in page.all("tbody") if "data-rows" in body.attrs]
        bars = {bar.attrs["data-rows-bar"] for bar in page.walk() if "data-rows-bar" in bar.attrs}
        assert {body.attrs["id"] for body in lists} <= bars
        assert all(row.attrs.get("id") for body in lists for row in body.all("tr"))


def test_a_hold_shows_on_the_page_that_polls(
    world: World, owner: Actor, browser: Client, settle: Callable[..., int]
) -> None:
    url = f"/o/{world.org.slug}/queues/research"
    version = version_of(browser, url)
    hold_queue(owner, "research", "moving racks")
    settle(world.org)
    page = read_page(browser.get(url, {"v": version}))
    assert page.id("queue-state").text == "Held"
    notice = re.sub(r"\d+ s ago", "just now", page.id("queue-notices").text)
    assert notice == (
        f"Held by {owner.name} just now : moving racks. "
        "Running workloads continue; no workload is admitted."
    )
