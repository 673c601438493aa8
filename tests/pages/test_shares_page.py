"""The page of fair shares: the tree on one scale, one queue in detail, and trials."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.lists.addresses import PAGE_SIZE
from tests.cohorts import activate_policy
from tests.engine.fairshare.live import policy, queue
from tests.pages.page import Element, complaints, read_page
from tests.shares import fill_shares


@pytest.fixture
def divided(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_shares(owner, monkeypatch)


def get(browser: Client, query: str = "", status: int = 200) -> Element:
    """Return the page, and fail unless its markup is valid."""
    response = browser.get(f"/o/here/shares{query}")
    assert response.status_code == status
    page = read_page(response)
    assert complaints(page) == []
    return page


def rows(page: Element) -> list[list[str]]:
    return [
        [cell.text for cell in row.children if isinstance(cell, Element)][2:]
        for row in page.id("share-rows").all("tr")
    ]


def test_the_tree_shows_every_number_on_one_scale(people: dict[str, Client], divided) -> None:
    page = get(people["viewer"])
    assert rows(page) == [
        ["6", "4", "unlimited", "1 priority 100", "8", "6",
         "2 of 2 other is before it: with its next workload it stays within its quota"],
        ["5", "3", "unlimited", "1 priority 100", "5",
         "3", "1 of 2"],
        ["1", "0", "unlimited", "1 priority 100", "3", "3",
         "2 of 2 a is before it: with its next workload it has the smaller dominant share"],
        ["2", "2", "unlimited", "2 priority 200", "2", "0", "1 of 2"],
    ]  # fmt: skip
    bars = [each.attrs["aria-label"] for each in page.id("share-rows").all("svg")]
    parts = [each.text for each in page.id("share-rows").all("p")]
    assert parts == [
        "4 by quota, 2 of the surplus",
        "3 by quota, 1 of the surplus, 1 by rounding",
        "0 by quota, 1 of the surplus",
    ]
    assert bars[0] == "dept uses 6 GPU, its fair share is 6"
    widths = [
        each.attrs["width"]
        for each in page.id("share-rows").all("rect")
        if each.attrs["class"] == "quota__track"
    ]
    assert widths == ["75%", "62.5%", "12.5%", "25%"]


def test_another_resource_and_one_queue_in_detail(people: dict[str, Client], divided) -> None:
    page = get(people["viewer"], "?show=cpu&of=other")
    assert "0 CPUs on ready nodes" in page.id("shares-region").text
    detail = page.id("shares-detail").text
    assert "2 GPUs from a , 2 GPUs from b" in detail
    assert "Dominant share 0 of what it may use of cpu" in detail


def test_a_trial_shows_both_fair_shares_and_applies_nothing(
    people: dict[str, Client], divided
) -> None:
    page = get(people["viewer"], "?queue=b&number=quota&resource=gpu&value=3")
    assert [row[1] for row in rows(page)] == ["the same", "3 −2", "3 +2", "the same"]
    assert page.id("t-queue").attrs["value"] == "b"
    assert [row[0] for row in rows(get(people["viewer"]))] == ["6", "5", "1", "2"]


def test_a_wrong_trial_is_explained_beside_the_form(people: dict[str, Client], divided) -> None:
    page = get(people["viewer"], "?queue=gone&number=priority&value=1", 400)
    assert "There is no queue 'gone' in the active config." in page.text
    assert len(rows(page)) == 4


def test_without_shares_the_page_says_why(people: dict[str, Client], org: Organization) -> None:
    for browser in people.values():
        get(browser)


def test_the_page_of_a_queue_has_its_shares_and_links_its_parent(
    people: dict[str, Client], divided
) -> None:
    page = read_page(people["viewer"].get("/o/here/queues/other"))
    assert complaints(page) == []
    assert "2 GPUs from a , 2 GPUs from b" in page.id("queue-shares").text
    page = read_page(people["viewer"].get("/o/here/queues/b"))
    assert complaints(page) == []
    (parent,) = [each for each in page.all("a") if each.text == "below dept"]
    assert parent.attrs["href"] == "/o/here/queues/dept"
    listed = read_page(people["viewer"].get("/o/here/queues?group=cohort"))
    assert complaints(listed) == []
    assert "Below dept" in listed.text
    assert people["viewer"].get("/o/here/queues?compare=a&compare=b").status_code == 200
    assert people["viewer"].get("/o/here/").status_code == 200
    assert people["viewer"].get("/o/here/usage").status_code == 200


@pytest.mark.parametrize("name", ["a/b", "größe", "<b>bold</b>", "?x=1&y=2", "100%", "..", "🚀"])
def test_any_name_of_a_queue_is_shown_and_linked(
    people: dict[str, Client], owner: Actor, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fill_shares(owner, monkeypatch)
    found = replace(policy([queue("top"), queue(name, "top", quota=1)]), dialect="native")
    activate_policy(owner.org, found, monkeypatch)
    page = get(people["viewer"])
    (link,) = [each for each in page.id("share-rows").all("a") if each.text == name]
    (details,) = [each for each in page.id("share-rows").all("a") if "Details" in each.text]
    assert people["viewer"].get(link.attrs["href"]).status_code == 200
    opened = people["viewer"].get(details.attrs["href"])
    assert read_page(opened).id("detail-title").text == name
    tried = people["viewer"].get(
        "/o/here/shares", {"queue": name, "number": "weight", "resource": "gpu", "value": "2"}
    )
    assert read_page(tried).id("t-queue").attrs["value"] == name


def test_statements_do_not_grow_with_queues(
    people: dict[str, Client], owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_shares(owner, monkeypatch)

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            page = get(people["viewer"], "?of=a")
        assert len(rows(page)) <= PAGE_SIZE
        return len(captured)

    statements()
    few = statements()
    many = [queue("a", quota=1), *(queue(f"q{number}", "a") for number in range(120))]
    activate_policy(owner.org, replace(policy(many), dialect="native"), monkeypatch)
    assert statements() == few <= 20
    page = get(people["viewer"])
    (following,) = [each for each in page.all("a") if each.text.startswith("Next")]
    assert "cursor" in following.attrs["href"]
    assert people["viewer"].get(following.attrs["href"]).status_code == 200


def test_a_queue_that_the_config_lacks_has_no_link(
    people: dict[str, Client], owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_shares(owner, monkeypatch)
    found = policy([queue("top"), queue("a", "top")], full_hierarchy=False)
    activate_policy(owner.org, replace(found, dialect="native"), monkeypatch)
    page = get(people["viewer"])
    assert "default not in the config" in page.id("share-rows").text
    links = [each.attrs["href"] for each in page.id("share-rows").all("a")]
    assert [people["viewer"].get(each).status_code for each in links] == [200] * 2
    assert people["viewer"].get("/o/here/queues/a").status_code == 200
    assert people["viewer"].get("/o/here/queues/top").status_code == 200
    assert people["viewer"].get("/o/here/queues").status_code == 200
