"""Live pages: the age of their data, pausing, and failures of updates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place, wait_until

CAP = """\
resource_flavors: [{ name: any }]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 2 }] }]
scheduling_rules: [{ resource_queue: train }]
"""
POLL = re.compile(r"[?&]v=")
STATUS = "[data-live-text]"


def job(name: str) -> dict[str, object]:
    """Return a workload of one GPU."""
    return {"name": name, "type": "job", "requests": {"gpu": 1}}


@pytest.fixture
def queue(page: Page, place: Place) -> Page:
    """The page of a queue with one running workload."""
    place.apply(CAP)
    place.submit(job("first"))
    page.goto(place.url("queues/train?tab=running"))
    expect(page.locator("#running-rows tr")).to_have_count(1)
    expect(page.locator(STATUS)).to_have_text(re.compile(r"Live · \d+ s ago"))
    return page


@contextmanager
def answering(page: Page, handler: object) -> Iterator[None]:
    """Answer polls with *handler* instead of the product."""
    page.route(POLL, handler)  # type: ignore[arg-type]
    yield
    page.unroute(POLL)


def forgive(visitors: Visitors) -> None:
    """Remove the browser's complaints about responses that the test made up."""
    visitors.complaints[:] = [each for each in visitors.complaints if "Failed to load" not in each]


def test_unreachable_server_keeps_the_data_and_shows_its_age(
    queue: Page, place: Place, visitors: Visitors
) -> None:
    with answering(queue, lambda route: route.abort()):
        expect(queue.locator(STATUS)).to_have_text(
            re.compile(r"Reconnecting · data from \d\d:\d\d:\d\d UTC")
        )
        expect(queue.locator("#running-rows")).to_contain_text("first")
    queue.get_by_role("button", name="Retry").click()
    expect(queue.locator(STATUS)).to_have_text(re.compile("Live"))
    expect(queue.get_by_role("button", name="Retry")).to_be_hidden()
    forgive(visitors)


def test_error_shows_the_request_id_and_is_retried(
    queue: Page, place: Place, visitors: Visitors
) -> None:
    def broken(route: Route) -> None:
        route.fulfill(status=500, headers={"X-Request-ID": "abc123"}, body="")

    with answering(queue, broken):
        expect(queue.locator(STATUS)).to_contain_text("Error 500, request abc123 · data from")
        expect(queue.locator("#announcer")).to_contain_text("data is out of date")
    queue.get_by_role("button", name="Retry").click()
    expect(queue.locator(STATUS)).to_have_text(re.compile("Live"))
    forgive(visitors)


def test_signed_out_reader_keeps_the_page_and_can_return(
    queue: Page, place: Place, visitors: Visitors
) -> None:
    queue.context.clear_cookies()
    expect(queue.locator(STATUS)).to_contain_text("Signed out · data from")
    expect(queue.locator("#running-rows")).to_contain_text("first")
    expect(queue.get_by_role("button", name="Pause")).to_be_hidden()
    asked: list[str] = []
    queue.on("request", lambda request: asked.append(request.url))
    queue.wait_for_timeout(3000)
    assert asked == []
    queue.get_by_role("link", name="Sign in again").click()
    expect(queue).to_have_url(
        re.compile(rf"/login\?next=%2Fo%2F{place.slug}%2Fqueues%2Ftrain%3Ftab%3Drunning")
    )
    forgive(visitors)


def test_removed_member_is_notified(queue: Page, place: Place, visitors: Visitors) -> None:
    with answering(queue, lambda route: route.fulfill(status=404, body="")):
        expect(queue.locator(STATUS)).to_contain_text("No longer available · data from")
    expect(queue.get_by_role("link", name="Reload", exact=True)).to_be_visible()
    forgive(visitors)


def test_new_build_offers_a_reload(queue: Page, place: Place) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, "x-live-build": "another"})

    with answering(queue, newer):
        expect(queue.get_by_role("link", name="Reload: new version")).to_be_visible()
        # The data on the page is still updated.
        place.submit(job("second"))
        expect(queue.locator("[data-rows-bar=running-rows]")).to_contain_text("1 new")
    queue.get_by_role("link", name="Reload: new version").click()
    expect(queue.locator("#running-rows tr")).to_have_count(2)
    expect(queue.get_by_role("link", name="Reload: new version")).to_be_hidden()


def test_age_is_that_of_the_data_and_not_of_the_response(queue: Page, place: Place) -> None:
    def rested(route: Route) -> None:
        route.fulfill(status=204, headers={"X-Live-Stamp": "1000-x", "X-Live-Age": "7.5"})

    with answering(queue, rested):
        expect(queue.locator(STATUS)).to_have_text(re.compile(r"Live · ([89]|1\d) s ago"))


def test_p_pauses_and_resumes_updates(queue: Page, place: Place) -> None:
    queue.keyboard.press("p")
    expect(queue.locator(STATUS)).to_have_text(re.compile(r"Paused · as of \d\d:\d\d:\d\d UTC"))
    expect(queue.get_by_role("button", name="Resume")).to_have_attribute("aria-pressed", "true")
    asked: list[str] = []
    queue.on("request", lambda request: asked.append(request.url))
    place.submit(job("second"))
    queue.wait_for_timeout(3000)
    assert asked == []
    queue.keyboard.press("p")
    expect(queue.locator("[data-rows-bar=running-rows]")).to_contain_text("1 new")
    expect(queue.locator("#running-rows tr")).to_have_count(1)


def _hiding(hidden: str) -> str:
    return f"""() => {{
      Object.defineProperty(document, "hidden", {{ value: {hidden}, configurable: true }});
      document.dispatchEvent(new Event("visibilitychange"));
    }}"""


def _asking(action: str) -> str:
    """Return a script that tells how often *action* asks the server before it is over."""
    return f"""() => {{
      const real = window.fetch;
      let asked = 0;
      window.fetch = (...given) => {{ asked += 1; return real(...given); }};
      {action};
      window.fetch = real;
      return asked;
    }}"""


def test_hidden_page_does_not_poll_and_updates_when_shown(queue: Page, place: Place) -> None:
    queue.evaluate(_hiding("true"))
    queue.wait_for_timeout(300)
    asked: list[str] = []
    queue.on("request", lambda request: asked.append(request.url))
    place.submit(job("second"))
    queue.wait_for_timeout(3000)
    assert asked == []
    assert queue.evaluate(_asking(f"({_hiding('false')})()")) == 1
    expect(queue.locator("[data-rows-bar=running-rows]")).to_contain_text("1 new")


def test_page_from_the_back_cache_polls_when_shown(queue: Page) -> None:
    queue.get_by_role("button", name="Pause").click()
    queue.wait_for_timeout(300)
    queue.get_by_role("button", name="Resume").click()
    shown = _asking('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    # The page sends no second poll while one is under way.
    wait_until(lambda: queue.evaluate(shown) == 1)


def test_focused_or_selected_parts_are_updated_later(queue: Page, place: Place) -> None:
    row = queue.locator("#running-rows a[data-row]").first
    row.focus()
    box = row.bounding_box()
    place.submit(job("second"), job("third"))
    expect(queue.locator("#queue-tabs")).to_contain_text("2")
    expect(queue.locator("[data-rows-bar=running-rows]")).to_contain_text("1 new")
    assert row.evaluate("(node) => node === document.activeElement")
    after = row.bounding_box()
    assert box is not None
    assert after is not None
    assert box["x"] == after["x"]
    # Selected text may be copied, so it is not replaced.
    queue.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
    queue.wait_for_timeout(500)
    asked: list[str] = []
    queue.on("request", lambda request: asked.append(request.url))
    queue.wait_for_timeout(3000)
    assert asked == []
    queue.evaluate("getSelection().removeAllRanges()")
    with queue.expect_request(POLL):
        pass


def test_filtered_list_is_updated_live(page: Page, place: Place) -> None:
    place.apply(CAP)
    place.submit(job("first"), job("second"), job("third"))
    page.goto(place.url("workloads"))
    rows = page.locator("#workload-rows tr")
    expect(rows).to_have_count(3)
    page.get_by_label("Name starts with, or id").fill("f")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    place.submit(job("fourth"))
    expect(page.locator("[data-rows-bar=workload-rows]")).to_contain_text("1 new")
    page.keyboard.press("Escape")
    page.locator("[data-rows-bar=workload-rows] [data-rows-show]").click()
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("fourth")


def test_two_people_see_shared_data_and_their_own_forms(place: Place, visitors: Visitors) -> None:
    place.apply(CAP)
    place.submit(job("first"))
    pages = [visitors.page(place, person) for person in (0, 1)]
    for each in pages:
        each.goto(place.url("workloads"))
    place.submit(job("second"))
    for each in pages:
        expect(each.locator("[data-rows-bar=workload-rows]")).to_contain_text("1 new")
        token = each.locator("form[action$='/views'] [name=csrfmiddlewaretoken]").first
        expect(token).not_to_have_value("")


def test_form_in_a_replaced_region_still_submits(queue: Page, place: Place) -> None:
    second = queue.context.new_page()
    second.goto(place.url("queues/train?tab=running&hold=1"))
    second.get_by_label("Reason").fill("moving racks")
    second.get_by_role("button", name="Hold").last.click()
    expect(second.locator("#queue-state")).to_contain_text("Held")
    # The first page got its resume form from a poll, whose response has no CSRF token.
    queue.bring_to_front()
    queue.get_by_role("button", name="Resume").first.wait_for()
    expect(queue.locator("#queue-state")).to_contain_text("Held")
    queue.locator("#hold").get_by_role("button", name="Resume").click()
    expect(queue.locator("#queue-state")).not_to_contain_text("Held")


def test_failed_part_keeps_its_content_and_recovers(queue: Page, place: Place) -> None:
    body = (
        '<div id="live-poll" data-version="1-x"></div><div id="running-region" data-live>'
        '<div class="notice" data-failed>What runs could not be loaded</div></div>'
    )
    with answering(queue, lambda route: route.fulfill(status=200, body=body)):
        expect(queue.locator("#running-region [data-failed]")).to_have_text(
            "What runs could not be loaded"
        )
        expect(queue.locator("#running-rows")).to_contain_text("first")
    # The part is requested again although nothing has changed.
    expect(queue.locator("#running-region [data-failed]")).to_have_count(0)
    expect(queue.locator("#running-rows")).to_contain_text("first")
