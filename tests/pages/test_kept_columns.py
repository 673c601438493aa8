"""Columns of the lists of queues and workloads: chosen, kept, in the address and in files."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from tests.pages.conftest import World
from tests.pages.page import read_page

LISTS = [
    ("queues", "queue-rows", "cohort", "running", "Cohort", "Running"),
    ("workloads", "workload-rows", "user", "queue", "User", "Queue"),
]


@pytest.mark.parametrize(("path", "rows", "first", "second", "one", "two"), LISTS)
def test_chosen_columns_are_kept_for_the_next_visit(
    world: World, browser: Client, path: str, rows: str, first: str, second: str, one: str, two: str
) -> None:
    address = f"/o/here/{path}"
    chosen = browser.get(f"{address}?col={first}&col=&col={second}&col={first}")
    assert chosen.headers["Location"] == f"{address}?cols={first}%2C{second}"
    # The address of the next visit gets them by a redirect; other parameters stay.
    again = browser.get(f"{address}?q=x")
    assert again.headers["Location"] == f"{address}?q=x&cols={first}%2C{second}"
    page = read_page(browser.get(address, follow=True))
    titles = [each.text for each in page.all("th") if each.attrs.get("scope") == "col"]
    assert [each for each in titles if each in (one, two)][:2] == [one, two]
    # What has its own columns shows these; so does a page that polls.
    assert browser.get(f"{address}?cols={second}").status_code == 200
    assert browser.get(address, headers={"HX-Request": "true"}).status_code == 200
    # Nothing is chosen: the usual columns are shown again.
    assert browser.get(f"{address}?col=&col=").headers["Location"] == address
    assert browser.get(address).status_code == 200


@pytest.mark.parametrize(("path", "rows", "first", "second", "one", "two"), LISTS)
def test_a_file_has_the_chosen_columns(
    world: World, browser: Client, path: str, rows: str, first: str, second: str, one: str, two: str
) -> None:
    answer = browser.get(f"/o/here/{path}?cols={first},{second}&as=csv")
    table = list(csv.reader(io.StringIO(answer.getvalue().decode())))
    name = ["queue"] if path == "queues" else ["id", "name"]
    assert table[0] == [*name, first, second]
    assert len(table) > 1


def test_a_label_is_a_column_of_a_file(world: World, browser: Client) -> None:
    answer = browser.get("/o/here/workloads?cols=label.team,wants&q=admitted&as=csv")
    table = list(csv.reader(io.StringIO(answer.getvalue().decode())))
    assert table[0] == ["id", "name", "label.team", "requests"]
    assert {row[2] for row in table[1:]} <= {"research", ""}


def test_a_wrong_cookie_and_a_wrong_column_are_refused(world: World, browser: Client) -> None:
    browser.cookies["columns"] = "planet"
    assert browser.get("/o/here/queues").status_code == 200
    answer = browser.get("/o/here/queues?cols=label.team")
    assert answer.status_code == 400
    assert "&#x27;label.team&#x27; is not a column" in answer.content.decode()
