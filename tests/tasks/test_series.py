"""Series written by workers: events counted with decisions and samples of the clock, once each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from console.celery import BACKGROUND
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series import tasks
from console.series.models import SampledHour, SeriesPoint, Tally
from console.series.queries import wait_quantiles
from console.series.services.sample_orgs import sample_orgs
from console.series.waits import NO_WAIT, bucket_of
from console.workloads.models import Workload
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.update_over_quota import OverQuotaRows
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: team
    cohort_name: lab
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules:
  - selector: [{key: team, operator: exists}]
    resource_queue: team
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


def submit(actor: Actor, name: str, gpu: int = 4, priority: int = 0, team: str = "a") -> str:
    tags = {"team": team} if team else {}
    wanted = Submission(name=name, tags=tags, priority=priority, requests={"gpu": gpu * 1000})
    (row,) = submit_workloads(actor, [wanted])
    return row.uid


def counted(kind: str = "queue") -> dict[str, int]:
    """Return the counts of all subjects of a kind over all time."""
    found: dict[str, int] = {}
    for what, count in Tally.objects.filter(kind=kind).values_list("what", "count"):
        found[what] = found.get(what, 0) + count
    return found


def test_everything_that_happens_is_counted_once_for_each_it_concerns(
    lab: Organization, owner: Actor, settle: Settle
) -> None:
    low = submit(owner, "low")
    settle(lab)
    waiting = submit(owner, "waiting")
    submit(owner, "lost", team="")
    high = submit(owner, "high", priority=5)
    settle(lab)
    release_workloads(owner, [low])
    settle(lab)
    withdraw_workloads(owner, [waiting])
    finish_workloads(owner, [high])
    settle(lab)
    happened = {"submitted": 3, "admitted": 3, "preempted": 1, "finished": 1, "withdrawn": 1}
    assert counted("queue") == happened
    assert counted("cohort") == happened
    # No rule matches the workload "lost", so no queue counts it.
    assert counted("org") == happened | {"submitted": 4, "rejected": 1}
    assert Workload.objects.get(uid=low).state == "admitted"
    assert set(Tally.objects.values_list("kind", "name")) == {
        ("queue", "team"),
        ("cohort", "lab"),
        ("org", ""),
    }


def test_a_wait_is_until_the_first_admission(
    lab: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A tenth of a second between submission and admission would count as a wait.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    low = submit(owner, "low")
    Workload.objects.update(submitted_at=now - timedelta(minutes=10))
    settle(lab)
    high = submit(owner, "high", priority=5)
    settle(lab)
    release_workloads(owner, [low])
    settle(lab)
    finish_workloads(owner, [high])
    settle(lab)
    admitted = Tally.objects.filter(kind="queue", what="admitted")
    assert sorted(admitted.values_list("bucket", "count")) == [
        (NO_WAIT, 1),
        (0, 1),
        (bucket_of(600), 1),
    ]
    assert wait_quantiles(lab, "team").n == 2


def test_work_before_the_first_config_counts_for_the_organization(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, "early")
    settle(org)
    assert counted("org") == {"submitted": 1, "admitted": 1}
    assert counted("queue") == {}


def test_a_batch_that_is_not_written_counts_nothing_and_then_once(
    lab: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(*_: Any) -> None:
        raise OSError("the disk is full")

    submit(owner, "one")
    with monkeypatch.context() as broken:
        broken.setattr(OverQuotaRows, "update", torn)
        with pytest.raises(OSError, match="full"):
            settle(lab)
    assert counted("org") == {}
    settle(lab)
    assert counted("org") == {"submitted": 1, "admitted": 1}


def test_a_settle_that_is_cut_short_counts_each_submission_once(
    lab: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_engine_module, "BATCH", 1)
    for number in range(5):
        submit(owner, f"w{number}", gpu=1)
    settle(lab)
    assert counted("queue") == {"submitted": 5, "admitted": 4}


def test_the_clock_samples_those_that_changed_in_their_lane(
    lab: Organization,
    other_org: Organization,
    owner: Actor,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = []

    def send(name: str, args: list[int], queue: str, expires: int) -> None:
        sent.append((args[0], queue))
        tasks.sample_one(*args)

    now = timezone.now()
    monkeypatch.setattr(tasks.timezone, "now", lambda: now)
    monkeypatch.setattr(current_app, "send_task", send)
    tasks.sample()
    tasks.sample()
    assert sorted(sent) == sorted((org.pk, BACKGROUND) for org in (lab, other_org))
    assert SampledHour.objects.count() == 2


def test_the_clock_rolls_up_and_forgets(
    lab: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(owner, "one")
    settle(lab)
    sample_orgs(timezone.now())
    tasks.sample_one(lab.pk)
    monkeypatch.setattr(current_app, "send_task", lambda name, args, **_: tasks.roll_one(*args))
    tasks.roll()
    tasks.forget()
    rolled = SeriesPoint.objects.filter(kind="org").exclude(step="minute")
    assert sorted(rolled.values_list("step", "counts__admitted")) == [("day", 1), ("hour", 1)]
