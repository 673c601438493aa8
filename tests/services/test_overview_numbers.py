"""The overview's numbers: comparison with a week ago, total quota, and top consumers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota.spec import QueueSpec, quota_policy
from console.engine.model.amounts import UNLIMITED
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.overview.consumers import top_consumers
from console.overview.numbers import Number, numbers_of, usage_of_all
from console.overview.past import past_of
from console.overview.services.measure_consumers import due_consumptions, measure_consumers
from console.policies.queries import active_policy
from console.series.models import SampledHour, Sampler, Step
from console.series.stored import point_of
from console.series.subjects import WHOLE_ORG
from console.series.tallies import tally
from console.series.totals import Level, Totals
from console.workloads.models import Workload
from console.workloads.queries import queue_list
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from console.workloads.transitions import Transition, TransitionKind
from tests.cohorts import activate_policy, fill, quotas, use

Settle = Callable[[Organization], int]

NOW = datetime(2026, 3, 14, 12, 30, 20, tzinfo=UTC)
WEEK_AGO = NOW.replace(day=7, minute=0, second=0)

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: team
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: any
            resources: [{name: gpu, nominal_quota: 100}, {name: cpu, nominal_quota: 900}]
scheduling_rules: [{resource_queue: team}]
"""


def rejected(org: Organization, moment: datetime, count: int) -> None:
    transitions = [Transition(TransitionKind.REJECTED, None)] * count
    with transaction.atomic():
        tally(org.pk, moment, transitions, quota_policy("native")).run()


def test_a_week_without_anybody_to_look_is_not_known(org: Organization) -> None:
    rejected(org, NOW.replace(second=0), 3)
    found = numbers_of(org, [], NOW, past_of(org, NOW).week_ago)
    assert (found.running, found.pending, found.rejected) == (
        Number(now=0, week_ago=None),
        Number(now=0, week_ago=None),
        Number(now=3, week_ago=None),
    )
    assert len(found.hours) == 25


def test_numbers_against_a_week_ago(org: Organization) -> None:
    SampledHour.objects.create(org=org, start=WEEK_AGO, minutes=0b11)
    totals = Totals(minutes=1, running=Level.of(7), pending=Level.of(2))
    point_of(org.pk, WHOLE_ORG, Step.MINUTE, WEEK_AGO, totals).save()
    rejected(org, WEEK_AGO - timedelta(hours=2), 5)
    rejected(org, WEEK_AGO - timedelta(hours=30), 9)
    found = numbers_of(org, [], NOW, past_of(org, NOW).week_ago)
    assert (found.running.week_ago, found.pending.week_ago) == (7, 2)
    assert found.rejected == Number(now=0, week_ago=5)
    # Of the hour around that time only the elapsed part counts, as it does today.
    rejected(org, WEEK_AGO + timedelta(minutes=45), 4)
    assert numbers_of(org, [], NOW, past_of(org, NOW).week_ago).rejected.week_ago == 7


def test_the_past_is_read_once_for_each_sample(org: Organization) -> None:
    Sampler.objects.update_or_create(org=org, defaults={"minute": NOW.replace(second=0)})
    past = past_of(org, NOW)
    with CaptureQueriesContext(connection) as queries:
        assert past_of(org, NOW + timedelta(seconds=30)) is past
    assert len(queries) == 1
    assert past_of(org, NOW + timedelta(seconds=40)) is not past
    Sampler.objects.filter(org=org).update(minute=NOW)
    assert past_of(org, NOW) is not past


def test_all_quota_together(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(org, monkeypatch)
    use(org, "gone", "spot", 3000)
    views = usage_of_all(active_policy(org), queue_list(org))
    # 8 + 6 + 4 + 2 of the queues, and 2 of a cohort.
    spot = next(each for each in views if each.flavor == "spot")
    assert (spot.guaranteed, spot.limit, spot.borrowed, spot.lent) == (22000, 22000, 0, 0)
    assert (
        spot.used
        == spot.own + spot.over
        == sum(
            usage.used
            for view in queue_list(org)
            for usage in view.usages
            if usage.flavor == "spot"
        )
    )
    assert spot.is_consistent


def test_quota_without_end(org: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    queues = {"one": QueueSpec(name="one", groups=quotas(("f", UNLIMITED)))}
    activate_policy(org, quota_policy("native", queues=queues), monkeypatch)
    (found,) = usage_of_all(active_policy(org), queue_list(org))
    assert (found.guaranteed, found.available, found.over) == (UNLIMITED, UNLIMITED, 0)


def test_top_consumers(org: Organization, owner: Actor, settle: Settle) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    wanted = [
        ("small", {"gpu": 1}, "ana", "vision"),
        ("large", {"gpu": 4, "cpu": 8}, "ana", "speech"),
        ("other", {"gpu": 3}, "ben", "vision"),
        ("plain", {"cpu": 2}, "", ""),
    ]
    made = submit_workloads(
        owner,
        read_submissions(
            [
                {"name": name, "requests": requests, "user": user, "project": project}
                for name, requests, user, project in wanted
            ]
        ),
    )
    settle(org)
    now = timezone.now()
    Workload.objects.filter(org=org).update(admitted_at=now - timedelta(hours=2))
    assert due_consumptions(now) == [org.pk]
    measure_consumers(org.pk, now)
    assert due_consumptions(now) == []
    assert due_consumptions(now + timedelta(minutes=6)) == [org.pk]
    found = top_consumers(org, None)
    assert found is not None
    assert (found.resource, found.looked_through, found.is_whole) == ("gpu", 4, True)
    assert set(found.resources) == {"gpu", "cpu"}
    assert [(each.name, each.queue, each.held, each.hours) for each in found.workloads] == [
        ("large", "team", 4000, 8000),
        ("other", "team", 3000, 6000),
        ("small", "team", 1000, 2000),
    ]
    assert [(each.name, each.workloads, each.hours) for each in found.projects] == [
        ("speech", 1, 8000),
        ("vision", 2, 8000),
    ]
    assert [(each.name, each.workloads, each.hours) for each in found.users] == [
        ("ana", 2, 10000),
        ("ben", 1, 6000),
    ]
    of_cpu = top_consumers(org, "cpu")
    assert of_cpu is not None
    assert [(each.name, each.held) for each in of_cpu.users] == [
        ("ana", 8000),
        ("owner@here.example", 2000),
    ]
    finish_workloads(owner, [each.uid for each in made])
    settle(org)
    measure_consumers(org.pk, now)
    assert top_consumers(org, None) is None


def test_only_so_many_workloads_are_looked_at(
    org: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.overview.services.measure_consumers.MOST_LOOKED_AT", 2)
    apply_config(owner, "native", CONFIG, "", 0)
    wanted = [{"name": f"w{n}", "requests": {"gpu": n}} for n in (1, 2, 3)]
    submit_workloads(owner, read_submissions(wanted))
    settle(org)
    measure_consumers(org.pk, timezone.now())
    found = top_consumers(org, "gpu")
    assert found is not None
    assert ([each.name for each in found.workloads], found.is_whole) == (["w2", "w1"], False)
