"""Long lists: filters in the URL, pagination, and the back button."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place, wait_until


def _fill(place: Place) -> None:
    place.apply(CAP)
    many = [
        m5(f"m5-{i:03}", user=f"user-{i % 3}", tags={"team": "ml" if i % 2 else "web"})
        for i in range(120)
    ]
    place.submit(*many)
    wait_until(lambda: place.api.get("/queues/q-m5-2xlarge-cap3")["counts"]["pending"] == 117)


def test_filters_are_in_the_url_and_the_back_button_restores_them(page: Page, place: Place) -> None:
    _fill(place)
    page.goto(place.url("workloads"))
    rows = page.locator("#workload-rows tr")
    expect(rows).to_have_count(50)
    names = []
    for following in (50, 20):
        names += page.locator("#workload-rows a[data-row]").all_inner_texts()
        page.get_by_role("link", name="Next page").click()
        expect(rows).to_have_count(following)
    names += page.locator("#workload-rows a[data-row]").all_inner_texts()
    assert names == [f"m5-{i:03}" for i in reversed(range(120))]
    expect(page.get_by_role("link", name="Next page")).to_have_count(0)
    page.go_back()
    expect(rows).to_have_count(50)
    expect(rows.first).to_contain_text("m5-069")

    page.goto(place.url("workloads"))
    page.get_by_label("User").fill("user-1")
    page.get_by_label("User").press("Tab")
    expect(page).to_have_url(re.compile(r"\?user=user-1$"))
    expect(rows).to_have_count(40)
    page.get_by_role("link", name=re.compile("^Pending")).click()
    expect(page).to_have_url(re.compile(r"user=user-1"))
    expect(page).to_have_url(re.compile(r"state=pending"))
    expect(rows).to_have_count(39)
    page.get_by_text("More filters").click()
    page.get_by_label("Label", exact=True).fill("team=ml")
    page.get_by_label("Label", exact=True).press("Enter")
    expect(page).to_have_url(re.compile(r"label\.team=ml"))
    expect(rows).to_have_count(19)

    rows.first.get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^m5-\d+$"))
    page.go_back()
    expect(rows).to_have_count(19)
    expect(page.get_by_label("User")).to_have_value("user-1")
    page.go_back()
    expect(page).not_to_have_url(re.compile("label"))
    expect(rows).to_have_count(39)
    page.get_by_role("link", name=re.compile("state Pending")).click()
    expect(rows).to_have_count(40)
    page.get_by_role("link", name="Clear all").click()
    expect(rows).to_have_count(50)


def test_empty_list_and_empty_result_have_different_texts(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("only"))
    page.goto(place.url("workloads?q=nobody"))
    expect(page.get_by_role("main")).to_contain_text("Nothing matches these filters")
    page.get_by_role("link", name=re.compile("nobody")).click()
    expect(page.locator("#workload-rows tr")).to_have_count(1)


def test_pending_workloads_are_numbered_across_pages(page: Page, place: Place) -> None:
    _fill(place)
    page.goto(place.url("queues/q-m5-2xlarge-cap3"))
    numbers = page.locator("#pending-rows td[data-label='#']")
    expect(numbers).to_have_count(25)
    assert numbers.all_inner_texts() == [str(i) for i in range(1, 26)]
    pending = page.get_by_role("region", name=re.compile("^Pending"))
    pending.get_by_role("link", name="Next page").click()
    expect(numbers.first).to_have_text("26")
    expect(page.locator("#pending-rows tr").first).to_contain_text("m5-028")


def test_new_rows_are_shown_on_request(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(m5("early"))
    page.goto(place.url("workloads"))
    place.submit(m5("late"))
    bar = page.locator("[data-rows-bar=workload-rows]")
    expect(bar).to_contain_text("1 new")
    expect(page.locator("#workload-rows tr")).to_have_count(1)
    page.keyboard.press("r")
    expect(page.locator("#workload-rows tr")).to_have_count(2)
    expect(page.locator("#workload-rows a[data-row]").first).to_be_focused()


def test_queue_names_do_not_wrap(visitors: Visitors, place: Place) -> None:
    """Also beside long columns, where a name with a colon used to break after the colon."""
    name = "ml_training:v2"
    resources = ("gpu", "cpu", "memory_gb")
    quotas = ", ".join(f"{{ name: {each}, nominal_quota: 8 }}" for each in resources)
    place.apply(
        f"""
resource_flavors: [{{ name: any }}]
resource_queues:
  - name: "{name}"
    resource_groups:
      - covered_resources: [{", ".join(resources)}]
        flavors: [{{ name: any, resources: [{quotas}] }}]
scheduling_rules: [{{ resource_queue: "{name}" }}]
"""
    )
    wanted = {"name": "a-large-model-" * 4, "requests": dict.fromkeys(resources, 8)}
    place.submit(wanted, wanted)
    page = visitors.page(place, width=1280)
    page.goto(place.url("workloads"))
    links = page.locator("#workload-rows").get_by_role("link", name=name)
    expect(links).to_have_count(2)
    for link in links.all():
        assert link.evaluate("each => each.getClientRects().length") == 1
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
