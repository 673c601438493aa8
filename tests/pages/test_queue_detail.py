"""The page of a queue: tabs, pending workloads and the capacity line, running workloads, holds."""

from __future__ import annotations

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
from console.workloads.models import QueueHold, Workload
from console.workloads.queries.recent_history import forget_histories
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue
from tests.pages.conftest import CONFIG, World
from tests.pages.page import Element, read_page

URL = "/o/here/queues/research"


def get(browser: Client, query: str = "") -> Element:
    return read_page(browser.get(f"{URL}?{query}"))


def bar_sentences(page: Element) -> list[str]:
    """Return the sentences of the quota bars."""
    return [
        svg.attrs["aria-label"]
        for svg in page.all("svg")
        if "quota__bar" in svg.attrs.get("class", "")
    ]


def names(page: Element, region: str) -> list[str]:
    """Return the names of the workloads in a list, in order."""
    return [link.text for link in page.id(region).all("a") if "data-row" in link.attrs]


def rules(page: Element) -> list[list[str]]:
    """Return the rows of the rules that route to a queue."""
    return page.all("section", **{"aria-labelledby": "rules-title"})[0].rows()


def rename(owner: Actor, name: str, base: int, old: str = "research") -> None:
    """Apply a version that only renames the queue."""
    text = CONFIG.replace("name: research\n", f"name: {name}\n")
    apply_config(
        owner,
        "native",
        text.replace("resource_queue: research", f"resource_queue: {name}"),
        f"{old} becomes {name}",
        base,
    )


def test_tabs_are_plain_addresses(world: World, browser: Client) -> None:
    expected = [
        ("Pending 2", URL),
        ("Running 1", f"{URL}?tab=running"),
        ("Usage over time", f"{URL}/usage"),
        ("Rules", f"{URL}?tab=rules"),
        ("History", f"{URL}?tab=history"),
    ]
    for place, url in enumerate(url for _, url in expected):
        page = read_page(browser.get(url))
        (tabs,) = (nav for nav in page.all("nav") if "data-tabs" in nav.attrs)
        links = tabs.all("a")
        counts = ["", ""] if url.endswith("/usage") else [" 2", " 1"]
        titles = [f"Pending{counts[0]}", f"Running{counts[1]}", *[t for t, _ in expected[2:]]]
        assert [link.text for link in links] == titles
        assert [link.attrs["href"] for link in links] == [url for _, url in expected]
        open_ones = [i for i, link in enumerate(links) if link.attrs.get("aria-current")]
        assert open_ones == [place]
    assert browser.get(f"{URL}?tab=strange").status_code == 400
    assert browser.get(f"{URL}?reason=strange").status_code == 400


def test_pending_workloads_are_in_order_with_the_capacity_line(
    world: World, browser: Client
) -> None:
    page = get(browser)
    assert page.id("usage").rows() == [
        ["spot", "gpu", page.id("usage").rows()[0][2], "8", "6", "2", "4 80 can never run"]
    ]
    assert len(bar_sentences(page)) == 1
    rows = page.id("pending-region").rows()
    assert rows[0][0].startswith("Available quota ends here.")
    assert [[row[0], row[1], row[2], row[3]] for row in rows[1:]] == [
        ["1", "eval nightly", "4 GPUs", "50"],
        ["—", "huge owner@here.example", "80 GPUs", "50"],
    ]
    assert [row[5].partition(" Why")[0] for row in rows[1:]] == [
        "Waiting for quota: 2 GPUs short on spot",
        "Can never run under this config",
    ]
    assert "later workloads that fit may overtake" in page.id("pending").text


def test_the_capacity_line_agrees_with_the_engine(
    world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    submit("never", gpu=99, priority=90)
    rows = get(browser).id("pending-region").rows()
    assert [row[0].partition(".")[0] if "ends" in row[0] else row[1] for row in rows] == [
        "never owner@here.example",
        "Available quota ends here",
        "eval nightly",
        "huge owner@here.example",
    ]


def test_a_held_queue_has_no_line_for_nothing_starts_anyway(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    browser.post(URL, {"do": "hold", "reason": "moving racks"})
    settle(world.org)
    page = get(browser)
    assert [row[:2] for row in page.id("pending-region").rows()] == [
        ["1", "eval nightly"],
        ["—", "huge owner@here.example"],
    ]
    assert [link.text for link in page.id("waiting").all("a")] == [
        "1 Can never run under this config",
        "1 Queue on hold",
    ]


def test_clauses_filter_pending_workloads(world: World, browser: Client) -> None:
    links = get(browser).id("waiting").all("a")
    assert [(link.text, link.attrs["href"]) for link in links] == [
        ("1 Can never run under this config", f"{URL}?reason=exceeds_max_quota"),
        ("1 Waiting for quota", f"{URL}?reason=waiting_for_quota"),
    ]
    for link, name in zip(links, ["huge", "eval"], strict=True):
        page = read_page(browser.get(link.attrs["href"]))
        assert names(page, "pending-region") == [name]
        chosen = [a for a in page.id("waiting").all("a") if a.attrs.get("aria-current")]
        # The link removes the filter.
        assert [a.attrs["href"] for a in chosen] == [URL]
    empty = get(browser, "reason=behind_others")
    assert "No workload waits for this reason now" in empty.id("pending-region").text


def test_why_one_waits_opens_in_its_row_and_as_a_page(world: World, browser: Client) -> None:
    page = get(browser)
    details = page.id(f"why-{world.waiting.uid}")
    (link,) = details.all("a")
    assert link.attrs["href"] == f"/o/here/workloads/{world.waiting.uid}/trace"
    trace = read_page(browser.get(link.attrs["href"]))
    steps = trace.id(f"trace-{world.waiting.uid}")
    assert [head.text for head in steps.all("h3")][:2] == ["Intake", "Rules"]
    assert browser.get("/o/here/workloads/unknown/trace").status_code == 404


def test_running_workloads_are_sorted_by_their_requests(
    config: None, browser: Client, submit: Callable[..., Workload]
) -> None:
    for name, gpu in (("small", 1), ("large", 4), ("middle", 2)):
        submit(name, gpu=gpu)
    page = get(browser, "tab=running")
    assert names(page, "running-region") == ["large", "middle", "small"]
    orders = page.all("nav", **{"aria-label": "Order"})[0].all("a")
    assert [(a.text, a.attrs["href"]) for a in orders] == [
        ("Most gpu first", f"{URL}?tab=running&by=gpu"),
        ("Newest first", f"{URL}?tab=running&by=newest"),
    ]
    assert [row[3] for row in page.id("running-region").rows()] == [
        "4 GPUs 50% of nominal",
        "2 GPUs 25% of nominal",
        "1 GPU 12% of nominal",
    ]
    assert "By workloads of higher priority in research." in page.id("running-notes").text
    newest = get(browser, "tab=running&by=newest")
    assert names(newest, "running-region") == ["middle", "large", "small"]


def test_rules_tell_how_much_they_led_here(
    world: World, owner: Actor, browser: Client, submit: Callable[..., Workload]
) -> None:
    forget_histories()
    (row,) = rules(get(browser, "tab=rules"))
    today = timezone.now().date().isoformat()
    assert row == ["Rule 1 team in research Move rule 1", "4", today, "v1 L14–L16"]
    apply_config(owner, "native", CONFIG.replace("in, values: [research] }]\n    resource_queue",
                 "in, values: [nobody] }]\n    resource_queue"), "", 1)  # fmt: skip
    (row,) = rules(get(browser, "tab=rules"))
    assert row[1:3] == ["0", "—"]


def test_history_has_only_the_lines_about_the_queue(
    world: World, owner: Actor, browser: Client
) -> None:
    more = CONFIG.replace("default: 50", "default: 60")
    apply_config(owner, "native", more, "More weight", 1)
    other = more.replace("  - name: default\n", "  - name: default\n  - name: other\n")
    apply_config(owner, "native", other, "Another queue", 2)
    rows = get(browser, "tab=history").id("history").rows()
    assert [(row[0], row[2]) for row in rows] == [
        ("v2 Applied", f"More weight {owner.name}"),
        ("v1 Applied", f"The first one {owner.name}"),
    ]
    assert rows[0][1].startswith("~ Rule 1 to research changed")
    assert "60" in rows[0][1]
    assert "Queue research added" in rows[1][1]
    assert "Rule 1 to research added" in rows[1][1]
    assert "default" not in rows[1][1].replace("default priority", "")


def test_an_old_name_leads_to_the_new_one(
    config: None, owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    rename(owner, "labs", 1)
    rename(owner, "science", 2, "labs")
    settle(owner.org)
    answer = browser.get(f"{URL}?tab=rules&v=1")
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/o/here/queues/science?tab=rules",
    )
    assert browser.get("/o/here/queues/labs").headers["Location"] == "/o/here/queues/science"
    assert browser.post(URL, {"do": "resume"}).status_code == 404
    rows = read_page(browser.get("/o/here/queues/science?tab=history"))
    assert "Earlier names: labs, research." in rows.id("history").text
    rename(owner, "research", 3, "science")
    assert browser.get(URL).status_code == 200


def test_an_old_name_with_work_in_it_stays_and_says_the_new_one(
    world: World, owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    rename(owner, "labs", 1)
    settle(world.org)
    page = get(browser)
    assert page.id("queue-state").text == "Draining"
    assert [a.attrs["href"] for a in page.id("queue-notices").all("a")] == ["/o/here/queues/labs"]
    finish_workloads(owner, [world.admitted.uid])
    settle(world.org)
    assert browser.get(URL).headers["Location"] == "/o/here/queues/labs"


def test_a_hold_says_why_and_until_when_and_is_changed(
    world: World, browser: Client, settle: Callable[[Organization], int]
) -> None:
    browser.post(URL, {"do": "hold", "reason": "moving racks", "for": "1h", "until": ""})
    hold = QueueHold.objects.get()
    assert hold.until is not None
    assert timedelta(minutes=59) < hold.until - timezone.now() <= timedelta(hours=1)
    settle(world.org)
    page = get(browser)
    assert page.id("queue-state").text == "Held"
    assert f"until {hold.until:%Y-%m-%d %H:%M:%S} UTC" in page.id("queue-notices").text
    form = page.id("hold").all("form")[1]
    fields = {field.attrs["name"]: field.attrs.get("value") for field in form.all("input")}
    assert (fields["reason"], fields["until"]) == ("moving racks", f"{hold.until:%Y-%m-%dT%H:%M}")

    end = timezone.now() + timedelta(days=2)
    given = {"reason": "still moving", "for": "15m", "until": f"{end:%Y-%m-%dT%H:%M}"}
    browser.post(URL, {"do": "hold", **given})
    hold.refresh_from_db()
    assert hold.until == end.replace(second=0, microsecond=0)
    browser.post(URL, {"do": "hold", "reason": "for long", "for": "", "until": ""})
    hold.refresh_from_db()
    assert hold.until is None
    browser.post(URL, {"do": "resume"})
    settle(world.org)
    assert get(browser).id("queue-state").text == "Accepting"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"reason": " "}, "This may not be blank."),
        ({"reason": "x", "until": "2020-01-01T00:00"}, "A hold has to end later than now"),
        ({"reason": "x", "until": "soon"}, "until has to be a time such as"),
        ({"reason": "x", "for": "1y"}, "for has to be one of: 15m, 1h"),
    ],
)
def test_errors_of_a_hold_are_shown_in_its_form(
    fields: dict[str, str], told: str, world: World, browser: Client
) -> None:
    answer = browser.post(URL, {"do": "hold", **fields})
    page = read_page(answer)
    assert answer.status_code == 422
    assert told in page.id("hold-error").text
    # The form keeps the typed values.
    assert page.id("reason").attrs["value"].strip() == fields["reason"].strip()
    assert not QueueHold.objects.exists()


def test_the_hold_form_opens_by_address(world: World, browser: Client) -> None:
    def is_open(query: str) -> bool:
        (menu,) = (d for d in get(browser, query).all("details") if "data-hold" in d.attrs)
        return "open" in menu.attrs

    assert (is_open("hold=1"), is_open("")) == (True, False)


@pytest.mark.parametrize("tab", ["pending", "running", "rules", "history"])
def test_queries_of_a_tab_do_not_grow_with_rows(
    tab: str, world: World, browser: Client, submit: Callable[..., Workload]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            get(browser, f"tab={tab}")
        return len(captured)

    queries()
    before = queries()
    for number in range(6):
        submit(f"more-{number}", gpu=number + 1, priority=number)
    assert queries() == before
    assert before <= 24


def test_pages_behind_the_first_count_on_and_have_no_second_line(
    config: None, browser: Client, submit: Callable[..., Workload]
) -> None:
    submit("runs", gpu=8)
    submit("first", gpu=1)
    workload = Workload.objects.get(name="first")
    Workload.objects.bulk_create(
        Workload(
            org=workload.org, uid=f"u{i}", name=f"w{i}", type="job", label_set=workload.label_set,
            requests={"gpu": 1000}, submitted_by="x", queue="research", priority=50,
            reason="waiting_for_quota", pending_class=workload.pending_class,
        )
        for i in range(60)
    )  # fmt: skip
    first = get(browser)
    assert "Available quota ends here" in first.id("pending-region").text
    (link,) = (a for a in first.all("a") if a.attrs.get("rel") == "next")
    second = read_page(browser.get(link.attrs["href"]))
    assert "Available quota ends here" not in second.id("pending-region").text
    numbers = [row[0] for row in second.id("pending-region").rows()]
    assert numbers == [str(i) for i in range(26, 51)]
    assert re.match(r"\d", numbers[0])


def test_a_queue_in_which_nobody_waits_says_what_is_free(
    owner: Actor, browser: Client, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    settle(owner.org)
    assert get(browser).id("pending-region").text == "No pending workloads. 8 GPUs available now."
    hold_queue(owner, "research", "moving racks")
    settle(owner.org)
    assert get(browser).id("pending-region").text == "No pending workloads."
