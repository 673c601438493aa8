"""The list, a comparison, the timeline and a receipt of workloads: any width, without scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages
from tests.preemption_pair import CONFIG


def _wanted(name: str, gpu: int, priority: int, **more: object) -> dict[str, object]:
    tags = {"team": "research"}
    return {"name": name, "requests": {"gpu": gpu}, "priority": priority, "tags": tags, **more}


@pytest.fixture
def paths(place: Place) -> dict[str, str]:
    """Return addresses of an organization in which one workload was preempted for another."""
    place.apply(CONFIG, "The first")
    (old,) = place.submit(_wanted("batch-" + "long-" * 20, 6, 10, user="ann"))
    (new,) = place.submit(_wanted("urgent", 4, 90, project="p" * 60))
    place.submit(_wanted("later", 7, 5), _wanted("later-too", 7, 5))
    (lost,) = place.submit({"name": "lost", "requests": {"gpu": 1}, "tags": {"team": "none"}})
    place.apply(CONFIG + "# a remark\n", "The second")
    wait_until(lambda: place.state(old) == "preempting")
    (stop,) = place.api.get(f"/workloads/{old}/preemptions")["results"]
    view = {"name": "Waiting", "query": "state=pending", "is_shared": True}
    place.api.post("/views", view, expect=200)
    return {
        "list": "workloads?cols=state,reason,queue,wants,flavor,label.team",
        "groups": "workloads?group_by=reason",
        "empty": "workloads?state=finished&user=ann",
        "views": "workloads/views",
        "reason": "workloads/explain?reason=waiting_for_quota",
        "rejected": f"workloads/{lost}",
        "technical": f"workloads/{new}?trace=technical",
        "json": f"workloads/{new}?trace=json",
        "timeline": f"workloads/{old}?tab=timeline",
        "spec": f"workloads/{old}?tab=spec",
        "compare": f"workloads/{lost}/compare",
        "receipt": f"workloads/{old}/preemptions/{stop['seq']}",
        "decision": f"workloads/{old}/decisions/{stop['seq']}",
    }


def test_every_page_keeps_the_rules(page: Page, place: Place, paths: dict[str, str]) -> None:
    assert broken_pages(page, map(place.url, paths.values())) == {}


def test_view_is_saved_and_opened_without_scripts(
    visitors: Visitors, place: Place, paths: dict[str, str]
) -> None:
    page = visitors.page(place, scripts=False)
    page.goto(place.url("workloads"))
    page.get_by_label("Group by").select_option("reason")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page).to_have_url(re.compile("group_by=reason"))
    page.locator("summary", has_text="Save view").click()
    page.get_by_label("Name", exact=True).fill("By reason")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("navigation", name="Saved views")).to_contain_text("By reason")
    page.get_by_role("link", name=re.compile("Explain all ?: Waiting for quota")).click()
    expect(page.get_by_role("main")).to_contain_text("2 workloads")
    page.get_by_role("link", name="How to start one of them").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("How to start it")
    page.goto(place.url("workloads"))
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("Column 1", exact=True).select_option("queue")
    page.get_by_label("Label column").fill("team")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#workload-rows tr").first).to_contain_text("none")
    page.goto(place.url(paths["receipt"]))
    expect(page.locator("#sides")).to_contain_text("urgent")


def test_advice_loads_by_itself_with_scripts(
    page: Page, place: Place, paths: dict[str, str]
) -> None:
    page.goto(place.url(paths["reason"]))
    expect(page.get_by_role("main")).to_contain_text("Each change is enough on its own")
    # The fetched content belongs to another page; the title of this page stays.
    expect(page).to_have_title(re.compile("^Waiting for quota"))
    page.goto(place.url("workloads"))
    page.get_by_label("Group by").select_option("queue")
    expect(page.locator("#groups")).to_contain_text("research")
