"""The page of fair shares: the tree on one scale, one queue in detail, and trials."""

from __future__ import annotations

import pytest
from django.test import Client

from console.orgs.models import Organization
from console.orgs.permissions import Actor
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
        ["6 4 by quota, 2 of the surplus", "4", "unlimited", "1 priority 100", "8", "6",
         "2 of 2 other is before it: with its next workload it stays within its quota"],
        ["5 3 by quota, 1 of the surplus, 1 by rounding", "3", "unlimited", "1 priority 100", "5",
         "3", "1 of 2"],
        ["1 0 by quota, 1 of the surplus", "0", "unlimited", "1 priority 100", "3", "3",
         "2 of 2 a is before it: with its next workload it has the smaller dominant share"],
        ["2", "2", "unlimited", "2 priority 200", "2", "0", "1 of 2"],
    ]  # fmt: skip
    bars = [each.attrs["aria-label"] for each in page.id("share-rows").all("svg")]
    assert bars[0] == "dept uses 6 GPU, its fair share is 6"
    widths = [
        each.attrs["width"]
        for each in page.id("share-rows").all("rect")
        if each.attrs["class"] == "quota__track"
    ]
    assert widths == ["75%", "62.5%", "12.5%", "25%"]


def test_another_resource_and_one_queue_in_detail(people: dict[str, Client], divided) -> None:
    page = get(people["viewer"], "?show=cpu&of=other")
    assert "0 cpu on ready nodes" in page.id("shares-region").text
    detail = page.id("shares-detail").text
    assert "2 gpu from a , 2 gpu from b" in detail
    assert "Dominant share 0 of what it may use of cpu" in detail


def test_a_trial_shows_both_fair_shares_and_applies_nothing(
    people: dict[str, Client], divided
) -> None:
    page = get(people["viewer"], "?queue=b&number=quota&resource=gpu&value=3")
    assert [row[1] for row in rows(page)] == ["the same", "3 −2", "3 +2", "the same"]
    assert page.id("t-queue").attrs["value"] == "b"
    assert [row[0][0] for row in rows(get(people["viewer"]))] == ["6", "5", "1", "2"]


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
    assert "2 gpu from a , 2 gpu from b" in page.id("queue-shares").text
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
