"""Query plans of lists: each uses an index, without sorts and full scans of growing tables."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.changelog import VersionFilter, authors_of, read_log
from console.configs.queue_log import queue_log
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.renames import new_name_of
from console.workloads.disclosure import disclose
from console.workloads.models import Decision, Event, LabelSet, PendingClass, State, Workload
from console.workloads.org_filter import in_org
from console.workloads.queries import (
    WorkloadFilter,
    decisions_after,
    decisions_of,
    get_workload,
    groups,
    list_workloads,
    listing,
    pending,
    pending_in_order,
    position_of,
    queue_list,
    queue_view,
    running_of,
)
from console.workloads.queries.cohorts import cohort_list
from console.workloads.queries.consumers import top_consumers
from console.workloads.queries.event_search import EventSearch, count_events, search_events
from console.workloads.queries.groups import count_workloads, group_workloads
from console.workloads.queries.listing import Order
from console.workloads.queries.nodes import nodes_by_queue, nodes_of
from console.workloads.queries.running import running_by_size
from console.workloads.queries.similar import similar_admitted
from console.workloads.queries.waiting import waiting_without_queue
from console.workloads.receipts import _by_uid
from console.workloads.services.charged_ledger import ChargedLedger
from console.workloads.services.end_workloads import withdraw_workloads
from console.workloads.services.forget_workloads import forget_workloads
from console.workloads.services.load_state import load_policy
from console.workloads.services.load_tree import load_trees

pytestmark = pytest.mark.skipif(
    "connection.vendor != 'sqlite'", reason="plans are worded by each database"
)

#: Tables that grow with the number of workloads.
GROWING = {model._meta.db_table for model in (Workload, Decision, Event)}

LISTS = [
    "",
    "state=pending",
    "state=pending&queue=q",
    "queue=q",
    "queue=q&type=job",
    "reason=waiting_for_quota",
    "reason=passthrough",
    "reason=queue_stopped",
    "reason=local_queue_missing",
    "reason=no_flavor_matched",
    "reason=no_flavor_matched&state=pending",
    "reason_class=waiting",
    "reason_class=preempted",
    "reason_class=preempted&user=u",
    "reason_class=rejected",
    "reason_class=rejected&state=rejected",
    "user=u&project=p",
    "project=p&state=admitted",
    "type=job",
    "label.team=a",
    "label.team=a&state=pending",
    "flavor=spot",
    "flavor=spot&state=admitted",
    "flavor=spot&state=finished",
    "flavor=spot&queue=q",
    "flavor=both",
    "without=flavor",
    "without=queue",
    "without=user",
    "q=w",
    "q=w&state=pending",
    "since=2026-01-01T00:00:00Z",
    "until=2026-01-01T00:00:00Z&user=u",
]
EVENTS = [
    "",
    "type=CONFIG_UPDATED",
    "type=CONFIG_UPDATED&type=REQUEST_ADMITTED",
    "type=CONFIG_UPDATED&type=REQUEST_ADMITTED&level=ERROR",
    "queue=q&type=REQUEST_ADMITTED",
    "queue=q&queue=r",
    "level=INFO",
    "level=ERROR&level=WARNING",
    "level=WARNING&type=REQUEST_PREEMPTED&type=CONFIG_UPDATED",
    "workload=x",
    "user=u&project=p",
    "config=1",
    "since=2026-01-01T00:00:00Z&until=2026-01-02",
]


#: A queue in which workloads of a higher priority preempt those of a lower one.
STOPS_OTHERS = """\
resource_flavors: [{ name: any }]
resource_queues:
  - name: q
    preemption: { within_resource_queue: lower_priority }
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{ name: any, resources: [{ name: gpu, nominal_quota: 1 }] }]
scheduling_rules:
  - resource_queue: q
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
"""


@pytest.fixture
def rows(org) -> None:
    sets = [
        LabelSet.objects.create(org=org, digest=team, labels={"team": team}) for team in ("a", "b")
    ]
    Workload.objects.bulk_create(
        Workload(
            org=org,
            name=f"w{i}",
            type="job",
            label_set=sets[i % 2],
            state=State.PENDING,
            queue="q",
            priority=i % 3,
            pending_class="c",
            flavors=[None, '["both"]', '["both","spot"]'][i % 3],
        )
        for i in range(10)
    )


def plans(read) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        read()
    found = []
    with connection.cursor() as cursor:
        for query in captured.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
                found += [row[3] for row in cursor.fetchall()]
    return found


def assert_walks_indexes(read) -> None:
    lines = plans(read)
    assert lines
    for line in lines:
        assert "TEMP B-TREE" not in line, lines
        if any(line.startswith(f"SCAN {table}") for table in GROWING):
            assert "INDEX" in line, lines


def assert_finds_by_indexes(read) -> None:
    lines = plans(read)
    assert [line for line in lines if "INDEX" in line or "PRIMARY KEY" in line]
    assert [line for line in lines if line.startswith("SCAN workloads_")] == []


@pytest.mark.parametrize("query", LISTS)
@pytest.mark.parametrize("cursor", [None, "5"])
@pytest.mark.parametrize("order", [Order.NEWEST, Order.OLDEST])
def test_lists_of_workloads(org, rows, query, cursor, order):
    conditions = WorkloadFilter.from_query(QueryDict(query))
    assert_walks_indexes(lambda: list_workloads(org, conditions, 3, cursor, order))


@pytest.mark.parametrize("cursor", [None, "2147483698.5.2"])
def test_pending_workloads_by_priority(org, rows, cursor):
    conditions = WorkloadFilter(queue="q", state=State.PENDING)
    assert_walks_indexes(lambda: list_workloads(org, conditions, 3, cursor, Order.PRIORITY))


def test_workloads_alike_and_preemptions(org, rows):
    subject = Workload.objects.filter(org=org)[0]
    assert_walks_indexes(lambda: similar_admitted(org, subject, 3))
    stops = Decision.objects.filter(org=org, outcome="preempted")
    for walk in (stops.filter(workload=subject), stops.filter(preemptor="x")):
        assert_walks_indexes(lambda walk=walk: list(walk.order_by("-pk").values_list("pk")[:3]))


@pytest.mark.parametrize("query", LISTS)
def test_counts_of_workloads(org, rows, query):
    conditions = WorkloadFilter.from_query(QueryDict(query))
    lines = plans(lambda: count_workloads(org, conditions))
    assert all("INDEX" in line for line in lines if line.startswith("SCAN workloads_workload"))


@pytest.mark.parametrize("query", EVENTS)
def test_lists_of_events(org, rows, query):
    search = EventSearch.from_query(QueryDict(query))
    assert_walks_indexes(lambda: search_events(org, search, 3, "5"))
    assert_walks_indexes(lambda: search_events(org, search, 3))


@pytest.mark.parametrize("newest", [True, False])
@pytest.mark.parametrize(
    "search",
    [
        EventSearch(),
        EventSearch(types=["CONFIG_UPDATED"], flavors=["f"]),
        EventSearch(types=["CONFIG_UPDATED", "REQUEST_ADMITTED"], actor="a"),
        EventSearch(queues=["q"], levels=["INFO"]),
        EventSearch(project="p", cloud_resource="r"),
        EventSearch(workloads=frozenset({"x"})),
    ],
)
def test_searches_of_events(org, rows, search, newest):
    assert_walks_indexes(lambda: search_events(org, search, 3, "5", is_newest_first=newest))
    assert_walks_indexes(lambda: count_events(org, search))


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"author": "a"},
        {"kind": "apply"},
        {"kind": "rollback", "author": "a"},
        {"kind": "timer"},
        {"noun": "queue"},
        {"noun": "queue", "name": "q"},
        {"noun": "rule", "name": "q"},
        {"name": "q"},
    ],
)
def test_histories_of_configs(org, query):
    chosen = VersionFilter.from_query(QueryDict(urlencode(query)))
    lines = plans(lambda: read_log(org, chosen, 3, "9"))
    lines += plans(lambda: authors_of(org))
    assert [line for line in lines if line.startswith("SCAN") and "configs_" in line] == []


def test_nodes_and_consumers(org, rows):
    assert_walks_indexes(lambda: nodes_of(org, (0, 10)))
    assert_walks_indexes(lambda: nodes_of(org, (0, 10), "q"))
    assert_walks_indexes(lambda: nodes_by_queue(org, {"q": (0, 10)}))
    assert_walks_indexes(lambda: top_consumers(org, 3))
    assert_walks_indexes(lambda: top_consumers(org, 3, "q"))


def test_reads_of_one_queue(org, rows):
    PendingClass.objects.create(
        org=org, key="c", queue="q", priority=2, requests={}, reason="waiting_for_quota", count=10
    )

    def read(cursor: str | None = None) -> object:
        return pending.pending_for_reason(org, "q", "waiting_for_quota", 3, cursor)

    with patch.object(pending, "FEW", 0):
        assert_walks_indexes(read)
        assert_walks_indexes(lambda: read("2147483650.3"))
    # The few rows found by their classes are sorted.
    assert_finds_by_indexes(read)
    assert_walks_indexes(lambda: pending.capacity_end(org, "q"))
    # The running workloads of one queue are sorted too, by their requests.
    assert_finds_by_indexes(lambda: running_by_size(org, "q", "gpu", 3))
    assert_finds_by_indexes(lambda: running_by_size(org, "q", "gpu", 3, "1000.5"))
    lines = plans(lambda: queue_log(org, "q", 3, "9")) + plans(lambda: new_name_of(org, "q"))
    assert [line for line in lines if line.startswith("SCAN") and "configs_" in line] == []


def test_other_reads(org, rows):
    workload = get_workload(org, Workload.objects.first().uid)
    assert_walks_indexes(lambda: pending_in_order(org, "q", 3))
    assert_walks_indexes(lambda: pending_in_order(org, "q", 3, "1.5.3"))
    assert_walks_indexes(lambda: running_of(org, "q", 3))
    assert_walks_indexes(lambda: position_of(workload))
    assert_walks_indexes(lambda: decisions_after(org, 3, 3))
    assert_walks_indexes(lambda: decisions_after(org, 3, 3, ("admitted",)))
    assert_walks_indexes(lambda: decisions_of(workload))
    assert_walks_indexes(lambda: queue_list(org))
    assert_walks_indexes(lambda: cohort_list(org))
    assert_walks_indexes(lambda: waiting_without_queue(org))
    with pytest.raises(Exception, match="no queue"):
        queue_view(org, "q")


def test_preemption_candidates_are_found_in_order(org: Organization, owner: Actor) -> None:
    """Explanations read them for each queue of a tree that uses more than its own quota."""
    apply_config(owner, "native", STOPS_OTHERS, "", 0)
    labels = LabelSet.objects.create(org=org, digest="none", labels={})
    running = Workload(
        org=org, name="runs", label_set=labels, state=State.ADMITTED, queue="q", reservation=1
    )
    waiting = Workload(org=org, name="waits", label_set=labels, queue="q")
    for each in (running, waiting):
        each.priority, each.requests = 3, {"gpu": 1000}
        each.save()
    lines = plans(
        lambda: load_trees(org, [waiting], 1, ChargedLedger(org, load_policy(org, 1), version=()))
    )
    walked = [at for at, line in enumerate(lines) if "workload_first_to_stop" in line]
    assert [lines[at].rpartition("workload_first_to_stop ")[2] for at in walked] == [
        # The lowest running priority in its own queue, which determines possible victims.
        "(org_id=? AND queue=?)",
        "(org_id=? AND queue=? AND priority<?)",
        "(org_id=? AND queue=?)",
    ], lines
    assert [lines[at + 1] for at in walked if "TEMP B-TREE" in lines[at + 1]] == []


def test_forgetting_walks_by_time_past_what_may_not_go_yet(org, rows) -> None:
    ended = timezone.now() - timedelta(days=9)
    Workload.objects.update(state=State.FINISHED, submitted_at=ended, ended_at=ended)
    walked = plans(lambda: forget_workloads(365))
    assert any("workload_by_time (org_id=? AND submitted_at<?)" in line for line in walked), walked
    assert forget_workloads(8) == 10
    assert not Workload.objects.exists()


def test_a_list_of_keys_uses_the_primary_key(org, rows, owner: Actor) -> None:
    """Without statistics SQLite assumes ten rows per organization."""
    uids = list(Workload.objects.values_list("uid", flat=True))
    workload = get_workload(org, uids[0])
    for read in (
        lambda: withdraw_workloads(owner, uids),
        lambda: disclose(owner, uids),
        lambda: _by_uid(owner, set(uids)),
        lambda: list(in_org(Workload.objects.filter(uid__in=uids, state=State.PENDING), org)),
        lambda: pending_in_order(org, "q", 9),
        lambda: running_by_size(org, "q", "gpu", 9),
        lambda: similar_admitted(org, workload, 9),
    ):
        lines = plans(read)
        assert lines
        assert [line for line in lines if is_of_all(line)] == []


@pytest.mark.parametrize("by", ["reason", "queue", "flavor", "user", "project"])
@pytest.mark.parametrize("query", ["", "q=w", "type=job&q=w", "user=somebody"])
def test_groups_and_counts_look_at_the_newest_alone(
    org, rows, query: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST_COUNTED", 3)
    monkeypatch.setattr(listing, "_FEW", 2)
    conditions = WorkloadFilter.from_query(QueryDict(query))
    for read in (
        lambda: group_workloads(org, conditions, by),
        lambda: count_workloads(org, conditions),
    ):
        lines = plans(read)
        assert [line for line in lines if is_of_all(line) and "COVERING" not in line] == []
        # One query checks whether few rows have the name.
        assert len([line for line in lines if "workload_by_name" in line]) <= 1
    total = count_workloads(org, WorkloadFilter.from_query(QueryDict("q=w")))
    assert (total.count, total.is_exact) == (3, False)


def is_of_all(line: str) -> bool:
    """Return whether a plan scans all rows of an organization in a growing table."""
    return any(table in line for table in GROWING) and line.endswith("(org_id=?)")
