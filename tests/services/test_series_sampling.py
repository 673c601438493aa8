"""Sampling of series: once a minute, rows only for changes, and gaps for unsampled minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series.models import QuotaLine, SampledHour, Sampler, SeriesPoint, Step
from console.series.queries import quota_spans, sampled_until, series_of
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.series.subjects import WHOLE_ORG, Subject
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

#: Ten seconds into a minute, so that errors at its edges show.
NOON = datetime(2026, 3, 14, 12, 0, 10, tzinfo=UTC)
TEAM = Subject.queue("team")

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: team
    cohort_name: lab
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
  - name: other
    cohort_name: lab
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules: [{resource_queue: team}]
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def lab(org: Organization, owner: Actor, settle: Settle) -> Organization:
    apply_config(owner, "native", CONFIG, "first", 0)
    settle(org)
    return org


def submit(actor: Actor, *gpus: int) -> list[str]:
    wanted = [Submission(name=f"w{n}", requests={"gpu": n * 1000}) for n in gpus]
    return [workload.uid for workload in submit_workloads(actor, wanted)]


def sample(now: datetime) -> list[int]:
    """Sample like the tasks: all organizations at once, then those that changed."""
    return [org_id for org_id in sample_orgs(now) if sample_org(org_id, now)]


def minutes_of(org: Organization, subject: Subject, minutes: int) -> list[int | None]:
    """Return the used GPUs of each minute from noon on, None in a gap."""
    series = series_of(org, subject, NOON, NOON + timedelta(minutes=minutes - 1), Step.MINUTE)
    return [
        None
        if reading.is_gap
        else sum(cell.used.peak for cell in reading.totals.cells.values()) // 1000
        for reading in series.readings
    ]


def test_a_minute_in_which_nothing_changed_costs_no_row_and_is_no_gap(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, 3)
    settle(lab)
    for minute in range(3):
        sample(NOON + timedelta(minutes=minute))
    assert minutes_of(lab, TEAM, 3) == [3, 3, 3]
    rows = SeriesPoint.objects.filter(step="minute").order_by("kind", "name")
    assert [(row.kind, row.name, row.start.minute) for row in rows] == [
        ("cohort", "lab", 0),
        ("org", "", 0),
        ("queue", "team", 0),
    ]


def test_a_drop_to_zero_is_zero_and_an_unsampled_minute_is_a_gap(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    (uid,) = submit(owner, 3)
    settle(lab)
    sample(NOON)
    sample(NOON + timedelta(minutes=1))
    finish_workloads(owner, [uid])
    settle(lab)
    # The worker was down for two minutes.
    sample(NOON + timedelta(minutes=4))
    assert minutes_of(lab, TEAM, 6) == [3, 3, None, None, 0, None]
    assert minutes_of(lab, WHOLE_ORG, 6) == [3, 3, None, None, 0, None]
    series = series_of(lab, TEAM, NOON, NOON + timedelta(minutes=5), Step.MINUTE)
    spans = [(begin.minute, end.minute) for begin, end in series.gaps]
    assert spans == [(2, 4), (5, 6)]


def test_each_hour_stands_alone(lab: Organization, owner: Actor, settle: Settle) -> None:
    submit(owner, 3)
    settle(lab)
    sample(NOON)
    later = NOON + timedelta(minutes=60)
    sample(later)
    starts = SeriesPoint.objects.filter(kind="queue").order_by("start").values_list("start")
    assert [start.hour for (start,) in starts] == [12, 13]
    SeriesPoint.objects.filter(start__lt=later - timedelta(minutes=1)).delete()
    assert minutes_of(lab, TEAM, 61)[-1] == 3


def test_an_organization_without_anything_has_no_rows_and_no_gap(lab: Organization) -> None:
    sample(NOON)
    # The second hour too: an empty organization needs no sampling.
    assert sample_orgs(NOON + timedelta(minutes=60)) == []
    assert not SeriesPoint.objects.exists()
    assert minutes_of(lab, TEAM, 1) == [0]
    assert minutes_of(lab, TEAM, 62)[60:] == [0, None]


def test_a_minute_is_sampled_once(lab: Organization, owner: Actor, settle: Settle) -> None:
    submit(owner, 3)
    settle(lab)
    assert sample(NOON) == [lab.pk]
    assert not sample_org(lab.pk, NOON + timedelta(seconds=20))
    assert sample(NOON + timedelta(seconds=40)) == []
    # A worker with a slow clock moves no sample back.
    assert not sample_org(lab.pk, NOON - timedelta(minutes=2))
    assert sample_orgs(NOON - timedelta(minutes=2)) == []
    assert SampledHour.objects.get().minutes == 1
    assert sampled_until(lab) == NOON.replace(second=0) + timedelta(minutes=1)


def test_borrowed_and_lent_are_those_of_the_moment(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, 4, 2)
    settle(lab)
    sample(NOON)
    found = {}
    for name in ("team", "other"):
        (reading,) = series_of(lab, Subject.queue(name), NOON, NOON, Step.MINUTE).readings or (
            None,
        )
        assert reading is not None
        found[name] = {
            part: getattr(cell, part).peak
            for cell in reading.totals.cells.values()
            for part in ("used", "borrowed", "over", "lent")
        }
    assert found == {
        "team": {"used": 6000, "borrowed": 2000, "over": 0, "lent": 0},
        "other": {"used": 0, "borrowed": 0, "over": 0, "lent": 2000},
    }


def test_demand_and_counts_are_of_those_who_wait(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, 8, 5, 3)
    settle(lab)
    sample(NOON)
    for subject in (TEAM, Subject.cohort("lab"), WHOLE_ORG):
        (reading,) = series_of(lab, subject, NOON, NOON, Step.MINUTE).readings
        totals = reading.totals
        assert (totals.running.peak, totals.pending.peak) == (1, 2)
        assert {name: level.peak for name, level in totals.demand.items()} == {"gpu": 8000}


def cluster_queues(**quotas: int) -> str:
    """Return queues of one cohort in a language whose queues may change."""
    return "---\n".join(
        [
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: any}\n",
            *(
                "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\n"
                f"metadata: {{name: {name}}}\n"
                "spec:\n  cohort: lab\n  namespaceSelector: {}\n  resourceGroups:\n"
                "    - coveredResources: [gpu]\n"
                "      flavors: [{name: any, resources: "
                f"[{{name: gpu, nominalQuota: {quota}}}]}}]\n"
                for name, quota in quotas.items()
            ),
        ]
    )


def test_quota_in_force_is_kept_with_the_minute_that_saw_it_change(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    lab = org
    apply_config(owner, "kueue", cluster_queues(team=4, other=4), "first", 0)
    settle(lab)
    sample(NOON)
    apply_config(owner, "kueue", cluster_queues(team=6, other=4), "more", 1)
    settle(lab)
    sample(NOON + timedelta(minutes=1))
    sample(NOON + timedelta(minutes=2))
    start = NOON.replace(second=0)
    spans = quota_spans(lab, TEAM, NOON, NOON + timedelta(minutes=10))
    assert [(s.since, s.until, s.config_version, dict(s.quotas)) for s in spans] == [
        (start, start + timedelta(minutes=1), 1, {("any", "gpu"): (4000, 8000)}),
        (start + timedelta(minutes=1), None, 2, {("any", "gpu"): (6000, 10000)}),
    ]
    other = quota_spans(lab, Subject.queue("other"), NOON, NOON + timedelta(minutes=10))
    # Its own quota is unchanged, and its limit is larger.
    assert [dict(s.quotas) for s in other] == [
        {("any", "gpu"): (4000, 8000)},
        {("any", "gpu"): (4000, 10000)},
    ]
    everything = quota_spans(lab, WHOLE_ORG, NOON, NOON + timedelta(minutes=10))
    assert [dict(s.quotas) for s in everything] == [
        {("any", "gpu"): (8000, 8000)},
        {("any", "gpu"): (10000, 10000)},
    ]


def test_a_queue_that_is_gone_owns_nothing_from_then_on(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    sample(NOON)
    text = "resource_queues: [{name: new}]\nscheduling_rules: [{resource_queue: new}]\n"
    apply_config(owner, "native", text, "all new", 1)
    settle(lab)
    sample(NOON + timedelta(minutes=1))
    assert not QuotaLine.objects.filter(until=None).exists()
    assert Sampler.objects.get().config_version == 2


def test_two_workers_at_once_sample_a_minute_once(race, shared_database) -> None:
    from console.orgs.services.create_org import create_org
    from console.orgs.services.create_user import create_user
    from console.workloads.services.run_engine import run_engine

    org = create_org("here", "Here", owner=None)
    actor = Actor.from_user(org, create_user("owner@here.example", "correct horse"), "owner")
    submit(actor, 3)
    run_engine(org.pk)
    sample_orgs(NOON)
    outcomes = race(lambda _: sample_org(org.pk, NOON))
    assert sorted(outcomes) == [False] * (len(outcomes) - 1) + [True]
    assert SeriesPoint.objects.filter(kind="org").count() == 1
