"""
Pages and API paths stay within their budgets in every world, from empty to large.

One budget of queries holds for all worlds, so their number does not grow with the data. Another one
is for the files and bytes that a browser loads for a page. `python -m tests.budgets` rewrites the
budgets, and its diff shows every increase.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from console.paging import WINDOWS
from tests.budgets.conftest import Worlds
from tests.budgets.files import read_budgets
from tests.budgets.opening import Opened, open_twice, open_within
from tests.budgets.weight import StaticFolder, cold_load, weights_of
from tests.worlds import OPENED
from tests.worlds.addresses import api_addresses, page_addresses

#: Searches with few matches scan windows of rows, with queries per window.
MOST_MORE = 2 * len(WINDOWS)

#: The most files and bytes, as compressed, that a browser without a cache loads for a page.
LIGHT = (10, 150_000)

#: Pages with the text editor, whose scripts alone are 160 kB.
HEAVY = {"pages:config-edit", "pages:config-draft"}

#: Links to missing objects, which answer an error.
REFUSED = {"join": 404, "unsubscribe/nothing": 404, "confirm/nothing": 404}


def over(found: list[Opened], budgets: dict[str, int]) -> list[str]:
    """Return the budget violations of the opened addresses, a line each."""
    return [
        f"{len(each.statements)} queries, {budgets[each.address.pattern]} allowed: "
        f"{each.address.url}: {Counter(map(_shape, each.statements)).most_common(3)}"
        for each in found
        if len(each.statements) > budgets[each.address.pattern]
    ]


def _shape(statement: str) -> str:
    """Return the beginning of a statement, which contains no values."""
    return statement.partition(" WHERE ")[0][-60:]


@pytest.fixture(scope="module")
def static_folder(tmp_path_factory: pytest.TempPathFactory) -> StaticFolder:
    """The collected static files."""
    return StaticFolder(tmp_path_factory.mktemp("static"))


Find = Callable[[str, str], list[Opened]]


@pytest.fixture(scope="module")
def opened(worlds: Worlds) -> Find:
    """Return a function that opens all addresses of a kind in a world, once for all tests."""

    @cache
    def find(kind: str, name: str) -> list[Opened]:
        addresses = page_addresses if kind == "pages" else api_addresses
        budgets = read_budgets(f"{kind}.toml")
        with worlds.entered(name) as world:
            reader = world.browser("owner") if kind == "pages" else world.program("owner")
            # The other worlds are compared with the numbers of the demo, so these are exact.
            return [
                open_twice(reader, each)
                if name == "demo"
                else open_within(reader, each, budgets[each.pattern])
                for each in addresses(world)
            ]

    return find


@pytest.mark.parametrize("name", OPENED)
def test_pages_stay_within_their_budgets(opened: Find, name: str) -> None:
    found = opened("pages", name)
    assert refused(found) == REFUSED
    assert over(found, read_budgets("pages.toml")) == []


@pytest.mark.parametrize("name", OPENED)
def test_api_paths_stay_within_their_budgets(opened: Find, name: str) -> None:
    found = opened("paths", name)
    # Before the first version there is none to read.
    assert refused(found) == ({"orgs/{org}/config": 404} if name == "empty" else {})
    assert over(found, read_budgets("paths.toml")) == []


@pytest.mark.parametrize("name", OPENED)
def test_pages_and_static_files_stay_within_their_weights(
    opened: Find, static_folder: StaticFolder, name: str
) -> None:
    found = weights_of(opened("pages", name), static_folder)
    budgets = read_budgets("weights.toml")
    assert {
        key: weight
        for key, weight in found.items()
        if any(got > most for got, most in zip(weight, budgets[key], strict=True))
    } == {}


@pytest.mark.parametrize("name", OPENED)
def test_only_pages_with_the_text_editor_are_heavy(
    opened: Find, static_folder: StaticFolder, name: str
) -> None:
    heavy = set()
    for each in opened("pages", name):
        files, size = cold_load(each.markup, static_folder) if each.markup else (0, 0)
        if files > LIGHT[0] or size > LIGHT[1]:
            heavy.add(each.address.route)
    assert heavy <= HEAVY


@pytest.mark.parametrize("kind", ["pages", "paths"])
def test_queries_do_not_grow_with_the_data(opened: Find, kind: str) -> None:
    """300 queues and 100,000 workloads need as many queries as a dozen and some hundred."""
    few = {each.address.pattern: len(each.statements) for each in opened(kind, "demo")}
    many = {each.address.pattern: len(each.statements) for each in opened(kind, "large")}
    # The demo has no cohort and no rejected workload.
    assert few.keys() <= many.keys()
    grown = {pattern: (few[pattern], many[pattern]) for pattern in few}
    assert {
        pattern: counts for pattern, counts in grown.items() if counts[1] > counts[0] + MOST_MORE
    } == {}


def refused(found: list[Opened]) -> dict[str, int]:
    """Return the statuses of error answers by pattern."""
    return {each.address.pattern: each.status for each in found if each.status >= 400}
