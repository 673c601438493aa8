"""Event and audit log pages: filters, counts, expandable rows, exports and visibility by role."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.orgs.audit import ACTIONS, record
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor
from console.orgs.services.seal_audit import seal_audit
from console.pages.presenters.activity import audit as presenter
from console.pages.presenters.lists.tallies import Tally, permalink, tallies_of
from console.workloads.models import Event, Workload
from console.workloads.services.hold_queue import hold_queue, resume_queue
from tests.pages.conftest import World
from tests.pages.page import Element, read_page


def page(browser: Client, path: str) -> Element:
    """Return a page of the test organization."""
    return read_page(browser.get(f"/o/here/{path}"))


def chips(found: Element) -> list[str]:
    """Return the labels of the active filters."""
    return [a.text for a in found.all("a", class_="chip") if "/events" in a.attrs["href"]]


def sentences(found: Element, rows: str) -> list[str]:
    """Return the sentences of the rows, without their expandable details."""
    return [row.all("th")[0].text.partition(" Facts")[0] for row in found.id(rows).all("tr")]


def test_several_types_are_asked_for_at_once_and_each_has_its_chip(
    world: World, browser: Client
) -> None:
    found = page(browser, "events?type=REQUEST_REJECTED&type=CONFIG_UPDATED&level=INFO")
    assert {"type Request rejected", "type Config updated", "level INFO"} <= set(chips(found))
    (chip,) = [a for a in found.all("a", class_="chip") if "Request rejected" in a.text]
    assert chip.attrs["href"] == "/o/here/events?type=CONFIG_UPDATED&level=INFO"
    checked = [box.attrs["value"] for box in found.all("input") if "checked" in box.attrs]
    assert checked == ["CONFIG_UPDATED", "REQUEST_REJECTED", "INFO"]
    assert set(sentences(page(browser, "events?type=CONFIG_UPDATED"), "event-rows")) == {
        "Config version 1 was applied: The first one"
    }


def test_the_last_value_of_a_single_filter_counts(world: World, browser: Client) -> None:
    answer = browser.get("/o/here/events?actor=a&actor=engine&queue=")
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        "/o/here/events?actor=engine",
    )


def test_counts_by_type_lead_to_their_events_and_back(world: World, browser: Client) -> None:
    found = page(browser, "events?queue=research")
    tally = next(a for a in found.all("a", class_="tally") if "Request admitted" in a.text)
    assert tally.attrs["href"] == "/o/here/events?queue=research&type=REQUEST_ADMITTED"
    count = Event.objects.filter(queue="research", type="REQUEST_ADMITTED").count()
    assert tally.text.split() == ["Request", "admitted", str(count)]
    narrowed = page(browser, "events?queue=research&type=REQUEST_ADMITTED")
    tally = next(a for a in narrowed.all("a", class_="tally") if "Request admitted" in a.text)
    assert tally.attrs["aria-current"] == "true"
    assert tally.attrs["href"] == "/o/here/events?queue=research"
    assert len(narrowed.all("a", class_="tally")) == len(found.all("a", class_="tally"))


def test_a_row_opens_to_its_facts_and_a_link_to_it_alone(world: World, browser: Client) -> None:
    event = Event.objects.filter(type="REQUEST_QUEUED").latest("pk")
    found = page(browser, f"events?id={event.pk}")
    (row,) = found.id("event-rows").all("tr")
    facts = json.loads("".join(map(str, row.all("pre")[0].children)))
    assert (facts["id"], facts["type"], facts["data"]) == (
        str(event.pk),
        "REQUEST_QUEUED",
        event.data,
    )
    assert f"/o/here/events?id={event.pk}" in [a.attrs["href"] for a in row.all("a")]


def test_the_version_of_the_list_changes_with_every_event(
    world: World, browser: Client, owner: Actor
) -> None:
    for path, change in (
        ("events", lambda: Event.objects.create(org=owner.org, type="CONFIG_UPDATED", actor="x",
                                                data={"version": 1})),
        ("events/audit", lambda: record(owner, "queue.hold", kind="queue", subject="research")),
    ):  # fmt: skip
        url = f"/o/here/{path}"
        version = read_page(browser.get(url)).id("live-poll").attrs["data-version"]
        assert browser.get(url, {"v": version}).status_code == 204
        change()
        assert browser.get(url, {"v": version}).status_code == 200


def test_an_export_has_the_filters_of_the_list_and_all_its_pages(
    world: World, browser: Client
) -> None:
    beyond = Event.objects.latest("pk").pk + 1
    found = page(browser, f"events?type=REQUEST_SUBMITTED&cursor={beyond}")
    links = {a.text: a.attrs["href"] for a in found.all("a") if "as=" in a.attrs["href"]}
    assert links == {
        "CSV": "/o/here/events?type=REQUEST_SUBMITTED&as=csv",
        "NDJSON": "/o/here/events?type=REQUEST_SUBMITTED&as=ndjson",
    }
    answer = browser.get(links["NDJSON"])
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="here-events-')
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]  # type: ignore[arg-type]
    assert {row["type"] for row in rows} == {"REQUEST_SUBMITTED"}
    assert len(rows) == Workload.objects.count()
    answer = browser.get(links["CSV"])
    text = b"".join(answer.streaming_content).decode()  # type: ignore[arg-type]
    assert [row["id"] for row in csv.DictReader(io.StringIO(text))] == [row["id"] for row in rows]


def test_a_permalink_excludes_later_events() -> None:
    frozen = permalink("/o/here/events", QueryDict("type=A&type=B&cursor=5"))
    assert re.fullmatch(
        r"/o/here/events\?type=A&type=B&until=\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\dZ", frozen
    )
    until = QueryDict(frozen.partition("?")[2])["until"]
    assert until > f"{timezone.now():%Y-%m-%dT%H:%M:%S}"
    kept = permalink("/o/here/events", QueryDict("until=2026-01-01&cursor=5"))
    assert kept == "/o/here/events?until=2026-01-01"


def test_the_longest_bar_is_full_and_the_shortest_is_visible() -> None:
    found = tallies_of("/x", QueryDict("t=b"), "t", {"b": 1, "a": 1, "c": 400}, str.upper)
    assert found == (
        Tally(value="c", title="C", count=400, width=100, url="/x?t=b&t=c", is_chosen=False),
        Tally(value="a", title="A", count=1, width=1, url="/x?t=b&t=a", is_chosen=False),
        Tally(value="b", title="B", count=1, width=1, url="/x", is_chosen=True),
    )
    assert tallies_of("/x", QueryDict(""), "t", {}, str.upper) == ()


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("events", "No events yet"),
        ("events?type=REQUEST_QUEUED", "Nothing matches these filters"),
        ("events?cursor=1", "The end of the list"),
        ("events/audit?action=queue", "Nothing matches these filters"),
        ("events/audit?cursor=1", "The end of the list"),
    ],
)
def test_an_empty_list_says_which_kind_of_empty_it_is(
    path: str, title: str, org: Organization, browser: Client
) -> None:
    assert title in [heading.text for heading in page(browser, path).all("h2")]


def test_a_member_without_entries_gets_an_explanation(
    world: World, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(viewer)
    AuditEntry.objects.filter(actor_key=viewer.key).delete()
    found = page(browser, "events/audit")
    assert "No audit entries yet" in [each.text for each in found.all("h2")]
    assert "Owners see the actions of all members." in found.text
    assert "f-actor" not in [each.attrs.get("id") for each in found.all("input")]
    filtered = page(browser, "events/audit?action=config").text
    assert "None of your own entries matches. Owners see all entries." in filtered
    assert "The first one" not in filtered


def test_the_audit_log_shows_previous_values(world: World, owner: Actor, browser: Client) -> None:
    hold_queue(owner, "research", "rack down")
    hold_queue(owner, "research", "still down")
    resume_queue(owner, "research")
    seal_audit()
    found = page(browser, "events/audit?action=queue")
    assert sentences(found, "audit-rows") == [
        f"{owner.name} resumed queue research",
        f"{owner.name} held queue research",
        f"{owner.name} held queue research",
    ]
    changed = [row.all("td")[0].text for row in found.id("audit-rows").all("tr")]
    assert changed == [
        f"actor {owner.name} reason still down",
        "reason rack down → still down",
        f"actor {owner.name} reason rack down",
    ]
    first = found.id("audit-rows").all("tr")[0]
    links = [a.attrs["href"] for a in first.all("a")]
    assert f"/o/here/events/audit?actor=user%3A{owner.key.partition(':')[2]}" in links
    assert "/o/here/queues/research" in links
    assert "/o/here/events/audit?kind=queue&subject=research" in links
    number = AuditEntry.objects.latest("pk").number
    assert f"number {number} of the chain" in first.text


def test_families_of_actions_are_chosen_together(world: World, browser: Client) -> None:
    found = page(browser, "events/audit?action=session&action=account")
    titles = {a.text: a for a in found.all("a", class_="segment")}
    assert titles["Sign-ins"].attrs["aria-current"] == "true"
    assert "aria-current" not in titles["All"].attrs
    assert titles["All"].attrs["href"] == "/o/here/events/audit"
    assert titles["Queues"].attrs["href"] == "/o/here/events/audit?action=queue"


def test_every_action_has_its_words_and_every_page_of_a_subject_is_there(
    owner: Actor, browser: Client
) -> None:
    assert set(presenter._DONE) == set(ACTIONS)
    for action in ACTIONS:
        record(owner, action, kind=("queue"), subject=("7"), after={("count"): 3})  # type: ignore[arg-type]
    entries = AuditEntry.objects.filter(subject="7")
    for kind in presenter._PAGES:
        entries.update(kind=kind)
        rows = presenter.audit_rows(owner.org, entries)
        said = [f"{row.done}{row.subject}{row.rest}" for row in rows]
        assert [each for each in said if "{" in each] == []
        assert {bool(row.subject_url) for row in rows} == {True, False}
    # Entries of an older version of the product are still shown.
    entries.update(action="something.old")
    assert "something.old" in page(browser, "events/audit").text


def test_queries_of_the_lists_do_not_grow_with_rows(
    world: World, owner: Actor, browser: Client
) -> None:
    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            browser.get(f"/o/here/{path}")
        return len(captured)

    paths = ("events", "events/audit")
    # The first page of a session writes when the session was last seen.
    browser.get("/o/here/")
    before = [queries(path) for path in paths]
    for _ in range(60):
        record(owner, "queue.hold", kind="queue", subject="research")
    Event.objects.bulk_create(
        Event(org=owner.org, type="CONFIG_UPDATED", actor="x", data={"version": 1})
        for _ in range(60)
    )
    assert [queries(path) for path in paths] == before


@pytest.mark.parametrize(("days", "said"), [(90, "are not kept"), (0, "are kept forever")])
def test_the_end_of_a_list_says_how_far_back_it_goes(
    settings, days: int, said: str, org: Organization, browser: Client
) -> None:
    settings.EVENT_RETENTION_DAYS = settings.AUDIT_RETENTION_DAYS = days
    assert said in page(browser, "events").text
    assert said in page(browser, "events/audit").text


def test_events_are_drawn_over_time_and_each_column_leads_to_its_own(
    world: World, browser: Client
) -> None:
    over_time = page(browser, "events").id("over-time")
    columns = over_time.all("a", class_="histogram__column")
    rows = over_time.rows()
    assert len(columns) == len(rows)
    assert len(rows) in (24, 25)
    told = Event.objects.filter(org=world.org, type="REQUEST_ADMITTED").count()
    heads = [each.text for each in over_time.all("th", scope="col")]
    assert heads[1:] == [
        "Request submitted",
        "Request admitted",
        "Request fulfilled",
        "Request aborted",
        "Request preempted",
        "Request rejected",
    ]
    assert sum(int(row[2]) for row in rows) == told > 0
    # A column links to the list of its events, drawn in finer intervals.
    url = columns[-1].attrs["href"].removeprefix("/o/here/")
    assert url == over_time.all("a")[-1].attrs["href"].removeprefix("/o/here/")
    within = page(browser, f"{url}&type=REQUEST_ADMITTED")
    assert len(within.id("event-rows").all("tr")) == int(rows[-1][2])
    finer = within.id("over-time")
    assert sum(int(row[1]) for row in finer.rows()) == int(rows[-1][2])
    # Future intervals are not drawn.
    last, *_ = finer.rows()[-1]
    assert last[:16] <= f"{timezone.now():%Y-%m-%d %H:%M}"


def test_the_time_is_drawn_of_one_queue_and_not_of_what_is_not_counted(
    world: World, browser: Client
) -> None:
    of_queue = page(browser, "events?queue=research&type=REQUEST_ADMITTED").id("over-time")
    told = Event.objects.filter(org=world.org, type="REQUEST_ADMITTED", queue="research").count()
    assert sum(int(row[1]) for row in of_queue.rows()) == told > 0
    for query in ("level=ERROR", "queue=a&queue=b", "type=CONFIG_UPDATED", "actor=engine"):
        found = page(browser, f"events?{query}")
        assert [each for each in found.walk() if each.attrs.get("id") == "over-time"] == []
    # The links "earlier" and "later" move the time range.
    past = page(browser, "events?since=2026-01-02T00:00:00Z&until=2026-01-03T00:00:00Z")
    ways = {link.text: link.attrs["href"] for link in past.id("over-time").all("a")}
    query = "since=2026-01-01T00%3A00%3A00Z&until=2026-01-02T00%3A00%3A00Z"
    assert ways["Earlier"] == f"/o/here/events?{query}"
    assert "Later" in ways


def test_drawing_events_over_time_costs_the_same_however_many_there_are(
    world: World, browser: Client
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page(browser, "events")
        return len(captured)

    # Caches that outlast requests are filled from here on.
    queries()
    before = queries()
    first = Event.objects.filter(org=world.org)[0]
    Event.objects.bulk_create(
        Event(org=world.org, type=first.type, actor="engine", data=first.data) for _ in range(200)
    )
    assert queries() == before


def test_listed_events_can_be_sent_to_a_webhook(
    world: World, browser: Client, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    def ways(client: Client, query: str) -> list[str]:
        found = page(client, f"events?{query}").all("a")
        return [link.attrs["href"] for link in found if link.text == "Create a webhook for these"]

    (url,) = ways(browser, "type=REQUEST_ADMITTED&type=REQUEST_REJECTED&queue=research")
    assert url == "/o/here/settings/webhooks/new?kind=workload.rejected&queue=research"
    form = read_page(browser.get(url))
    chosen = [box.attrs["value"] for box in form.all("input") if "checked" in box.attrs]
    assert chosen == ["json", "workload.rejected", "research"]
    assert ways(browser, "type=REQUEST_ADMITTED") == []
    assert ways(client_for(viewer), "type=REQUEST_REJECTED") == []


def test_two_counts_of_events_say_what_each_counts(world: World, browser: Client) -> None:
    """The chart counts its whole time range, and the bars below it count the newest events."""
    found = page(browser, "events")
    assert found.id("over-time-sentence").text.startswith("All events of these types are counted: ")
    (note,) = [p.text for p in found.all("p") if p.text.startswith("These bars count")]
    assert note == (
        "These bars count up to 2 000 of the newest events of each type, at any time; "
        "the chart above counts all events in its time range."
    )
    # Without a chart there is nothing to distinguish.
    alone = page(browser, "events?level=ERROR&type=REQUEST_REJECTED")
    assert not alone.all("p", id="over-time-sentence")
    assert "the chart above" not in alone.text
