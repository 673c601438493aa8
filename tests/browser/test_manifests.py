"""A manifest is pasted with mistakes, repaired by its findings, placed, and moved to a cluster."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from console.dialects import dialects
from tests.browser.axe import Looks
from tests.browser.conftest import Visitors
from tests.browser.looks import ALL_WIDTHS, complaints
from tests.browser.place import Place, wait_until
from tests.browser.rules import hold_still, settle

_CONFIG: Final = dialects()["skyshift"].samples()[
    "Clusters by purpose and location, with a template"
]
#: A Job with three errors, and a size that is not what its author means.
_WRONG: Final = """\
kind: Job
metadata:
  name: My Job
spec:
  replicas: 2
  resources:
    cpu: 1
    memory: "1"
  placement:
    template: my-jbo
"""
_RIGHT: Final = (
    _WRONG.replace("My Job", "my-job").replace("cpu:", "cpus:").replace("my-jbo", "my-job")
)


def _report(place: Place, name: str, labels: dict[str, str]) -> None:
    nodes = [{"name": f"{name}-n1", "allocatable": {"cpu": 8, "memory": "4Ti"}}]
    body: dict[str, Any] = {"labels": labels, "nodes": nodes}
    assert place.api.request("PUT", f"/capacity/clusters/{name}", body).status == 201


@pytest.fixture
def clusters(place: Place) -> Place:
    """The sample config is active, and two of its clusters and another one report a node."""
    body = {"dialect": "skyshift", "text": _CONFIG, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    _report(place, "dev-1", {})
    _report(place, "staging-us", {})
    _report(place, "eu-1", {"purpose": "dev", "location": "eu"})
    return place


def _paste(page: Page, text: str) -> None:
    page.get_by_label("Manifest of one workload").fill(text)
    page.get_by_role("button", name="Submit manifest").click()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_pasted_manifest_is_repaired_and_placed(
    visitors: Visitors, clusters: Place, *, scripts: bool
) -> None:
    page = visitors.page(clusters, scripts=scripts)
    page.goto(clusters.url("workloads/new"))
    _paste(page, _WRONG)
    expect(page.get_by_role("alert")).to_contain_text("No workload was submitted")
    if scripts:
        expect(page.get_by_role("alert")).to_be_focused()
    problems = page.locator(".problem")
    expect(problems).to_contain_text(
        [
            "SKY004 · line 3, column 9 · metadata.name",
            "It is called cpus",
            "SKY051 · line 8, column 13 · spec.resources.memory",
            'Did you mean "my-job"?',
        ]
    )
    expect(page.get_by_label("Manifest of one workload")).to_have_value(_WRONG)
    assert clusters.api.get("/workloads")["results"] == []

    _paste(page, _RIGHT)
    expect(page.get_by_role("heading", level=1)).to_have_text("my-job")
    expect(page.get_by_role("status").first).to_contain_text(
        'Line 8, column 13 of the manifest: memory: "1" has no unit'
    )
    uid = page.url.rpartition("/")[2]
    wait_until(lambda: clusters.state(uid) == "admitted")
    if not scripts:
        page.reload()
    expect(page.locator("#headline")).to_contain_text("Placed on dev-1.")
    why = page.get_by_role("region", name="Why, step by step")
    for verdict in (
        "dev-1 takes 2 replicas: its best preference has weight 100 of 100",
        "staging-us takes none: it matches no preference",
        "eu-1 satisfies no filter: filter-1 (location not in [eu], but it is 'eu')",
    ):
        expect(why).to_contain_text(verdict)
    (pods,) = clusters.api.get(f"/workloads/{uid}")["assignment"]
    assert pods["count"] == 2


def test_replicas_move_when_their_cluster_goes(visitors: Visitors, clusters: Place) -> None:
    page = visitors.page(clusters)
    page.goto(clusters.url("workloads/new"))
    _paste(page, _RIGHT)
    expect(page.locator("#headline")).to_contain_text("dev-1")
    assert clusters.api.request("DELETE", "/capacity/clusters/dev-1").status == 200
    expect(page.locator("#headline")).to_contain_text("staging-us")
    uid = page.url.rpartition("/")[2]
    (pods,) = clusters.api.get(f"/workloads/{uid}")["assignment"]
    assert [(each["cluster"], each["count"]) for each in pods["places"]] == [("staging-us", 2)]


def test_the_form_is_used_with_the_keyboard_and_keeps_the_rules(
    visitors: Visitors, clusters: Place
) -> None:
    page = visitors.page(clusters)
    hold_still(page)
    page.goto(clusters.url("workloads/new"))
    settle(page)
    looks = Looks.of_this_run()
    assert complaints(page, looks, widths=ALL_WIDTHS, thorough=True) == []
    page.get_by_label("Manifest of one workload").focus()
    page.keyboard.insert_text(_WRONG)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Submit manifest")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="SKY004")).to_be_focused()
    assert complaints(page, looks, widths=ALL_WIDTHS, thorough=True) == []
