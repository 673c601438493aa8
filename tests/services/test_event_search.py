"""Event search, export and retention: every filter, any length, and bounded memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from weakref import WeakSet

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console import paging
from console.bulk import insert_rows
from console.configs.services.apply_config import apply_config
from console.errors import BadRequest
from console.exports import ndjson_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.event_facts import COLUMNS, event_facts
from console.workloads.models import Event
from console.workloads.queries import event_search
from console.workloads.queries.event_search import (
    EventSearch,
    all_events,
    count_by_type,
    newest_event,
    search_events,
)
from console.workloads.services import forget_events as forgetting
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.forget_events import forget_events
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

ONE_FLAVOR = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [cpu]
        flavors:
          - {name: spot, resources: [{name: cpu, nominal_quota: 2}]}
scheduling_rules:
  - resource_queue: train
"""


@pytest.fixture
def story(owner: Actor, settle: Callable[[Organization], int]) -> list[str]:
    """Submit two workloads, of which one runs and ends, under two versions; return their ids."""
    apply_config(owner, "native", ONE_FLAVOR, "first", 0)
    asked = [
        {"name": "runs", "user": "ada", "project": "vision", "requests": {"cpu": 2}},
        {"name": "waits", "user": "bob", "requests": {"cpu": 2}},
    ]
    uids = [workload.uid for workload in submit_workloads(owner, read_submissions(asked))]
    settle(owner.org)
    apply_config(owner, "native", f"{ONE_FLAVOR}#\n", "second", 1)
    finish_workloads(owner, uids[:1])
    settle(owner.org)
    return uids


def events_of(org: Organization, query: str) -> list[tuple[str, str]]:
    """Return type and name of the events that match a query, oldest first."""
    search = EventSearch.from_query(QueryDict(query))
    events = search_events(org, search, 50).results
    return [(event.type, event.data.get("name", "")) for event in reversed(events)]


SUBMITTED, QUEUED = "REQUEST_SUBMITTED", "REQUEST_QUEUED"
ADMITTED, FULFILLED = "REQUEST_ADMITTED", "REQUEST_FULFILLED"
UPDATED = "CONFIG_UPDATED"


def test_every_filter_narrows_the_list(story: list[str], owner: Actor) -> None:
    org = owner.org
    first = [(UPDATED, ""), (SUBMITTED, "runs"), (SUBMITTED, "waits")]
    decided = [(ADMITTED, "runs"), (QUEUED, "waits")]
    later = [(UPDATED, ""), (FULFILLED, "runs"), (ADMITTED, "waits")]
    assert events_of(org, "") == [*first, *decided, *later]
    assert events_of(org, "config=1") == [*first, *decided]
    assert events_of(org, "config=2") == later
    assert events_of(org, "config=3") == []
    assert events_of(org, f"type={UPDATED}&type={FULFILLED}") == [(UPDATED, ""), *later[:2]]
    assert events_of(org, "level=INFO") == [*first, *decided, *later]
    assert events_of(org, "level=ERROR&level=WARNING") == []
    assert events_of(org, "flavor=spot&flavor=other") == [(ADMITTED, "runs"), (ADMITTED, "waits")]
    assert events_of(org, "flavor=other") == []
    assert events_of(org, "user=bob") == [
        (SUBMITTED, "waits"),
        (QUEUED, "waits"),
        (ADMITTED, "waits"),
    ]
    assert events_of(org, f"project=vision&type={ADMITTED}") == [(ADMITTED, "runs")]
    assert events_of(org, f"workload={story[0]}&config=2") == [(FULFILLED, "runs")]
    assert events_of(org, f"actor={owner.name}&type={UPDATED}") == [(UPDATED, ""), (UPDATED, "")]
    assert events_of(org, "queue=train&queue=other&actor=engine&config=1") == decided
    newest = Event.objects.latest("pk")
    assert events_of(org, f"id={newest.pk}") == [(newest.type, newest.data["name"])]
    assert events_of(org, f"id={newest.pk}&type={UPDATED}") == []
    moment = newest.created_at.isoformat().replace("+", "%2B")
    assert events_of(org, f"until={moment}&since={moment}") == []
    assert events_of(org, f"until={newest.created_at:%Y-%m-%d}") == [*first, *decided, *later]


def test_several_types_are_the_same_on_every_page(story: list[str], owner: Actor) -> None:
    search = EventSearch(types=(UPDATED, ADMITTED))
    seen, cursor = [], None
    while True:
        page = search_events(owner.org, search, 1, cursor)
        seen += [event.type for event in page.results]
        cursor = page.next
        if cursor is None:
            break
    assert seen == [ADMITTED, UPDATED, ADMITTED, UPDATED]
    assert search_events(owner.org, EventSearch(types=(UPDATED, UPDATED)), 9).results != []


def test_rare_levels_are_found_among_many_events(
    story: list[str], owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "WINDOWS", (1,))
    apply_config(owner, "native", f"{ONE_FLAVOR}##\n", "third", 2)
    data = {"version": 3, "from": 3, "back_to": 2, "kind": "revert_failed"}
    Event.objects.create(org=owner.org, type=UPDATED, level="ERROR", actor="x", data=data)
    many(owner.org, 20)
    assert events_of(owner.org, "level=ERROR") == [(UPDATED, "")]
    assert events_of(owner.org, "level=ERROR&level=WARNING") == [(UPDATED, "")]
    assert events_of(owner.org, f"level=ERROR&type={ADMITTED}") == []
    assert events_of(owner.org, f"type={FULFILLED}&type={ADMITTED}&level=INFO") == [
        (ADMITTED, "runs"),
        (FULFILLED, "runs"),
        (ADMITTED, "waits"),
    ]


def test_an_event_of_elsewhere_is_not_there(
    story: list[str], owner: Actor, other_org: Organization
) -> None:
    number = Event.objects.filter(org=owner.org).first().pk  # type: ignore[union-attr]
    assert events_of(other_org, f"id={number}") == []
    assert events_of(other_org, "config=1") == []
    assert newest_event(other_org) == 0
    assert newest_event(owner.org) == number


def test_counts_by_type_ignore_the_types_that_are_asked_for(
    story: list[str], owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {UPDATED: 2, SUBMITTED: 2, ADMITTED: 2, QUEUED: 1, FULFILLED: 1}
    assert count_by_type(owner.org, EventSearch(types=(QUEUED,))) == every
    waits = {SUBMITTED: 1, QUEUED: 1, ADMITTED: 1}
    assert count_by_type(owner.org, EventSearch(user="bob")) == waits
    monkeypatch.setattr(event_search, "MOST_TYPED", 3)
    assert count_by_type(owner.org, EventSearch()) == {UPDATED: 1, FULFILLED: 1, ADMITTED: 1}


@pytest.mark.parametrize("query", ["type=X", "level=LOUD", "config=x", "id=-1", "id=9" * 30])
def test_invalid_queries_are_refused(query: str) -> None:
    with pytest.raises(BadRequest) as caught:
        EventSearch.from_query(QueryDict(query))
    assert [error.path for error in caught.value.errors] == [query.partition("=")[0]]


def many(org: Organization, count: int) -> None:
    """Write *count* events at once."""
    now = timezone.now()
    rows = [(org.pk, UPDATED, "INFO", "engine", {"version": i}, now) for i in range(count)]
    columns = ("org", "type", "level", "actor", "data", "created_at")
    insert_rows(Event, columns, rows).run()


def test_an_export_reads_a_chunk_at_a_time(
    org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_search, "MAX_LIMIT", 10)
    many(org, 95)
    with CaptureQueriesContext(connection) as captured:
        rows = all_events(org, EventSearch())
        assert len(captured) == 0
        assert [next(rows).data["version"] for _ in range(10)] == list(range(94, 84, -1))
        assert len(captured) == 1
        # Events added meanwhile are not included, and no writer waits for the reader.
        many(org, 3)
        assert [event.data["version"] for event in rows] == list(range(84, -1, -1))
    selects = [q for q in captured.captured_queries if q["sql"].startswith("SELECT")]
    assert len(selects) == 10


def test_of_a_hundred_thousand_events_one_chunk_is_in_memory(org: Organization) -> None:
    many(org, 100_000)
    alive: WeakSet[Event] = WeakSet()
    most = lines = 0

    def watched() -> Iterator[Event]:
        nonlocal most
        for event in all_events(org, EventSearch()):
            alive.add(event)
            most = max(most, len(alive))
            yield event

    with CaptureQueriesContext(connection) as captured:
        for block in ndjson_of(map(event_facts, watched())):
            lines += block.count(b"\n")
            # Rows are read only as the output is consumed.
            assert lines + 1_000 >= 1_000 * (len(captured) - 1)
    assert (lines, len(captured)) == (100_000, 100)
    # The chunk being written and, while the next one is read, the previous one.
    assert most <= 2_000


def test_old_events_go_a_few_at_a_time(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    many(org, 10)
    old = Event.objects.order_by("pk")[7].pk
    Event.objects.filter(pk__lte=old).update(created_at=timezone.now() - timedelta(days=91))
    # One event was written with a wrong clock.
    odd = Event.objects.order_by("pk")[1].pk
    Event.objects.filter(pk=odd).update(created_at=timezone.now())
    assert forget_events(0) == 0
    assert forget_events(92) == 0
    # Without time left, one batch is deleted.
    assert forget_events(90, seconds=0) == 2
    assert forget_events(90) == 5
    assert forget_events(90) == 0
    assert [event.data["version"] for event in all_events(org, EventSearch())] == [9, 8, 1]


def test_the_facts_of_an_event_are_plain_json(story: list[str], owner: Actor) -> None:
    search = EventSearch(types=(QUEUED,))
    (event,) = search_events(owner.org, search, 5).results
    facts = event_facts(event)
    assert tuple(facts) == COLUMNS
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["workload"], facts["queue"], facts["message"]) == (
        story[1],
        "train",
        "waits is queued: waiting for quota.",
    )
