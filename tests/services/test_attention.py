"""Attention items: each appears with its numbers while its condition holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.capacity.models import Cluster
from console.capacity.services.record_heartbeat import record_heartbeat
from console.capacity.services.report_cluster import report_cluster
from console.configs.models import Draft, RevertTimer
from console.configs.services.apply_config import apply_config
from console.configs.services.save_expectations import delete_expectations, save_expectations
from console.engine.model.workload import PodSet
from console.engine.model.workload import Workload as Judged
from console.engine.routing.expectations import ExpectedRoute
from console.heartbeat import Pulse
from console.orgs.models import ApiToken, Organization, User
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.overview.attention import attention
from console.overview.badges import badges_of
from console.overview.items import Item, Kind, Level
from console.overview.models import Consumption, Outlook
from console.overview.services.check_up import check_up, due_check_ups
from console.overview.services.count_attention import count_attention, due_attention_counts
from console.overview.services.measure_consumers import due_consumptions, measure_consumers
from console.webhooks.models import Webhook
from console.workloads.models import (
    Event,
    Intake,
    NodeUsage,
    PendingClass,
    RecordedShape,
    Workload,
)
from console.workloads.queries import queue_list
from console.workloads.services.end_workloads import finish_workloads, withdraw_workloads
from console.workloads.services.hold_queue import hold_queue, resume_queue
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.cohorts import fill

Settle = Callable[[Organization], int]

CONFIG = """\
resource_flavors: [{name: spot, selector: [{key: zone, operator: in, values: [a]}]}]
resource_queues:
  - name: team
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 4}]}]
  - name: web
scheduling_rules:
  - selector: [{key: team, operator: in, values: [ml]}]
    resource_queue: team
  - selector: [{key: team, operator: in, values: [web]}]
    resource_queue: web
"""


@pytest.fixture
def lab(org: Organization, owner: Actor, settle: Settle) -> Organization:
    apply_config(owner, "native", CONFIG, "first", 0)
    settle(org)
    return org


@pytest.fixture
def submit(owner: Actor, settle: Settle) -> Callable[..., Workload]:
    def one(gpu: int = 1, **tags: str) -> Workload:
        given = {"team": "ml", "zone": "a"} | tags
        read = read_submissions([{"name": "w", "requests": {"gpu": gpu}, "tags": given}])
        (made,) = submit_workloads(owner, read)
        settle(owner.org)
        made.refresh_from_db()
        return made

    return one


def items(org: Organization, now: datetime | None = None, *, manages: bool = False) -> list[Item]:
    return list(attention(org, queue_list(org), now or timezone.now(), manages=manages))


def kinds(org: Organization, now: datetime | None = None) -> list[Kind]:
    return [item.kind for item in items(org, now)]


def only_item(org: Organization, now: datetime | None = None) -> Item:
    (item,) = items(org, now)
    return item


def test_nothing_needs_attention(lab: Organization, submit: Callable[..., Workload]) -> None:
    submit(gpu=4)
    submit(gpu=1)
    assert items(lab) == []


def test_rejected_in_the_last_hour_by_reason(
    lab: Organization, submit: Callable[..., Workload]
) -> None:
    submit(team="nobody")
    submit(team="nobody")
    submit(zone="b")
    now = timezone.now()
    first = Event.objects.filter(type="REQUEST_REJECTED").earliest("pk").created_at
    found = items(lab, now)
    assert [(each.kind, each.reason, each.count, each.is_exact) for each in found] == [
        (Kind.REJECTED, "no_rule_matched", 2, True),
        (Kind.REJECTED, "no_flavor_matched", 1, True),
    ]
    assert (found[0].since, found[0].key) == (first, "rejected.no_rule_matched")
    assert items(lab, now + timedelta(hours=1, minutes=1)) == []


def test_only_so_many_rejections_are_looked_at(
    lab: Organization, submit: Callable[..., Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.overview.workload_items.MOST_REJECTED", 2)
    for _ in range(3):
        submit(team="nobody")
    assert (only_item(lab).count, only_item(lab).is_exact) == (2, False)


def test_workloads_that_can_never_run(
    lab: Organization, submit: Callable[..., Workload], owner: Actor, settle: Settle
) -> None:
    stuck = submit(gpu=5)
    found = only_item(lab)
    assert (found.kind, found.reason, found.count, found.level) == (
        Kind.CANNOT_RUN,
        "exceeds_max_quota",
        1,
        Level.ERROR,
    )
    assert found.since == stuck.submitted_at
    assert [(each.name, each.count) for each in found.subjects] == [("team", 1)]
    withdraw_workloads(owner, [stuck.uid])
    settle(lab)
    assert items(lab) == []


def test_a_full_queue_whose_work_waits_too_long(
    lab: Organization, submit: Callable[..., Workload], owner: Actor, settle: Settle
) -> None:
    running = submit(gpu=4)
    waiting = submit(gpu=2)
    now = timezone.now()
    assert items(lab, now + timedelta(minutes=14)) == []
    found = only_item(lab, now + timedelta(minutes=16))
    assert (found.kind, found.count, found.since) == (
        Kind.QUEUE_AT_CEILING,
        1,
        waiting.submitted_at,
    )
    assert [(each.name, each.count) for each in found.subjects] == [("team", 1)]
    finish_workloads(owner, [running.uid])
    settle(lab)
    assert items(lab, now + timedelta(minutes=16)) == []


def test_workloads_that_can_never_run_do_not_count_as_a_long_wait(
    lab: Organization, submit: Callable[..., Workload]
) -> None:
    old = submit(gpu=5)
    Workload.objects.filter(pk=old.pk).update(submitted_at=timezone.now() - timedelta(days=1))
    submit(gpu=4)
    submit(gpu=1)
    assert kinds(lab) == [Kind.CANNOT_RUN]


def test_a_queue_that_goes_short_of_its_own(
    org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(org, monkeypatch)
    found = only_item(org)
    assert (found.kind, found.count) == (Kind.QUEUE_STARVED, 1)
    assert [(each.name, each.cohort) for each in found.subjects] == [("batch", "ml")]
    PendingClass.objects.filter(org=org).delete()
    assert items(org) == []


def test_a_held_queue(lab: Organization, owner: Actor, settle: Settle) -> None:
    until = timezone.now() + timedelta(hours=2)
    hold_queue(owner, "team", "moving racks", until)
    settle(lab)
    (queue,) = only_item(lab).subjects
    assert (only_item(lab).kind, queue.name, queue.actor, queue.note, queue.until) == (
        Kind.QUEUE_HELD,
        "team",
        owner.name,
        "moving racks",
        until,
    )
    assert queue.since == only_item(lab).since is not None
    resume_queue(owner, "team")
    settle(lab)
    assert items(lab) == []


def test_a_draining_queue(
    lab: Organization, submit: Callable[..., Workload], owner: Actor, settle: Settle
) -> None:
    running = submit(gpu=4)
    text = CONFIG.replace("name: team", "name: new").replace("_queue: team", "_queue: new")
    apply_config(owner, "native", text, "", 1)
    settle(lab)
    assert (only_item(lab).kind, [(each.name, each.count) for each in only_item(lab).subjects]) == (
        Kind.QUEUE_DRAINING,
        [("team", 1)],
    )
    finish_workloads(owner, [running.uid])
    settle(lab)
    assert items(lab) == []


def test_clusters_that_are_away_while_workloads_run_there(
    lab: Organization, other_org: Organization, owner: Actor
) -> None:
    report_cluster(owner, "east", {"nodes": [{"name": "n"}]})
    record_heartbeat(owner, "east")
    report_cluster(owner, "north", {"state": "draining", "nodes": [{"name": "n"}]})
    report_cluster(owner, "west", {"state": "error", "nodes": [{"name": "n"}]})
    Cluster.objects.filter(name="east").update(is_silent=True)
    # Nothing runs there, or only in another organization.
    NodeUsage.objects.create(
        org=other_org, key="east/n", cluster="east", node="n", used={"cpu": 1000}
    )
    assert items(lab) == []
    for name in ("east", "north", "west"):
        NodeUsage.objects.create(
            org=lab, key=f"{name}/n", cluster=name, node="n", used={"cpu": 1000}
        )
    found = only_item(lab)
    east = Cluster.objects.get(name="east")
    assert (found.kind, found.level, found.count, found.since) == (
        Kind.CLUSTER_AWAY,
        Level.WARNING,
        2,
        east.last_seen,
    )
    assert [(each.name, each.note, each.since) for each in found.subjects] == [
        ("east", "silent", east.last_seen),
        ("west", "error", None),
    ]
    record_heartbeat(owner, "east")
    assert [each.name for each in only_item(lab).subjects] == ["west"]
    NodeUsage.objects.filter(org=lab, cluster="west").delete()
    assert items(lab) == []


def test_drafts_wait_and_fall_behind(lab: Organization, owner: Actor) -> None:
    given = {"org": lab, "author": owner.user, "dialect": "native"}
    draft = Draft.objects.create(base=1, title="More quota", **given)
    (found,) = items(lab)
    assert (found.kind, found.level, found.count, found.since) == (
        Kind.DRAFT_WAITING,
        Level.HINT,
        1,
        draft.updated_at,
    )
    assert [(each.name, each.number, each.actor) for each in found.subjects] == [
        ("More quota", draft.pk, owner.name)
    ]
    Draft.objects.create(base=0, **given)
    assert kinds(lab) == [Kind.DRAFT_BEHIND, Kind.DRAFT_WAITING]
    Draft.objects.all().delete()
    assert items(lab) == []


def test_a_version_that_waits_to_be_confirmed(lab: Organization) -> None:
    due = timezone.now() + timedelta(minutes=5)
    timer = RevertTimer.objects.create(org=lab, version=1, back_to=0, due_at=due, author="ana")
    (version,) = only_item(lab).subjects
    assert (only_item(lab).kind, version.number, version.until) == (
        Kind.VERSION_UNCONFIRMED,
        1,
        due,
    )
    timer.failed_at = timezone.now()
    timer.save()
    assert (only_item(lab).kind, only_item(lab).level) == (Kind.REVERT_FAILED, Level.ERROR)
    timer.delete()
    assert items(lab) == []


def test_tokens_that_end_soon_are_for_those_who_manage_them(lab: Organization) -> None:
    now = timezone.now()
    ends = {"soon": 6, "later": 8, "over": -1}
    for name, days in ends.items():
        end = now + timedelta(days=days)
        ApiToken.objects.create(org=lab, name=name, role="viewer", digest=name, expires_at=end)
    assert items(lab, now) == []
    (found,) = items(lab, now, manages=True)
    assert (found.kind, found.count) == (Kind.TOKEN_EXPIRES, 1)
    assert [(each.name, each.until) for each in found.subjects] == [
        ("soon", now + timedelta(days=6))
    ]
    ApiToken.objects.filter(name="soon").update(revoked_at=now)
    assert items(lab, now, manages=True) == []


def test_webhooks_that_are_not_reached_are_for_those_who_manage_them(lab: Organization) -> None:
    now = timezone.now()
    since = {"new": 5, "old": 15, "fine": None, "given up": 60, "by hand": 90}
    paused = {"given up": "failing", "by hand": "by_hand"}
    for name, minutes in since.items():
        Webhook.objects.create(
            org=lab,
            name=name,
            url="https://example.org",
            paused=paused.get(name, ""),
            failing_since=now - timedelta(minutes=minutes) if minutes else None,
        )
    assert items(lab, now) == []
    (found,) = items(lab, now, manages=True)
    assert (found.kind, found.count, found.level) == (Kind.WEBHOOK_FAILING, 2, Level.ERROR)
    assert [each.name for each in found.subjects] == ["given up", "old"]
    assert found.since == now - timedelta(minutes=60)
    Webhook.objects.update(failing_since=None, paused="")
    assert items(lab, now, manages=True) == []


@pytest.mark.parametrize("beats", [Pulse.WORKER_SILENT, Pulse.BROKER_AWAY])
def test_a_missing_worker_is_the_most_severe_item(
    lab: Organization, owner: Actor, beats: Pulse, monkeypatch: pytest.MonkeyPatch, settle: Settle
) -> None:
    hold_queue(owner, "team", "moving racks")
    settle(lab)
    monkeypatch.setattr("console.overview.system_items.pulse", lambda: beats)
    found = items(lab)
    assert [each.kind for each in found] == [Kind.WORKER_LATE, Kind.QUEUE_HELD]
    assert (found[0].reason, found[0].since) == (beats.value, None)


def test_a_worker_that_is_behind(lab: Organization, owner: Actor, settle: Settle) -> None:
    submit_workloads(owner, read_submissions([{"name": "w", "tags": {"team": "web"}}]))
    accepted = Intake.objects.get().created_at
    assert items(lab, accepted + timedelta(seconds=29)) == []
    found = only_item(lab, accepted + timedelta(seconds=31))
    assert (found.kind, found.reason, found.since) == (Kind.WORKER_LATE, "intake_late", accepted)
    settle(lab)
    assert items(lab, accepted + timedelta(seconds=31)) == []


def expect(owner: Actor, name: str, queue: str) -> None:
    workload = Judged(
        id=name,
        sequence=0,
        labels={"team": "ml"},
        namespace="",
        priority=None,
        pod_sets=(PodSet(requests={}),),
    )
    save_expectations(
        owner, [ExpectedRoute(name=name, workload=workload, queue=queue, priority=None)]
    )


def test_expectations_that_are_not_met(lab: Organization, owner: Actor) -> None:
    now = timezone.now()
    expect(owner, "ml goes to web", "web")
    assert due_check_ups(now) == [lab.pk]
    check_up(lab.pk, now)
    assert due_check_ups(now) == []
    assert (
        only_item(lab).kind,
        only_item(lab).count,
        [each.name for each in only_item(lab).subjects],
    ) == (
        Kind.EXPECTATIONS_BROKEN,
        1,
        ["ml goes to web"],
    )
    delete_expectations(owner, ["ml goes to web"])
    assert due_check_ups(now) == [lab.pk]
    check_up(lab.pk, now)
    assert items(lab) == []


def test_expectation_results_of_an_older_version_are_ignored(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    now = timezone.now()
    expect(owner, "ml goes to web", "web")
    check_up(lab.pk, now)
    apply_config(owner, "native", CONFIG + "#\n", "", 1)
    assert due_check_ups(now) == [lab.pk]
    assert items(lab) == []


def test_rules_without_hits_in_thirty_days(
    lab: Organization, submit: Callable[..., Workload]
) -> None:
    submit(team="ml")
    now = timezone.now()
    check_up(lab.pk, now)
    assert items(lab) == [], "a day of history says nothing of a month"
    later = now + timedelta(days=30)
    shape = RecordedShape.objects.get(org=lab)
    shape.day = now.date() + timedelta(days=1)
    shape.save()
    lab.versions.update(created_at=now - timedelta(days=1))
    assert due_check_ups(later) == [lab.pk]
    check_up(lab.pk, later)
    found = only_item(lab)
    assert (found.kind, found.level, found.count) == (Kind.RULES_IDLE, Level.HINT, 1)
    assert [(each.number, each.name) for each in found.subjects] == [(1, "web")]
    lab.versions.update(created_at=later - timedelta(days=1))
    check_up(lab.pk, later + timedelta(hours=2))
    assert items(lab) == [], "the rules are younger than the month"


def test_badges_count_items_above_hints(
    lab: Organization, other_org: Organization, owner: Actor, settle: Settle, outsider: User
) -> None:
    now = timezone.now()
    assert owner.user is not None
    assert [(each.org, each.role, each.urgent) for each in badges_of(owner.user, now, 9)] == [
        (lab, "owner", None)
    ]
    hold_queue(owner, "team", "moving racks")
    settle(lab)
    Draft.objects.create(org=lab, author=owner.user, dialect="native", base=1)
    assert due_attention_counts(now) == [lab.pk, other_org.pk]
    count_attention(lab.pk, now)
    count_attention(other_org.pk, now)
    outlook = Outlook.objects.get(org=lab)
    assert (outlook.items, outlook.urgent) == (2, 1)
    assert [each.urgent for each in badges_of(owner.user, now, 9)] == [1]
    assert [each.urgent for each in badges_of(outsider, now, 9)] == [0]
    assert [each.urgent for each in badges_of(owner.user, now + timedelta(hours=1), 9)] == [None]
    assert due_attention_counts(now + timedelta(seconds=30)) == []
    assert due_attention_counts(now + timedelta(minutes=2)) == [lab.pk]
    assert due_attention_counts(now + timedelta(minutes=11)) == [lab.pk, other_org.pk]


def test_the_organization_checked_longest_ago_is_checked_first(
    lab: Organization, other_org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is behind still checks all: no organization is always the last."""
    now = timezone.now()
    third = create_org("third", "Third", owner=None)
    for org in (other_org, third):
        apply_config(Actor.from_command(org), "native", CONFIG, "", 0)
    later = now + timedelta(hours=2)
    for due, do in (
        (due_check_ups, check_up),
        (due_consumptions, measure_consumers),
        (due_attention_counts, count_attention),
    ):
        assert due(now) == [lab.pk, other_org.pk, third.pk]
        do(lab.pk, now)
        do(other_org.pk, now - timedelta(minutes=1))
        assert due(now) == [third.pk]
        Consumption.objects.update(looked_through=1)
        assert due(later) == [third.pk, other_org.pk, lab.pk]
    for due in (due_check_ups, due_consumptions, due_attention_counts):
        monkeypatch.setitem(due.__globals__, "MAX_ORGS_PER_RUN", 1)
    assert [due(later) for due in (due_check_ups, due_consumptions, due_attention_counts)] == [
        [third.pk]
    ] * 3


def test_badges_of_many_organizations_are_one_query(owner: Actor, lab: Organization) -> None:
    assert owner.user is not None
    with CaptureQueriesContext(connection) as queries:
        badges_of(owner.user, timezone.now(), 9, "her")
    assert len(queries) == 1
    assert badges_of(owner.user, timezone.now(), 9, "nowhere") == []


def test_the_number_of_queries_is_independent_of_the_items(
    lab: Organization, submit: Callable[..., Workload]
) -> None:
    submit(gpu=4)
    submit(gpu=5)
    submit(gpu=1)
    submit(team="nobody")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            items(lab, timezone.now() + timedelta(minutes=20))
        return len(captured)

    few = queries()
    for number in range(6):
        submit(gpu=number + 1, stage=str(number))
        submit(team="nobody", stage=str(number))
    assert queries() == few
