"""Cohorts in a browser: fit for every theme and width, and current while one looks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.place import Place

_RULES = Path(__file__).parent / "rules"
_PAGES = ("cohorts", "cohorts/research", "queues", "queues/vision", "queues/speech")


def _gpus(team: str, name: str, count: int, priority: str = "experiment") -> dict[str, Any]:
    return {
        "name": name,
        "namespace": team,
        "tags": {
            "kueue.x-k8s.io/queue-name": "training",
            "kueue.x-k8s.io/priority-class": priority,
        },
        "pod_sets": [
            {
                "name": "main",
                "count": 1,
                "requests": {"nvidia.com/gpu": count},
                "node_selector": {"capacity": "reserved"},
            }
        ],
    }


@pytest.fixture
def teams(place: Place) -> Place:
    """A cohort of two teams in which one borrows what the other leaves unused."""
    text = dialects()["kueue"].samples()["Two teams share one cohort"]
    body = {"dialect": "kueue", "text": text, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    place.submit(_gpus("speech", "own", 8))
    place.submit(_gpus("speech", "extra", 6))
    return place


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 320)])
def test_pages_of_cohorts_keep_the_rules(
    visitors: Visitors, teams: Place, scheme: str, width: int
) -> None:
    page = visitors.page(teams, scheme=scheme, width=width)
    found = {}
    for path in _PAGES:
        page.goto(teams.url(path))
        for rule in ("structure", "contrast", "width"):
            broken = page.evaluate((_RULES / f"{rule}.js").read_text("utf-8"))
            if broken:
                found[path, rule] = broken
    assert found == {}


def test_a_cohort_stays_current_while_one_looks(page: Page, teams: Place) -> None:
    page.goto(teams.url("cohorts/research"))
    loans = page.locator("#loan-rows tr")
    expect(loans).to_have_count(1)
    expect(loans).to_contain_text("speech")
    expect(page.locator("#matrix-rows")).to_contain_text("14 of 8")
    (late,) = teams.submit(_gpus("vision", "late", 12, "production"))
    expect(page.locator("#waiting")).to_contain_text("Starting soon")
    stopping = teams.api.get("/workloads?state=preempting")["results"]
    for workload in stopping:
        teams.api.post(f"/workloads/{workload['id']}/release", {})
    expect(page.locator("#matrix-rows")).to_contain_text("12 of 16")
    expect(page.locator("#loans-region")).to_contain_text("Nobody here uses more than its own")
    assert teams.state(late) == "admitted"


def test_the_pages_of_cohorts_work_without_scripts(visitors: Visitors, teams: Place) -> None:
    page = visitors.page(teams, scripts=False)
    page.goto(teams.url("queues"))
    page.get_by_role("link", name="research").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("research")
    page.locator("#matrix-rows").get_by_role("link", name="vision").click()
    expect(page.locator("#usage")).to_contain_text("6 lent")
    expect(page.locator("#lending-region")).to_contain_text("From work of any priority")
