"""The list of queues: columns, sorting, filters, pages, comparison and CSV files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.views.queues import PAGE_SIZE
from console.workloads.models import Intake
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.conftest import World
from tests.pages.page import Element, read_page

QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohort: {cohort}
  namespaceSelector: {{}}
  preemption: {{withinClusterQueue: {within}, reclaimWithinCohort: {reclaim}}}
  resourceGroups:
  - coveredResources: [gpu]
    flavors:
    - name: spot
      resources: [{{name: gpu, nominalQuota: {nominal}}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: door, namespace: {name}}}
spec: {{clusterQueue: {name}}}
"""
FLAVOR = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
"""


def queue(
    name: str, nominal: int, cohort: str = "", within: str = "Never", reclaim: str = "Never"
) -> str:
    text = QUEUE.format(name=name, nominal=nominal, cohort=cohort, within=within, reclaim=reclaim)
    return text if cohort else text.replace("  cohort: \n", "")


FOUR = FLAVOR + "".join(
    [
        queue("full", 4, "ml", "LowerPriority", "Any"),
        queue("busy", 8, "ml"),
        queue("calm", 8, "web"),
        queue("alone", 2),
    ]
)


@pytest.fixture
def work(owner: Actor, settle: Callable[[Organization], int]) -> Callable[..., None]:
    """Return a function that submits one workload to a queue and runs the engine."""

    def one(queue: str, gpu: int, name: str = "w", **more: object) -> None:
        tags = {"kueue.x-k8s.io/queue-name": "door"}
        value = {"name": name, "namespace": queue, "tags": tags, "requests": {"gpu": gpu}}
        submit_workloads(owner, read_submissions([value | more]))
        settle(owner.org)

    return one


@pytest.fixture
def four(owner: Actor, settle: Callable[[Organization], int], work: Callable[..., None]) -> None:
    """Create four queues: one is full with demand, one has little free, two have enough."""
    apply_config(owner, "kueue", FOUR, "", 0)
    settle(owner.org)
    work("alone", 2)
    work("alone", 1, "first")
    work("busy", 8)
    work("full", 4)
    work("full", 2, "second")
    work("full", 1, "third")
    work("calm", 1)


def names(page: Element) -> list[str]:
    """Return the names of the queues in a list, in order."""
    rows = page.id("queue-rows")
    return [link.text for link in rows.all("a") if "data-row" in link.attrs]


def get(browser: Client, query: str = "") -> Element:
    return read_page(browser.get(f"/o/here/queues?{query}", follow=True))


def test_a_row_shows_the_state_of_a_queue(four: None, owner: Actor, browser: Client) -> None:
    hold_queue(owner, "calm", "checks")
    list_ = get(browser).id("queue-rows")
    rows = {row[1].split()[0]: row for row in list_.rows()}
    plain = [re.sub(r"^[\d.]+ s$", "under 0.1 s", cell) for cell in rows["full"]]
    assert plain[1:7] == ["full ml", "4/4 GPUs", "1", "2", "under 0.1 s", "2 waiting for quota"]
    assert rows["calm"][1:7] == ["calm Held web", "1/8 GPUs", "1", "0", rows["calm"][5], "—"]
    # What has no column is in titles.
    titles = {each.attrs["title"] for each in list_.walk() if "title" in each.attrs}
    assert {
        "full · cohort ml · preemption: reclaims any · within queue: lower priority",
        "calm · cohort web · preemption: never reclaims · never within queue",
        "alone · preemption: never within queue",
        "spot gpu: 4 of 4 GPUs used, limit 12, 3 requested",
        "2 waiting for quota, none available",
        "n = 1",
    } <= titles


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["full", "alone", "busy", "calm"]),
        ("sort=name", ["alone", "busy", "calm", "full"]),
        ("sort=running", ["alone", "busy", "calm", "full"]),
        ("sort=pending", ["full", "alone", "busy", "calm"]),
        ("sort=age", ["alone", "full", "busy", "calm"]),
        ("sort=utilization", ["alone", "busy", "full", "calm"]),
        ("q=L", ["full", "alone", "calm"]),
        ("cohort=ml", ["full", "busy"]),
        ("cohort=-", ["alone"]),
        ("state=held", ["calm"]),
        ("state=accepting&cohort=web", []),
        ("group=cohort", ["full", "busy", "calm", "alone"]),
    ],
)
def test_orders_and_filters(
    query: str, expected: list[str], four: None, owner: Actor, browser: Client
) -> None:
    hold_queue(owner, "calm", "checks")
    page = get(browser, query)
    if expected:
        assert names(page) == expected
    else:
        assert "No queue matches these filters" in page.text


def test_heads_of_columns_sort_the_list(four: None, browser: Client) -> None:
    def heads(page: Element) -> dict[str, tuple[str, str]]:
        return {
            head.text: (head.attrs.get("aria-sort", ""), head.all("a")[0].attrs["href"])
            for head in page.all("th")
            if head.attrs.get("scope") == "col" and head.all("a")
        }

    path = "/o/here/queues"
    assert heads(get(browser, "q=l&sort=name")) == {
        "Queue": ("ascending", f"{path}?q=l&sort=name"),
        "Tightest quota": ("", f"{path}?q=l&sort=utilization"),
        "Running": ("", f"{path}?q=l&sort=running"),
        "Pending": ("", f"{path}?q=l&sort=pending"),
        "Why workloads wait": ("", f"{path}?q=l"),
    }
    assert heads(get(browser))["Why workloads wait"] == ("descending", path)


def test_groups_are_named_where_they_begin(four: None, browser: Client) -> None:
    rows = get(browser, "group=cohort").id("queue-rows").all("tr")
    begins = [row.text for row in rows if row.attrs.get("class") == "queues__group"]
    assert begins == ["Cohort ml", "Cohort web", "No cohort"]


def test_pressure_is_told_with_its_numbers_and_its_formula(four: None, browser: Client) -> None:
    page = get(browser, "compare=full&compare=busy&compare=alone")
    facts = {row[0]: row[1:] for row in page.id("compared").rows()}
    assert facts["Pressure"] == ["3 GPUs, none available", "0", "1 GPU, none available"]
    assert "requested by pending workloads ÷ available now" in get(browser).text


def test_some_are_put_side_by_side(four: None, browser: Client) -> None:
    form = get(browser).id("compare-queues")
    assert (form.attrs["method"], form.attrs["action"]) == ("get", "/o/here/queues")
    page = get(browser, "compare=full&compare=alone&compare=full")
    heads = [head.text for head in page.id("compared").all("thead")[0].all("th")]
    assert heads == ["Fact", "full", "alone"]
    facts = {row[0]: row[1:] for row in page.id("compared").rows()}
    assert facts["Cohort"] == ["ml", "—"]
    assert facts["Running"] == ["1", "1"]
    assert facts["Preemption"] == [
        "reclaims any · within queue: lower priority",
        "never within queue",
    ]


@pytest.mark.parametrize(
    ("query", "status", "told"),
    [
        ("compare=full", 400, "Select 2 to 4 queues to compare; 1 is selected."),
        ("&".join(f"compare=q{i}" for i in range(5)), 400, "2 to 4 queues to compare; 5 are"),
        ("compare=full&compare=nothing", 404, "no queue 'nothing'"),
        ("sort=strange", 400, "sort has to be one of: pressure, name, running, pending, age"),
        ("state=strange", 400, "state has to be one of"),
        ("cursor=x", 400, "cursor"),
    ],
)
def test_invalid_parameters_are_refused(
    query: str, status: int, told: str, four: None, browser: Client
) -> None:
    answer = browser.get(f"/o/here/queues?{query}")
    assert answer.status_code == status
    assert told in read_page(answer).text


def test_many_queues_come_in_pages(
    owner: Actor, settle: Callable[[Organization], int], browser: Client
) -> None:
    text = FLAVOR + "".join(queue(f"q{i:02}", 1) for i in range(2 * PAGE_SIZE + 1))
    apply_config(owner, "kueue", text, "", 0)
    settle(owner.org)
    seen: list[str] = []
    url = "/o/here/queues?sort=name"
    while url:
        page = read_page(browser.get(url))
        seen += names(page)
        after = [link for link in page.all("a") if link.attrs.get("rel") == "next"]
        url = after[0].attrs["href"] if after else ""
    assert seen == [f"q{i:02}" for i in range(2 * PAGE_SIZE + 1)]


def test_the_list_is_a_file(four: None, browser: Client) -> None:
    links = {link.text: link.attrs["href"] for link in get(browser, "cohort=ml").all("a")}
    answer = browser.get(links["CSV"])
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [(row["queue"], row["cohort"], row["state"], row["used"]) for row in rows] == [
        ("full", "ml", "accepting", "4"),
        ("busy", "ml", "accepting", "8"),
    ]
    assert {key: rows[0][key] for key in ("pressure_resource", "pressure_wanted", "demand")} == {
        "pressure_resource": "gpu",
        "pressure_wanted": "3",
        "demand": "3",
    }
    lines = browser.get(links["NDJSON"]).getvalue().decode().splitlines()
    assert [json.loads(line)["usage"][0]["flavor"] for line in lines] == ["spot", "spot"]


def test_unknown_numbers_are_not_shown_as_zero(four: None, owner: Actor, browser: Client) -> None:
    long_ago = timezone.now() - timedelta(minutes=3)
    Intake.objects.create(org=Organization.objects.get(), kind="resume", payload={})
    assert "Usage unknown" not in get(browser).text
    Intake.objects.update(created_at=long_ago)
    page = get(browser)
    assert f"Usage unknown since {long_ago:%H:%M:%S} UTC" in page.id("queues-behind").text
    # The stamp needs no escaping in addresses.
    assert re.fullmatch(r"[0-9.-]+", page.id("live-poll").attrs["data-version"])
    rows = {row[1].split()[0]: row for row in page.id("queue-rows").rows()}
    # Written numbers are shown; numbers that were never written are unknown.
    assert rows["full"][3] == "1"
    apply_config(owner, "kueue", FOUR + queue("new", 7), "", 1)
    row = next(row for row in get(browser).id("queue-rows").rows() if row[1].startswith("new"))
    assert "Usage unknown since" in row[2]
    assert row[3:5] == ["?", "?"]


def test_roles_without_holds_see_no_hold_form(
    world: World, viewer: Actor, operator: Actor, client_for: Callable[[Actor], Client]
) -> None:
    def holds(actor: Actor) -> list[str]:
        page = get(client_for(actor))
        return [a.attrs["href"] for a in page.all("a") if "data-row-hold" in a.attrs]

    assert holds(viewer) == []
    assert holds(operator) == ["/o/here/queues/research?hold=1", "/o/here/queues/default?hold=1"]


def test_queries_do_not_grow_with_queues(
    four: None, owner: Actor, settle: Callable[[Organization], int], browser: Client
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            get(browser)
        return len(captured)

    queries()
    before = queries()
    more = "".join(queue(f"q{i}", i + 1, f"c{i % 3}") for i in range(12))
    apply_config(owner, "kueue", FOUR + more, "", 1)
    settle(owner.org)
    queries()
    assert queries() == before
    assert before <= 22


def test_the_other_bars_of_a_queue_are_drawn_when_somebody_opens_them(
    owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    text = FLAVOR + queue("wide", 4)
    wide = "resources: [{name: cpu, nominalQuota: 8}, {name: gpu, nominalQuota: 4}]"
    text = text.replace("coveredResources: [gpu]", "coveredResources: [cpu, gpu]")
    apply_config(
        owner, "kueue", text.replace("resources: [{name: gpu, nominalQuota: 4}]", wide), "", 0
    )
    settle(owner.org)
    (opened,) = get(browser).all("details", class_="more-bars")
    assert opened.all("summary")[0].text == "1 more bars of wide"
    (fetched,) = [each for each in opened.walk() if "hx-get" in each.attrs]
    rest = read_page(browser.get(fetched.attrs["hx-get"]))
    selected = rest.id(fetched.attrs["hx-select"].removeprefix("#"))
    assert [each.text for each in selected.all("p", class_="quota__text")] == [
        "spot · 0 of 4 GPUs used · 4 free"
    ]
    # Without scripts a link opens all bars.
    whole = read_page(browser.get(opened.all("a")[0].attrs["href"]))
    assert len(whole.all("svg", class_="quota__bar")) == 2
