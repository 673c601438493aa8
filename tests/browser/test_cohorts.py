"""Pages of cohorts: accessibility in each theme and width, and live updates."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from console.dialects import dialects
from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.browser.walks import broken_pages
from tests.cohort_sample import TWO_TEAMS, gpus

_DUMP = dialects()["kueue"].samples()["Forty queues, as kubectl prints them"]

_PAGES = (
    "cohorts",
    "cohorts/research",
    "cohorts/research?sort=borrowed",
    "help/quota-bars",
    "queues",
    "queues/vision",
    "queues/speech",
)


@pytest.fixture
def teams(place: Place) -> Place:
    """A cohort of two teams in which one borrows the unused quota of the other."""
    body = {"dialect": "kueue", "text": TWO_TEAMS, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    place.submit(gpus("speech", "own", 8))
    place.submit(gpus("speech", "extra", 6))
    return place


def test_pages_of_cohorts_keep_the_rules(page: Page, teams: Place) -> None:
    assert broken_pages(page, map(teams.url, _PAGES)) == {}


def test_a_cohort_of_forty_queues_keeps_the_rules(page: Page, place: Place) -> None:
    body = {"dialect": "kueue", "text": _DUMP, "message": "", "expected_version": 0}
    place.api.post("/config/versions", body, expect=201)
    cohorts = [each["name"] for each in place.api.get("/cohorts")["results"]]
    paths = ("cohorts", *(f"cohorts/{name}" for name in cohorts))
    assert broken_pages(page, map(place.url, paths)) == {}


def test_page_of_a_cohort_updates_live(page: Page, teams: Place) -> None:
    page.goto(teams.url("cohorts/research"))
    loans = page.locator("#loan-rows tr")
    expect(loans).to_have_count(1)
    expect(loans).to_contain_text("speech")
    expect(page.locator("#matrix-rows")).to_contain_text("14 of 8")
    (late,) = teams.submit(gpus("vision", "late", 12, "production"))
    expect(page.locator("#waiting")).to_contain_text("Starting soon")
    stopping = teams.api.get("/workloads?state=preempting")["results"]
    for workload in stopping:
        teams.api.post(f"/workloads/{workload['id']}/release", {})
    expect(page.locator("#matrix-rows")).to_contain_text("12 of 16")
    expect(page.locator("#loans-region")).to_contain_text("No queue of this cohort borrows")
    assert teams.state(late) == "admitted"


def test_the_pages_of_cohorts_work_without_scripts(visitors: Visitors, teams: Place) -> None:
    page = visitors.page(teams, scripts=False)
    page.goto(teams.url("queues"))
    page.get_by_role("link", name="research").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("research")
    page.locator("#matrix-rows").get_by_role("link", name="vision", exact=True).click()
    expect(page.locator("#usage")).to_contain_text("6 lent")
    expect(page.locator("#lending-region")).to_contain_text("From workloads of any priority")


def _focused(page: Page) -> str:
    """Return the text of the focused element."""
    said: str = page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText)"
        ".replace(/\\s+/g, ' ')"
    )
    return said.strip()


def test_arrow_keys_move_in_the_matrix_and_enter_opens_the_queue_there(
    page: Page, teams: Place
) -> None:
    page.goto(teams.url("cohorts/research"))
    vision = page.locator("#matrix-rows").get_by_role("link", name="vision", exact=True)
    expect(vision).not_to_have_attribute("tabindex", "-1")
    # The whole matrix is a single tab stop.
    assert page.locator("#matrix-rows a:not([tabindex='-1'])").count() == 1
    vision.focus()
    seen = []
    for key in (
        *("ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"),
        *("End", "Home", "Control+End", "Control+Home"),
    ):
        page.keyboard.press(key)
        seen.append(_focused(page))
    assert seen == [
        "vision",
        "vision, reserved cpu: 0 of 192",
        "vision, reserved memory: 0 of 1536Gi",
        "vision, reserved nvidia.com/gpu: 0 of 16 6 lent",
        "speech, reserved nvidia.com/gpu: 14 of 8 6 borrowed",
        "speech, reserved memory: 0 of 768Gi",
        "speech, spot nvidia.com/gpu: 0 of 0",
        "speech",
        "speech, spot nvidia.com/gpu: 0 of 0",
        "vision",
    ]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("vision")
    row = page.locator(f"[id='{page.url.rpartition('#')[2]}']")
    expect(row).to_contain_text("memory")
    expect(row).to_be_in_viewport()


def test_live_updates_keep_the_focus_in_the_matrix(page: Page, teams: Place) -> None:
    page.goto(teams.url("cohorts/research"))
    page.locator("#matrix-rows").get_by_role("link", name="vision", exact=True).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    teams.submit(gpus("speech", "more", 2))
    expect(page.locator("#matrix-rows")).to_contain_text("16 of 8")
    assert _focused(page) == "vision, reserved nvidia.com/gpu: 0 of 16 8 lent"
    expect(page.locator("#matrix-rows a:not([tabindex='-1'])")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    assert _focused(page) == "speech, reserved nvidia.com/gpu: 16 of 8 8 borrowed"


def _look(page: Page) -> dict[str, Any]:
    """Return the pixel positions and the fills of the parts of the borrowed bar."""
    found: dict[str, Any] = page.evaluate(
        """() => {
          const svg = [...document.querySelectorAll('.quota__bar')].find(
            (each) => each.querySelector('.quota__borrowed-ground'));
          const box = (name) => svg.querySelector(name).getBoundingClientRect();
          const style = (name) => getComputedStyle(svg.querySelector(name));
          const own = box('.quota__own');
          const borrowed = box('.quota__borrowed-ground');
          const seam = box('.quota__seam');
          return {
            touches: Math.abs(own.right - borrowed.left) <= 1,
            seam: Math.round(parseFloat(style('.quota__seam').strokeWidth)),
            between: Math.abs(seam.left - own.right) <= 1,
            pattern: getComputedStyle(document.querySelector('.pattern-borrowed')).stroke,
            own: style('.quota__own').fill,
          };
        }"""
    )
    return found


def test_parts_of_a_bar_are_distinct_at_any_size_and_without_colors(
    page: Page, teams: Place
) -> None:
    seen = set()
    for width in (1440, 760, 380):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(teams.url("queues/speech"))
        look = _look(page)
        assert (look["touches"], look["seam"], look["between"]) == (True, 2, True)
        seen.add((look["own"], look["pattern"]))
    assert len(seen) == 1
    ((own, pattern),) = seen
    page.emulate_media(media="print")
    printed = _look(page)
    assert printed["own"] == printed["pattern"] == "rgb(0, 0, 0)"
    page.emulate_media(media="screen", forced_colors="active")
    forced = _look(page)
    assert forced["own"] != own
    assert forced["pattern"] != pattern


def test_exports_searches_and_orders_work_without_scripts(visitors: Visitors, teams: Place) -> None:
    page = visitors.page(teams, scripts=False)
    page.goto(teams.url("cohorts/research"))
    page.get_by_role("navigation", name="Sort by").get_by_role("link", name="Lent").click()
    expect(page.locator("#matrix-rows tr").first).to_contain_text("vision")
    page.get_by_role("form", name="Find a queue").get_by_role("searchbox").fill("SPEECH")
    page.get_by_role("button", name="Find", exact=True).click()
    expect(page.locator("#matrix-rows tr")).to_have_count(1)
    with page.expect_download() as download:
        page.locator("#loans").get_by_role("link", name="CSV").click()
    text = download.value.path().read_text("utf-8")
    assert text.splitlines()[1].startswith(
        "speech,vision,queue,research,reserved,nvidia.com/gpu,6,"
    )
