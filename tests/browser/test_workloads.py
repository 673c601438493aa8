"""Pages of workloads and queues from submission to the end of a workload."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, GPUS, RESERVATION, a100, m5
from tests.browser.place import Place, wait_until


def _submit(page: Page, place: Place, name: str, **fields: str) -> None:
    """Fill the form; fields are named by their labels with _ for a space, or request_<resource>."""
    page.goto(place.url("workloads/new"))
    page.get_by_label("Name", exact=True).fill(name)
    for field, value in fields.items():
        if field == "market_type":
            page.get_by_label("Market type").select_option(value)
        else:
            page.locator(f"[name={field}]").fill(value)
    page.get_by_role("button", name="Submit", exact=True).click()


def _headline(page: Page) -> Locator:
    return page.locator("#headline")


def _cells(page: Page, flavor: str, resource: str) -> list[str]:
    """Return nominal, used, available and requested of one row of the queue's quota."""
    row = page.locator("#usage tbody tr", has_text=flavor).filter(
        has=page.get_by_role("cell", name=resource, exact=True)
    )
    return [cell.inner_text() for cell in row.locator("td.number").all()]


def test_fourth_workload_starts_when_one_of_three_finishes(
    visitors: Visitors, place: Place
) -> None:
    place.apply(CAP)
    page = visitors.page(place)
    _submit(
        page,
        place,
        "m5",
        copies="4",
        instance_type="m5.2xlarge",
        request_cpu="8",
        request_memory_gb="32",
    )
    expect(page.get_by_role("status").first).to_contain_text("4 workloads are submitted")
    rows = page.locator("#workload-rows tr")
    expect(rows).to_have_count(4)
    expect(page.locator("#workload-rows [data-state=admitted]")).to_have_count(3)
    expect(rows.first).to_contain_text("m5-4")
    expect(rows.first).to_contain_text("Waiting for quota")

    queue = visitors.page(place)
    queue.goto(place.url("queues/q-m5-2xlarge-cap3"))
    assert _cells(queue, "m5-2xlarge", "cpu") == ["24", "24", "0", "8"]
    assert _cells(queue, "m5-2xlarge", "memory_gb") == ["96", "96", "0", "32"]
    expect(queue.locator("#pending-rows tr[id^=p-]")).to_have_count(1)
    expect(queue.locator("#capacity-end")).to_contain_text("Available quota ends here.")
    tabs = queue.get_by_role("navigation", name="About this queue")
    tabs.get_by_role("link", name="Running 3").click()
    expect(queue.locator("#running-rows tr")).to_have_count(3)
    search = queue.get_by_role("searchbox")
    search.fill("half a na")
    shown = queue.locator("#running-rows tr").all_inner_texts()

    rows.first.get_by_role("link", name="m5-4").click()
    expect(_headline(page)).to_contain_text("Pending")
    expect(_headline(page)).to_contain_text("needs 8 CPUs")
    finisher = visitors.page(place)
    finisher.goto(place.url("workloads?q=m5-1"))
    finisher.get_by_role("link", name="m5-1", exact=True).click()
    finisher.locator("#finish-menu summary").click()
    finisher.get_by_role("button", name="Finish").click()
    expect(finisher.get_by_role("status").first).to_contain_text("Finishing")

    # Neither page was reloaded.
    expect(_headline(page)).to_contain_text("Admitted")
    expect(tabs.get_by_role("link", name="Pending 0")).to_be_visible()
    expect(search).to_be_focused()
    expect(search).to_have_value("half a na")
    names = [re.split(r"\s", text)[0] for text in shown]
    now = queue.locator("#running-rows tr").all_inner_texts()
    assert [re.split(r"\s", text)[0] for text in now] == names
    bar = queue.locator("[data-rows-bar=running-rows]")
    expect(bar).to_contain_text("1 new")
    bar.get_by_role("button", name="Show").click()
    expect(queue.locator("#running-rows tr").first).to_contain_text("m5-4")
    assert _cells(queue, "m5-2xlarge", "cpu") == ["24", "24", "0", "—"]


def test_a_rejection_shows_every_rule_and_the_expression_that_was_false(
    page: Page, place: Place
) -> None:
    place.apply(RESERVATION)
    _submit(
        page,
        place,
        "wrong-type",
        instance_type="m5.2xlarge",
        tags="use-reservation=true",
        request_gpu="8",
    )
    expect(_headline(page)).to_contain_text("Rejected")
    why = page.get_by_role("region", name="Why, step by step")
    expect(why).to_contain_text("m5.2xlarge")
    expect(why).to_contain_text("a4-highgpu-8g")
    stage = why.locator("li.stage", has_text="Flavors")
    stage.get_by_role("link", name=re.compile(r"^v1 L")).first.click()
    expect(page).to_have_url(re.compile(r"/config/v/1#L\d+"))
    marked = page.locator("[data-source] [data-marked]")
    expect(marked.first).to_be_visible()
    assert "a4-highgpu-8g" in "".join(marked.all_inner_texts())

    _submit(page, place, "free", instance_type="m5.2xlarge", request_gpu="8")
    expect(_headline(page)).to_contain_text("Admitted")
    rules = page.locator("li.stage", has_text="Rules")
    rules.locator("summary").click()
    expect(rules).to_contain_text("use-reservation")


def test_unmatched_label_is_rejected_with_the_nearest_miss(page: Page, place: Place) -> None:
    place.apply(RESERVATION.replace("  - resource_queue: default\n", ""))
    _submit(page, place, "lost", tags="use-reservation=yes", request_gpu="1")
    expect(_headline(page)).to_contain_text("Rejected")
    rules = page.locator("li.stage", has_text="Rules")
    expect(rules).to_contain_text("use-reservation")
    expect(rules).to_contain_text("yes")


def test_request_beyond_the_limit_cannot_run_and_says_so(page: Page, place: Place) -> None:
    place.apply(CAP)
    _submit(
        page, place, "huge", instance_type="m5.2xlarge", request_cpu="32", request_memory_gb="1"
    )
    expect(_headline(page)).to_contain_text("can never run under this config", ignore_case=True)
    expect(_headline(page)).to_contain_text("32")
    page.goto(place.url())
    expect(page.locator("main")).to_contain_text("1 workload can never run under this config")


def test_preempted_workload_shows_its_preemptor_and_the_setting(page: Page, place: Place) -> None:
    place.apply(GPUS)
    (low,) = place.submit(a100("low", 64, priority=10))
    place.submit(a100("other", 16, priority=90))
    (high,) = place.submit(a100("high", 64, priority=80))
    wait_until(lambda: place.state(low) == "preempting")
    page.goto(place.url(f"workloads/{high}"))
    expect(_headline(page)).to_contain_text("1 workload is being preempted to free quota")
    expect(page.get_by_role("main")).to_contain_text("low")
    page.goto(place.url(f"workloads/{low}"))
    expect(_headline(page)).to_contain_text("Preempting")
    main = page.get_by_role("main")
    expect(main).to_contain_text("high")
    expect(_headline(page)).to_contain_text("workloads of lower priority")
    stage = page.locator("li.stage", has_text="Preemption")
    stage.get_by_role("link", name=re.compile(r"^v1 L")).click()
    marked = page.locator("[data-source] [data-marked]")
    expect(marked).to_contain_text("within_resource_queue: lower_priority")
    page.go_back()
    main.get_by_role("link", name="high").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("high")
    page.goto(place.url(f"workloads/{low}"))
    page.get_by_role("button", name=re.compile("stopped", re.IGNORECASE)).click()
    expect(_headline(page)).to_contain_text("Pending")
    wait_until(lambda: place.state(high) == "admitted")


def test_numbers_of_a_queue_are_exact(page: Page, place: Place) -> None:
    place.apply(GPUS)
    requests = {"gpu": 20.5, "cpu": 100.125}
    place.submit(*(a100(f"part-{i}", 0, requests=requests) for i in range(5)))
    page.goto(place.url("queues/ml_training"))
    assert _cells(page, "gpu_a100_spot", "gpu") == ["64", "61.5", "2.5", "41"]
    assert _cells(page, "gpu_a100_spot", "cpu") == ["512", "300.375", "211.625", "200.25"]
    assert _cells(page, "research_gpu_pool", "gpu") == ["16", "0", "16", "—"]
    bar = page.locator("#usage tr", has_text="gpu_a100_spot").get_by_role("img").first
    expect(bar).to_have_attribute("aria-label", re.compile(r"61\.5 .*64"))


def test_a_held_queue_admits_nothing_until_it_is_resumed(page: Page, place: Place) -> None:
    place.apply(CAP)
    page.goto(place.url("queues/q-m5-2xlarge-cap3"))
    page.get_by_text("Hold…").click()
    page.get_by_label("Reason", exact=True).fill("Moving racks")
    page.get_by_role("button", name="Hold this queue").click()
    expect(page.locator("#queue-notices")).to_contain_text("Moving racks")
    expect(page.locator("#queue-notices")).to_contain_text("first@example.com")
    (uid,) = place.submit(m5("held"))
    expect(page.locator("#pending-rows")).to_contain_text("Queue on hold")
    page.goto(place.url(f"workloads/{uid}"))
    expect(_headline(page)).to_contain_text("Moving racks")
    page.goto(place.url("queues/q-m5-2xlarge-cap3"))
    page.get_by_role("button", name="Resume admission").click()
    wait_until(lambda: place.state(uid) == "admitted")
    page.goto(place.url("queues/q-m5-2xlarge-cap3?tab=running"))
    expect(page.locator("#running-rows")).to_contain_text("held")
    expect(page.locator("#queue-notices")).to_be_empty()


def test_withdrawn_workload_ends_with_its_events(page: Page, place: Place) -> None:
    place.apply(CAP, "The first")
    (uid,) = place.submit(m5("unwanted"))
    page.goto(place.url(f"workloads/{uid}"))
    page.locator("#withdraw-menu summary").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(_headline(page)).to_contain_text("Withdrawn")
    expect(page.get_by_role("button", name="Withdraw")).to_have_count(0)
    page.goto(place.url("events"))
    told = page.get_by_role("main")
    for piece in ("The first", "unwanted", "first@example.com"):
        expect(told).to_contain_text(piece)
    page.get_by_text("Types", exact=True).first.click()
    page.get_by_role("checkbox", name="Request admitted").check()
    expect(page).to_have_url(re.compile("type=REQUEST_ADMITTED"))
    expect(page.locator("#event-rows tr")).to_have_count(1)


def test_form_errors_are_shown_at_the_fields(page: Page, place: Place) -> None:
    fields: dict[str, Any] = {"request_cpu": "-1", "priority": "high", "tags": "team"}
    _submit(page, place, "wrong", **fields)
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    for label in ("cpu", "Priority", "Tags"):
        expect(summary.get_by_role("link", name=label)).to_be_visible()
    expect(page.locator("[name=tags]")).to_have_value("team")
    assert place.api.get("/workloads")["results"] == []


#: The same queue without a rule for its pending workload.
CLOSED = """\
resource_flavors: [{ name: any }]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 2 }] }]
scheduling_rules:
  - resource_queue: train
SELECTOR"""
ASKING = "    selector: [{ key: team, operator: in, values: [night] }]\n"


def test_loaded_advice_renews_itself_after_a_new_version(page: Page, place: Place) -> None:
    place.apply(CLOSED.replace("SELECTOR", ""))
    _, waits = place.submit(
        {"name": "runs", "requests": {"gpu": 2}}, {"name": "waits", "requests": {"gpu": 1}}
    )
    page.goto(place.url(f"workloads/{waits}"))
    advice = page.locator("#advice")
    expect(advice).to_contain_text("from 2 to 3")
    smaller = CLOSED.replace("SELECTOR", "").replace("nominal_quota: 2", "nominal_quota: 0")
    place.apply(smaller.replace("train", "smaller"))
    expect(advice).to_contain_text("from 0 to 1")
    expect(advice).not_to_contain_text("from 2 to 3")


def test_loaded_advice_is_replaced_when_the_workload_is_rejected(page: Page, place: Place) -> None:
    place.apply(CLOSED.replace("SELECTOR", ""))
    _, waits = place.submit(
        {"name": "runs", "requests": {"gpu": 2}}, {"name": "waits", "requests": {"gpu": 1}}
    )
    page.goto(place.url(f"workloads/{waits}"))
    advice = page.locator("#advice")
    expect(advice).to_contain_text("Wait for runs to end, or finish it: it would then start.")
    # A live update without a change of state keeps the loaded advice.
    place.submit({"name": "third", "requests": {"gpu": 1}})
    page.wait_for_timeout(2500)
    expect(advice).to_contain_text("Wait for runs to end, or finish it: it would then start.")
    place.apply(CLOSED.replace("SELECTOR", ASKING))
    expect(page.locator("#headline")).to_contain_text("Rejected")
    expect(advice.get_by_role("heading")).to_have_text("How to get it accepted")
    expect(advice).not_to_contain_text("Wait for runs to end")
    expect(advice).to_contain_text("In the request: set team to night")
    # The separate page shows the same advice; it was a link in the panel.
    page.goto(place.url(f"workloads/{waits}/changes"))
    expect(page.locator("#changes")).to_contain_text("In the request: set team to night")
