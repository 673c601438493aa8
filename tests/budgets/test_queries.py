"""
No page and no path takes more queries than its budget, in the empty world as in the large one.

One figure holds for all of them, so what an address asks does not grow with what there is.
`python -m tests.budgets` writes the budgets anew; whoever raises one sees it in the diff.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.budgets.conftest import Worlds
from tests.budgets.files import read_budgets
from tests.budgets.opening import Opened, open_twice
from tests.worlds import BUILDERS
from tests.worlds.addresses import api_addresses, page_addresses

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


@pytest.mark.parametrize("name", BUILDERS)
def test_pages_keep_to_their_budgets(worlds: Worlds, name: str) -> None:
    with worlds.entered(name) as world:
        browser = world.browser("owner")
        found = [open_twice(browser, each) for each in page_addresses(world)]
    assert refused(found) == REFUSED
    assert over(found, read_budgets("pages.toml")) == []


@pytest.mark.parametrize("name", BUILDERS)
def test_paths_of_the_api_keep_to_their_budgets(worlds: Worlds, name: str) -> None:
    with worlds.entered(name) as world:
        program = world.program("owner")
        found = [open_twice(program, each) for each in api_addresses(world)]
    # Before the first version there is none to be read.
    assert refused(found) == ({"orgs/{org}/config": 404} if name == "empty" else {})
    assert over(found, read_budgets("paths.toml")) == []


def refused(found: list[Opened]) -> dict[str, int]:
    """Return the status of the addresses that answered with an error, by their patterns."""
    return {each.address.pattern: each.status for each in found if each.status >= 400}
