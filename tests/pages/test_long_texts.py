"""Long texts and diffs: loaded by part, with links to lines, folded unchanged lines and rows."""

from __future__ import annotations

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.configs.text_diff import PAGE_ROWS
from tests.pages.page import Element, complaints, read_page

LINES = 1203
TEXT = "".join(f"# line {number}\n" for number in range(1, LINES + 1))
VERSION = "/o/here/config/v/1"
COMPARE = "/o/here/config/compare/1...2"


@pytest.fixture
def long_config(org: Organization, owner: Actor) -> None:
    """Apply a text of 1,203 lines."""
    apply_config(owner, "native", TEXT, "", 0)


def opened(browser: Client, url: str) -> Element:
    """Return a page, and fail unless its markup is valid."""
    page = read_page(browser.get(url))
    assert complaints(page) == []
    return page


def numbers(page: Element) -> list[int]:
    """Return the numbers of the loaded lines."""
    return [int(each.text) for each in page.all("a", class_="source__number")]


@pytest.mark.parametrize("blame", ["", "blame=1"])
@pytest.mark.parametrize(
    ("chosen", "loaded"),
    [
        ("", range(1, 501)),
        ("lines=501", range(501, 1001)),
        ("lines=1203", range(1001, 1204)),
        ("lines=1204", range(1, 501)),
        ("lines=-1", range(1, 501)),
        ("lines=all", range(1, 1204)),
    ],
)
def test_a_page_loads_one_part(
    long_config: None, browser: Client, blame: str, chosen: str, loaded: range
) -> None:
    page = opened(browser, f"{VERSION}?{'&'.join(filter(None, (blame, chosen)))}")
    assert numbers(page) == [*loaded]
    later = page.all("a", class_="source__later")
    missing = [each for each in range(1, LINES + 1) if each not in loaded]
    found = [
        number
        for link in later
        for number in range(
            int(link.attrs["data-first-line"]), int(link.attrs["data-last-line"]) + 1
        )
    ]
    assert found == missing
    for link in later:
        address, _, line = link.attrs["href"].partition("#L")
        part = opened(browser, address)
        assert int(line) in numbers(part)
        # The script takes the part with this id out of that page.
        (taken,) = [each for each in part.walk() if each.attrs.get("id") == link.attrs["id"]]
        assert [int(each.text) for each in taken.all("a", class_="source__number")] == [
            *range(int(link.attrs["data-first-line"]), int(link.attrs["data-last-line"]) + 1)
        ]


def test_unchanged_lines_are_opened_in_steps(
    long_config: None, owner: Actor, browser: Client
) -> None:
    apply_config(owner, "native", TEXT.replace("# line 1203\n", "# the end\n"), "", 1)
    page = opened(browser, f"{COMPARE}?diff=text")
    (gap,) = [each for each in page.all("a") if "unchanged lines" in each.text]
    assert (gap.text, gap.attrs["href"]) == (
        "Show 1199 unchanged lines",
        f"{COMPARE}?diff=text&open=1",
    )
    page = opened(browser, gap.attrs["href"])
    rows = page.all("tr", class_="diff__row")
    of_gap = [each for each in rows if each.attrs.get("data-gap") == "1"]
    assert len(of_gap) == 401
    (rest,) = [each for each in page.all("a") if "unchanged lines" in each.text]
    assert (rest.text, rest.attrs["href"]) == (
        "Show 799 unchanged lines",
        f"{COMPARE}?diff=text&open=1%2C401",
    )
    both = opened(browser, rest.attrs["href"]).all("tr", class_="diff__row")
    assert {each.attrs.get("data-gap") for each in both} == {"1", "401", None}
    for view in ("split", "effective", "text"):
        for given in ("x", "0", "-1", "9999999999", "1,1,,2", "1203"):
            assert browser.get(f"{COMPARE}?diff={view}&open={given}").status_code == 200
    split = opened(browser, f"{COMPARE}?diff=split&open=1")
    assert sum(each.attrs.get("data-gap") == "1" for each in split.all("tr")) == 401


def test_rows_of_a_long_diff_follow_by_page(
    long_config: None, owner: Actor, browser: Client
) -> None:
    apply_config(owner, "native", TEXT.replace("line", "row"), "", 1)
    url = f"{COMPARE}?diff=text"
    found: list[str] = []
    pages = 0
    while url:
        page = opened(browser, url)
        rows = page.all("tr", class_="diff__row")
        found += [row.text for row in rows if row.attrs["data-change"] != "gap"]
        following = [each for each in page.all("a") if each.text.startswith("Show more rows")]
        url = following[0].attrs["href"] if following else ""
        pages += 1
    assert pages == -(-2 * LINES // PAGE_ROWS)
    assert len(found) == 2 * LINES
    assert len(set(found)) == 2 * LINES
