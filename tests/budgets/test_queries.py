"""
No page and no path takes more queries than its budget, in the empty world as in the large one.

One figure holds for all of them, so what an address asks does not grow with what there is.
`python -m tests.budgets` writes the budgets anew; whoever raises one sees it in the diff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from console.paging import WINDOWS
from tests.budgets.conftest import Worlds
from tests.budgets.files import read_budgets
from tests.budgets.opening import Opened, open_twice
from tests.worlds import OPENED
from tests.worlds.addresses import api_addresses, page_addresses

#: What finds few among many looks through windows of rows, each found and read by a query.
MOST_MORE = 2 * len(WINDOWS)

#: A link to nothing, which says so.
REFUSED = {"join": 404}


def over(found: list[Opened], budgets: dict[str, int]) -> list[str]:
    """Return what is wrong with the budgets of what was opened, a line each."""
    return [
        f"{len(each.statements)} queries, {budgets[each.address.pattern]} allowed: "
        f"{each.address.url}: {Counter(map(_shape, each.statements)).most_common(3)}"
        for each in found
        if len(each.statements) > budgets[each.address.pattern]
    ]


def _shape(statement: str) -> str:
    """Return a statement's beginning, in which there are no values yet."""
    return statement.partition(" WHERE ")[0][-60:]


Find = Callable[[str, str], list[Opened]]


@pytest.fixture(scope="module")
def opened(worlds: Worlds) -> Find:
    """Return what every address of a kind answers in a world, asked once for all tests."""

    @cache
    def find(kind: str, name: str) -> list[Opened]:
        addresses = page_addresses if kind == "pages" else api_addresses
        with worlds.entered(name) as world:
            reader = world.browser("owner") if kind == "pages" else world.program("owner")
            return [open_twice(reader, each) for each in addresses(world)]

    return find


@pytest.mark.parametrize("name", OPENED)
def test_pages_keep_to_their_budgets(opened: Find, name: str) -> None:
    found = opened("pages", name)
    assert refused(found) == REFUSED
    assert over(found, read_budgets("pages.toml")) == []


@pytest.mark.parametrize("name", OPENED)
def test_paths_of_the_api_keep_to_their_budgets(opened: Find, name: str) -> None:
    found = opened("paths", name)
    # Before the first version there is none to be read.
    assert refused(found) == ({"orgs/{org}/config": 404} if name == "empty" else {})
    assert over(found, read_budgets("paths.toml")) == []


@pytest.mark.parametrize("kind", ["pages", "paths"])
def test_what_is_asked_does_not_grow_with_what_there_is(opened: Find, kind: str) -> None:
    """Three hundred queues and 100,000 workloads take what a dozen and some hundred take."""
    few = {each.address.pattern: len(each.statements) for each in opened(kind, "demo")}
    many = {each.address.pattern: len(each.statements) for each in opened(kind, "large")}
    # The demo has no cohort, and rejects nothing.
    assert few.keys() <= many.keys()
    grown = {pattern: (few[pattern], many[pattern]) for pattern in few}
    assert {
        pattern: counts for pattern, counts in grown.items() if counts[1] > counts[0] + MOST_MORE
    } == {}


def refused(found: list[Opened]) -> dict[str, int]:
    """Return the status of the addresses that answered with an error, by their patterns."""
    return {each.address.pattern: each.status for each in found if each.status >= 400}
