"""The tree of queues: sums at every node, folding, filters, pages, and each config language."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.views.queues import TREE_PAGE_SIZE
from console.workloads.queries.queue_tree import forest_of
from console.workloads.queries.queues import queues_and_capacity
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.pages.page import Element, read_page

FLAVORS = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: fixed}
"""
COHORT = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Cohort
metadata: {{name: {name}}}
spec: {{{spec}}}
"""
QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohort: {cohort}
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu, gpu]
    flavors:
    - name: spot
      resources: [{{name: cpu, nominalQuota: 10}}, {{name: gpu, nominalQuota: {spot}}}]
    - name: fixed
      resources: [{{name: cpu, nominalQuota: 10}}, {{name: gpu, nominalQuota: 2, lendingLimit: 1}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: door, namespace: {name}}}
spec: {{clusterQueue: {name}}}
"""
OWN = (
    "resourceGroups: [{coveredResources: [gpu], flavors: "
    "[{name: spot, resources: [{name: gpu, nominalQuota: 5}]}]}]"
)
KUEUE = FLAVORS + "".join(
    [
        COHORT.format(name="company", spec=OWN),
        COHORT.format(name="research", spec="parentName: company"),
        COHORT.format(name="product", spec="parentName: company"),
        QUEUE.format(name="vision", cohort="research", spot=4),
        QUEUE.format(name="speech", cohort="research", spot=8),
        QUEUE.format(name="search", cohort="product", spot=8),
        QUEUE.format(name="alone", cohort="", spot=3)
        .replace("  cohort: \n", "")
        .replace(", lendingLimit: 1", ""),
    ]
)
YUNIKORN = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: research
            resources: {guaranteed: {vcore: 8}, max: {vcore: 20}}
            queues:
              - name: vision
                resources: {guaranteed: {vcore: 2}}
              - name: speech
          - name: product
"""


@pytest.fixture
def company(owner: Actor, settle: Callable[[Organization], int]) -> None:
    """Apply nested cohorts with four queues, two of them with workloads."""
    apply_config(owner, "kueue", KUEUE, "", 0)
    settle(owner.org)
    for name, gpu in (("vision", 4), ("vision", 22), ("vision", 100), ("search", 2)):
        tags = {"kueue.x-k8s.io/queue-name": "door"}
        requests = {"gpu": gpu, "cpu": 1}
        value = {"name": f"w-{gpu}", "namespace": name, "tags": tags, "requests": requests}
        submit_workloads(owner, read_submissions([value]))
        settle(owner.org)


def get(browser: Client, query: str = "") -> Element:
    return read_page(browser.get(f"/o/here/queues?group=tree&{query}", follow=True))


def name_of(link: Element) -> str:
    """Return the name in a link, whose part before the last dot is an element of its own."""
    return link.text.replace(" ", "")


def tree(page: Element) -> list[tuple[str, str, str]]:
    """Return level, state of the fold and name of every row."""
    rows = page.id("tree-rows").all("tr")
    return [
        (
            row.attrs["aria-level"],
            row.attrs.get("aria-expanded", "leaf"),
            next(name_of(link) for link in row.all("a") if "data-row" in link.attrs),
        )
        for row in rows
    ]


def toggle(page: Element, name: str) -> str:
    """Return the query of the link that folds or unfolds *name*."""
    row = next(
        row
        for row in page.id("tree-rows").all("tr")
        if any("data-row" in link.attrs and link.text == name for link in row.all("a"))
    )
    link = next(link for link in row.all("a") if "data-toggle" in link.attrs)
    return urlsplit(link.attrs["href"]).query


def sums(page: Element) -> dict[str, list[str]]:
    """Return the sums of every node: nominal, used, requested, running, pending and queues."""
    rows = zip(tree(page), page.id("tree-rows").rows(), strict=True)
    return {name: row[2:] for (_, _, name), row in rows}


def test_every_node_has_the_sums_of_all_queues_below_it(company: None, browser: Client) -> None:
    page = get(browser, "sort=name")
    assert tree(page) == [
        ("1", "leaf", "alone"),
        ("1", "true", "company"),
        ("2", "true", "product"),
        ("3", "leaf", "search"),
        ("2", "true", "research"),
        ("3", "leaf", "speech"),
        ("3", "leaf", "vision"),
    ]
    never = "1 can never run, 2"
    # GPUs come before CPUs. Quota above a lending limit, which is no part of a pool, counts.
    assert sums(page) == {
        "alone": ["5", "0", "—", "0", "0", "—"],
        "company": ["31", "6", "100 can never run, 22", "2", never, "3"],
        "product": ["10", "2", "—", "1", "0", "1"],
        "search": ["10", "2", "—", "1", "0", "—"],
        "research": ["16", "4", "100 can never run, 22", "1", never, "2"],
        "speech": ["10", "0", "—", "0", "0", "—"],
        "vision": ["6", "4", "100 can never run, 22", "1", never, "—"],
    }
    assert sums(get(browser, "resource=cpu"))["company"][:3] == ["60", "2", "1 can never run, 1"]


def test_a_fold_is_kept_in_the_address(company: None, browser: Client) -> None:
    folded = toggle(get(browser, "sort=name"), "research")
    assert parse_qs(folded)["fold"] == ["research"]
    page = read_page(browser.get(f"/o/here/queues?{folded}", follow=True))
    assert [each for each in tree(page) if each[2] in ("research", "speech", "product")] == [
        ("2", "true", "product"),
        ("2", "false", "research"),
    ]
    # Unfolding it again leaves no name in the address.
    assert "fold" not in parse_qs(toggle(page, "research"))
    first = get(browser, "sort=name&levels=1")
    assert tree(first) == [("1", "leaf", "alone"), ("1", "false", "company")]
    opened = toggle(first, "company")
    assert parse_qs(opened)["open"] == ["company"]
    assert [name for _, _, name in tree(read_page(browser.get(f"/o/here/queues?{opened}")))] == [
        *("alone", "company", "product", "research")
    ]


def test_filters_keep_the_cohorts_above_a_queue(company: None, browser: Client) -> None:
    page = get(browser, "q=spee")
    assert tree(page) == [
        ("1", "true", "company"),
        ("2", "true", "research"),
        ("3", "leaf", "speech"),
    ]
    above = ["data-above" in row.attrs for row in page.id("tree-rows").all("tr")]
    assert above == [True, True, False]
    assert [name for *_, name in tree(get(browser, "cohort=product"))] == [
        *("company", "product", "search")
    ]
    assert "No queue matches these filters" in get(browser, "q=nothing").text


def test_a_page_repeats_the_nodes_above_its_first_row(
    owner: Actor, settle: Callable[[Organization], int], browser: Client
) -> None:
    queues = "".join(
        QUEUE.format(name=f"q-{number:03}", cohort="research", spot=1) for number in range(60)
    )
    above = COHORT.format(name="company", spec="") + COHORT.format(
        name="research", spec="parentName: company"
    )
    apply_config(owner, "kueue", FLAVORS + above + queues, "", 0)
    settle(owner.org)
    # More rows than a screen has are folded.
    assert tree(get(browser)) == [("1", "true", "company"), ("2", "false", "research")]
    first = get(browser, "sort=name&levels=3")
    assert [name for *_, name in tree(first)] == [
        *("company", "research"),
        *(f"q-{number:03}" for number in range(TREE_PAGE_SIZE - 2)),
    ]
    following = next(each for each in first.all("a") if each.attrs.get("rel") == "next")
    rows = tree(read_page(browser.get(following.attrs["href"])))
    assert rows[:3] == [
        ("1", "true", "company"),
        ("2", "true", "research"),
        ("3", "leaf", f"q-{TREE_PAGE_SIZE - 2:03}"),
    ]
    assert len(rows) == 2 + 62 - TREE_PAGE_SIZE


def test_wrong_parameters_are_named(company: None, browser: Client) -> None:
    for query, name in (
        ("levels=0", "levels"),
        ("levels=x", "levels"),
        ("group=wood", "group"),
        ("&".join(f"open=n{number}" for number in range(41)), "open"),
        ("&".join(f"fold=n{number}" for number in range(41)), "fold"),
    ):
        response = browser.get(f"/o/here/queues?group=tree&{query}".replace("tree&group=", ""))
        assert response.status_code == 400
        assert name in response.content.decode()
    # A name that no node has, and a resource without quota, change nothing.
    assert len(tree(get(browser, "open=gone&fold=gone&resource=tpu"))) == 7


def test_parent_queues_state_their_own_amounts(
    owner: Actor, settle: Callable[[Organization], int], browser: Client
) -> None:
    apply_config(owner, "yunikorn", YUNIKORN, "", 0)
    settle(owner.org)
    page = get(browser, "sort=name&resource=vcore")
    assert tree(page) == [
        ("1", "true", "root"),
        ("2", "leaf", "root.product"),
        ("2", "true", "root.research"),
        ("3", "leaf", "root.research.speech"),
        ("3", "leaf", "root.research.vision"),
    ]
    heads = [each.text for each in page.all("th") if each.attrs.get("scope") == "col"]
    assert heads[2:6] == ["Guarantee", "Maximum", "Used", "Pending"]
    roots = forest_of(*queues_and_capacity(owner.org))
    (research,) = [each for each in roots[0].children if each.name == "root.research"]
    assert [each.name for each in research.children] == [
        "root.research.vision",
        "root.research.speech",
    ]
    assert (research.queue_count, research.sums["vcore"].guaranteed) == (2, 8_000)
