"""The list of workloads sorted by the heads of its columns."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client

from console.orgs.permissions import Actor
from console.workloads.queries.filters import WorkloadFilter
from console.workloads.queries.listing import Order, list_workloads
from console.workloads.services.submit_workloads import Submission, submit_workloads
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import Element, complaints, read_page

org, owner = module_org()
made, world = module_world()

LIST = "/o/here/workloads"


def head(page: Element, title: str) -> tuple[str, dict[str, str] | None]:
    """Return how the list is sorted by a column, and the query of the link in its head."""
    (found,) = [each for each in page.all("th", scope="col") if each.text == title]
    links = found.all("a")
    query = dict(parse_qsl(urlsplit(links[0].attrs["href"]).query)) if links else None
    return found.attrs.get("aria-sort", ""), query


def names(page: Element) -> list[str]:
    return [link.text for link in page.id("workload-rows").all("a", class_="dense__name")]


def test_the_oldest_come_first(world: World, browser: Client) -> None:
    newest = read_page(browser.get(LIST))
    assert head(newest, "Submitted") == ("descending", {"sort": "oldest"})
    assert head(newest, "Priority") == ("", None)
    oldest = read_page(browser.get(f"{LIST}?sort=oldest"))
    assert head(oldest, "Submitted") == ("ascending", {})
    assert names(oldest) == names(newest)[::-1]
    assert complaints(oldest) == []


def test_pending_workloads_of_a_queue_are_sorted_by_priority(world: World, browser: Client) -> None:
    address = f"{LIST}?state=pending&queue={world.waiting.queue}"
    page = read_page(browser.get(address))
    query = {"state": "pending", "queue": world.waiting.queue, "sort": "priority"}
    assert head(page, "Priority") == ("", query)
    page = read_page(browser.get(f"{address}&sort=priority"))
    assert head(page, "Priority")[0] == "descending"
    assert head(page, "Submitted") == ("", {"state": "pending", "queue": world.waiting.queue})
    assert sorted(names(page)) == sorted(names(read_page(browser.get(address))))
    # Without a filter that the order needs, the list has its usual order.
    page = read_page(browser.get(f"{LIST}?sort=priority"))
    assert head(page, "Submitted")[0] == "descending"
    assert browser.get(f"{LIST}?sort=size").status_code == 400


@pytest.mark.parametrize(
    "conditions",
    [
        WorkloadFilter(),
        WorkloadFilter(type="job"),
        WorkloadFilter(q="page-"),
        WorkloadFilter(labels={"part": "0"}),
    ],
)
def test_pages_continue_in_every_order(
    world: World, owner: Actor, conditions: WorkloadFilter
) -> None:
    submit_workloads(
        owner, [Submission(name=f"page-{n}", tags={"part": str(n % 2)}) for n in range(12)]
    )

    def pages(order: Order) -> list[str]:
        found, cursor = [], None
        while True:
            page = list_workloads(owner.org, conditions, 5, cursor, order)
            found += [each.uid for each in page.results]
            cursor = page.next
            if cursor is None:
                return found

    oldest = pages(Order.OLDEST)
    assert len(oldest) > 5
    assert oldest == pages(Order.NEWEST)[::-1]
