"""Every linked number leads to a list with that many rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.workloads.services.end_workloads import withdraw_workloads
from tests.pages.page import Element, read_page
from tests.preemption_pair import Settle, submit

CONFIG = """\
resource_flavors:
  - name: spot
  - name: fixed
resource_queues:
  - name: research
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 4 }]
          - name: fixed
            resources: [{ name: gpu, nominal_quota: 2 }]
  - name: serving
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 2 }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: research
  - selector: [{ key: team, operator: in, values: [serving] }]
    resource_queue: serving
"""

GROUPS = (
    *(f"workloads?group_by={by}" for by in ("reason", "queue", "flavor", "user", "project")),
    "workloads?group_by=flavor&state=admitted",
    "workloads?group_by=reason&queue=research",
    "workloads?group_by=queue&state=pending",
)
PAGES = (
    "",
    "attention",
    "queues",
    "queues/research",
    "queues/serving",
    "queues/research?tab=running",
    "cohorts",
    "cohorts/ml",
    "workloads",
    "workloads?state=pending",
    *GROUPS,
)

#: The first number in a text, in the format of pages.
_NUMBER = re.compile("(?<![\\w.-])\\d[\\d\u202f]*(?![\\d.])")


@pytest.fixture
def filled(owner: Actor, settle: Settle) -> Actor:
    """Submit workloads: running in two flavors, waiting, never runnable, rejected, withdrawn."""
    apply_config(owner, "native", CONFIG, "", 0)
    settle(owner.org)
    for number in range(6):
        submit(owner, settle, f"one-{number}", 2, user=f"user-{number % 2}")
    submit(owner, settle, "hopeless", 64, project="nlp")
    for number in range(2):
        submit(owner, settle, f"serve-{number}", 2, tags={"team": "serving"})
    for number in range(3):
        submit(owner, settle, f"lost-{number}", 1, tags={})
    gone = submit(owner, settle, "gone", 2, project="nlp")
    withdraw_workloads(owner, [gone.uid])
    settle(owner.org)
    return owner


def lists_of(page: Element) -> Iterator[tuple[str, int]]:
    """Yield the address of each workload list that a number links to, with that number."""
    for row in page.all("tr"):
        # In a table of groups the link precedes the number.
        numbers = row.all("td", **{"data-label": "workloads"})
        for link in row.all("a") if numbers and row.all("svg", class_="tally__bar") else ():
            if "data-row" in link.attrs:
                yield link.attrs["href"], _first(numbers[0].text)
    for link in page.all("a"):
        target = urlsplit(link.attrs.get("href", ""))
        asked = parse_qs(target.query)
        is_list = target.path == "/o/here/workloads" and not {"as", "group_by"} & asked.keys()
        is_tab = target.path.startswith("/o/here/queues/") and "reason" in asked
        # The name of a tile may contain a number too.
        counted = [each.text for each in link.all("span", class_="tile__number")] or [link.text]
        if (is_list or is_tab) and _NUMBER.search(counted[0]):
            yield link.attrs["href"], _first(counted[0])


def _first(text: str) -> int:
    found = _NUMBER.search(text)
    assert found, text
    return int(found.group().replace("\u202f", ""))


def rows_at(browser: Client, url: str) -> int:
    """Return the number of workloads in a list."""
    page = read_page(browser.get(url, follow=True))
    rows = [link for link in page.all("a") if "data-row" in link.attrs]
    return sum(1 for link in rows if link.attrs["href"].startswith("/o/here/workloads/"))


def test_a_number_leads_to_as_many(filled: Actor, client_for: Callable[[Actor], Client]) -> None:
    browser = client_for(filled)
    told, lengths = {}, {}
    for path in PAGES:
        page = read_page(browser.get(f"/o/here/{path}", follow=True))
        for url, number in lists_of(page):
            told[path, url] = number
            if url not in lengths:
                lengths[url] = rows_at(browser, url)
    assert {key: lengths[key[1]] for key in told} == told
    # Some of the pages have no linked numbers; these have.
    assert {path for path, _ in told} >= {"", "queues", "queues/research", "cohorts/ml", *GROUPS}
