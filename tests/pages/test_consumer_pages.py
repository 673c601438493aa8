"""The usage page by consumer: the table, the bars, its addresses and its file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from console.accounting.window import Step, account_window, begin_of
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from tests.pages.page import Element, complaints, read_page

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [cpu, gpu]
        flavors:
          - {name: any, resources: [{name: cpu, nominal_quota: 99}, {name: gpu, nominal_quota: 40}]}
scheduling_rules: [{resource_queue: train}]
"""

BEGIN = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)


@pytest.fixture
def browser(
    org: Organization, owner: Actor, settle, client_for, monkeypatch: pytest.MonkeyPatch
) -> Client:
    """Run workloads of three teams for ten hours."""
    now = [BEGIN]
    monkeypatch.setattr(timezone, "now", lambda: now[0])
    forget_states()
    apply_config(owner, "native", CONFIG, "", 0)
    settle(org)
    sample_orgs(BEGIN)
    sample_org(org.pk, BEGIN)
    submit_workloads(
        owner,
        [
            Submission(name=f"{team}-{gpus}", tags={"team": team}, requests={"gpu": gpus * 1000})
            for team, gpus in (("vision", 4), ("language", 16), ("vision", 2))
        ],
    )
    submit_workloads(owner, [Submission(name="plain", requests={"gpu": 1000, "cpu": 3000})])
    settle(org)
    now[0] += timedelta(hours=10)
    return client_for(owner)


def get(browser: Client, org: Organization, **query: str) -> Element:
    response = browser.get(f"/o/{org.slug}/usage", query)
    assert response.status_code == 200, response.content
    page = read_page(response)
    assert complaints(page) == []
    return page


def table(page: Element) -> list[str]:
    (body,) = page.id("usage-consumers").all("tbody")
    return [row.text for row in body.all("tr")]


def test_consumers_have_hours_shares_and_quota(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="label.team")
    assert table(page) == [
        "language 160 69.6 % 40.0 %",
        "vision 60 26.1 % 15.0 %",
        "none 10 4.3 % 2.5 %",
    ]
    section = page.id("usage-consumers").text
    assert "GPU-hours by team" in section
    range_ = "2026-03-08 00:00 to 2026-03-14 22:00 UTC"
    assert f"{range_}: 230 used of 400, 170 (42.5 %) idle" in section
    assert "counted since 2026-03-14 12:00 UTC" in section
    (drawing,) = [svg for svg in page.all("svg") if svg.attrs.get("class") == "chart__drawing"]
    assert drawing.attrs["aria-label"] == "230 GPU-hours by team, the most by language: 160."
    parts = [path.attrs["data-part"] for path in drawing.all("path")]
    assert parts == ["consumer-1", "consumer-2", "consumer-3"]


def test_another_resource_orders_anew(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="queue", resource="cpu")
    assert table(page) == ["train 30 100.0 % 3.0 %"]


def test_a_resource_that_does_not_occur_shows_the_first(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="queue", resource="memory")
    assert "GPU-hours by queue" in page.id("usage-consumers").text
    assert table(page) == ["train 230 100.0 % 57.5 %"]


def test_only_queues_that_exist_are_links(
    browser: Client, org: Organization, owner: Actor, settle
) -> None:
    def links() -> list[str]:
        return [
            a.attrs["href"] for a in get(browser, org, by="queue").all("a") if a.text == "train"
        ]

    assert links() == [f"/o/{org.slug}/queues/train"]
    apply_config(owner, "native", CONFIG.replace("train", "other"), "", 1)
    settle(org)
    # Its workloads still run.
    assert links() == [f"/o/{org.slug}/queues/train"]
    running = Workload.objects.filter(org=org).values_list("uid", flat=True)
    finish_workloads(owner, list(running))
    settle(org)
    assert links() == []
    assert table(get(browser, org, by="queue"))[0].startswith("train 230 ")


def test_the_label_field_chooses_a_label(browser: Client, org: Organization) -> None:
    assert table(get(browser, org, by="queue", label="team")) == table(
        get(browser, org, by="label.team")
    )


def test_links_keep_the_other_choices(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="label.team", range="30d", step="week")
    chosen = [a.text for a in page.all("a") if a.attrs.get("aria-current") == "page"]
    # The breakdowns are a row of links, and a menu on narrow screens.
    assert chosen == ["Usage", "Team", "Team", "30 days", "GPU", "Week"]
    user, in_menu = [a.attrs["href"] for a in page.all("a") if a.text == "User"]
    assert user == in_menu
    assert parse_qs(urlsplit(user).query) == {"by": ["user"], "range": ["30d"], "step": ["week"]}
    (vision,) = [a.attrs["href"] for a in page.all("a") if a.text == "vision"]
    assert parse_qs(urlsplit(vision).query) == {"label.team": ["vision"]}


def test_the_file_has_every_consumer_and_resource(browser: Client, org: Organization) -> None:
    response = browser.get(f"/o/{org.slug}/usage", {"by": "label.team", "as": "csv"})
    range_ = "2026-03-08T00:00:00.000000Z,2026-03-14T22:00:00.000000Z"
    # The quota is the one of which the page shows the share.
    assert b"".join(response.streaming_content).decode().splitlines() == [
        "value,resource,used_seconds,share,quota_seconds,used_hours,quota_hours,from,to",
        f"language,gpu,576000,0.6957,1440000,160.0,400.0,{range_}",
        f"vision,gpu,216000,0.2609,1440000,60.0,400.0,{range_}",
        f",gpu,36000,0.0435,1440000,10.0,400.0,{range_}",
        f",cpu,108000,1.0,3564000,30.0,990.0,{range_}",
    ]
    name = 'attachment; filename="usage-by-team-2026-03-14.csv"'
    assert response.headers["Content-Disposition"] == name


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"range": "24h"}, "2026-03-13 23:00 to 2026-03-14 22:00 UTC"),
        ({"range": "7d"}, "2026-03-08 00:00 to 2026-03-14 22:00 UTC"),
        ({"range": "7d", "step": "hour"}, "2026-03-07 23:00 to 2026-03-14 22:00 UTC"),
        ({"range": "30d"}, "2026-02-13 00:00 to 2026-03-14 22:00 UTC"),
        # Ranges of one's own are rounded to whole steps.
        ({"since": "2026-03-10T09:00"}, "2026-03-10 00:00 to 2026-03-14 22:00 UTC"),
    ],
)
def test_the_shown_range_is_the_one_that_is_added_up_and_ends_now(
    browser: Client, org: Organization, query: dict[str, str], shown: str
) -> None:
    page = get(browser, org, by="queue", **query)
    assert f"{shown}: 230 used" in page.id("usage-consumers").text


@pytest.mark.parametrize("now", ["2026-03-14T00:00", "2026-03-14T00:10", "2026-03-14T23:59"])
@pytest.mark.parametrize(("days", "step"), [(7, Step.DAY), (30, Step.DAY), (1, Step.HOUR)])
def test_a_range_has_as_many_bars_as_it_has_days_or_hours(now: str, days: int, step: Step) -> None:
    moment, length = datetime.fromisoformat(now).replace(tzinfo=UTC), timedelta(days=days)
    begin = begin_of(length, moment)
    window = account_window(begin, None, None, moment, only_whole_days=True)
    assert (window.step, len(window.starts)) == (step, 24 if step is Step.HOUR else days)


def test_without_use_the_page_says_so(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="queue", since="2026-03-01T00:00", until="2026-03-02T00:00")
    text = page.id("usage-consumers").text
    assert "No usage in this time range" in text
    assert "No workload held quota from 2026-03-01 00:00 to 2026-03-02 00:00 UTC." in text


def steps(page: Element) -> list[str]:
    (choices,) = [nav for nav in page.all("nav") if nav.attrs.get("aria-label") == "Step"]
    return [a.text for a in choices.all("a")]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"range": "24h"}, ["Hour", "Day"]),
        ({"range": "7d"}, ["Hour", "Day", "Week"]),
        # Hours are kept for 40 days.
        ({"since": "2026-01-01T00:00"}, ["Day", "Week"]),
        ({"since": "2026-03-14T20:00"}, ["Hour"]),
    ],
)
def test_steps_suit_the_time_range(
    browser: Client, org: Organization, query: dict[str, str], expected: list[str]
) -> None:
    page = get(browser, org, by="queue", **query)
    assert steps(page) == expected
    for name in expected:
        get(browser, org, by="queue", **query, step=name.lower())


def test_a_step_longer_than_the_time_range_widens_it_visibly(
    browser: Client, org: Organization
) -> None:
    page = get(browser, org, by="queue", range="24h", step="week")
    assert steps(page) == ["Hour", "Day", "Week"]
    text = page.id("usage-consumers").text
    assert "2026-03-09 00:00 to 2026-03-14 22:00 UTC: 230 used" in text


def test_of_an_expired_time_range_nothing_is_kept(browser: Client, org: Organization) -> None:
    page = get(browser, org, by="queue", since="2020-01-01T00:00", until="2020-02-01T00:00")
    text = page.id("usage-consumers").text
    assert "Nothing is kept of this time range" in text
    assert "Usage is kept since 2024-03-14. Choose a later time range." in text


def test_usage_over_time_links_the_breakdowns(browser: Client, org: Organization) -> None:
    page = get(browser, org)
    found = [a.attrs["href"] for a in page.all("a") if a.text == "Team"]
    assert found == [f"/o/{org.slug}/usage?by=label.team"] * 2
    (choices, _) = [nav for nav in page.all("nav") if nav.attrs.get("aria-label") == "Breakdown"]
    titles = [a.text for a in choices.all("a")]
    assert titles == [
        *("Over time", "Queue", "Team", "User", "Project", "Flavor"),
        "Label workload-type",
    ]


def test_a_wrong_query_is_refused(browser: Client, org: Organization) -> None:
    assert browser.get(f"/o/{org.slug}/usage", {"by": "nothing"}).status_code == 400
