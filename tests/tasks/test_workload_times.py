"""The times of workloads in rows: a restored state has those of the state before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from django.utils import timezone

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.time_formats import milliseconds
from console.workloads.models import Workload
from console.workloads.pod_reports import PodReport
from console.workloads.services import run_engine as running
from console.workloads.services.activate_workloads import activate_workload
from console.workloads.services.end_pods import end_pods
from console.workloads.services.end_workloads import finish_workloads, release_workloads
from console.workloads.services.load_state import load_state
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission, read_submissions

Settle = Callable[[Organization], int]
Times = tuple[int | None, int | None]

NOON: Final = datetime(2026, 1, 31, 12, tzinfo=UTC)
AT_NOON: Final = milliseconds(NOON)

QUEUE: Final = """
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 1}]}]
scheduling_rules: [{resource_queue: train}]
"""


class Clock:
    """A process clock that a test sets, in seconds after noon."""

    def __init__(self) -> None:
        self.seconds = 0

    def now(self) -> datetime:
        """Return the time."""
        return NOON + timedelta(seconds=self.seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(timezone, "now", found.now)
    return found


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    running.forget_states()
    yield
    running.forget_states()


def times(org: Organization, version: int) -> dict[str, Times]:
    """Return the times by name; the state in memory, rows, and a snapshot have to agree."""
    warm = running._warm.get(org.pk)
    assert warm is not None
    states = warm.state, load_state(org, version), snapshot_state(org)[0]
    found = [
        {uid: (each.started, each.short_since) for uid, each in state.running.items()}
        for state in states
    ]
    assert found[0] == found[1] == found[2]
    workloads = [{uid: each.workload for uid, each in state.running.items()} for state in states]
    assert workloads[0] == workloads[1] == workloads[2]
    names = dict(Workload.objects.filter(org=org).values_list("uid", "name"))
    return {
        names[uid]: (_seconds(started), _seconds(short_since))
        for uid, (started, short_since) in found[0].items()
    }


def pending_since(org: Organization, version: int) -> dict[str, int]:
    """Return since when workloads are pending, in seconds, by name; all states have to agree."""
    warm = running._warm.get(org.pk)
    assert warm is not None
    states = warm.state, load_state(org, version), snapshot_state(org)[0]
    found = [
        {uid: each.workload.pending_since for uid, each in state.pending.items()}
        for state in states
    ]
    assert found[0] == found[1] == found[2]
    names = dict(Workload.objects.filter(org=org).values_list("uid", "name"))
    return {names[uid]: (time - AT_NOON) // 1000 for uid, time in found[0].items()}


def finished(org: Organization) -> bool:
    """Return whether pods of the only running workload have finished."""
    (running_workload,) = load_state(org, 1).running.values()
    return running_workload.workload.has_finished_pods


def _seconds(time: int | None) -> int | None:
    return None if time is None else (time - AT_NOON) // 1000


def test_rows_have_the_engine_time_of_the_last_admission(
    org: Organization, owner: Actor, settle: Settle, clock: Clock
) -> None:
    apply_config(owner, "native", QUEUE, "", 0)
    settle(org)
    clock.seconds = 10
    gpu = {"gpu": 1000}
    (low,) = submit_workloads(owner, [Submission(name="low", priority=1, requests=gpu)])
    settle(org)
    assert times(org, 1) == {"low": (10, None)}
    # The engine's time does not go back with the clock of another machine.
    clock.seconds = 5
    submit_workloads(owner, [Submission(name="high", priority=2, requests=gpu)])
    settle(org)
    release_workloads(owner, [low.uid])
    settle(org)
    assert times(org, 1) == {"high": (10, None)}
    low.refresh_from_db()
    assert (low.state, low.started, low.short_since) == ("pending", None, None)


def test_rows_have_the_time_since_which_pods_are_missing(
    org: Organization, owner: Actor, settle: Settle, clock: Clock
) -> None:
    def report(*cpus: int) -> None:
        nodes = [{"name": f"n{n}", "allocatable": {"cpu": cpu}} for n, cpu in enumerate(cpus, 1)]
        report_cluster(owner, "east", {"nodes": nodes})
        settle(org)

    def end(kind: str, count: int) -> None:
        pods = PodReport(kind=kind, pod_set="main", count=count, cluster=None, node=None)
        end_pods(owner, row.uid, pods)
        settle(org)

    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    report(4)
    pods = {"name": "main", "count": 4, "requests": {"cpu": 1}}
    (row,) = submit_workloads(owner, read_submissions([{"name": "train", "pod_sets": [pods]}]))
    settle(org)
    assert times(org, 1) == {"train": (0, None)}
    # A released pod gets its place again in the same batch.
    clock.seconds = 5
    end(PodReport.RELEASE, 1)
    assert times(org, 1) == {"train": (0, None)}
    clock.seconds = 10
    report(2)
    end(PodReport.RELEASE, 1)
    assert times(org, 1) == {"train": (0, 10)}
    clock.seconds = 20
    assert not finished(org)
    end(PodReport.FINISH, 1)
    assert times(org, 1) == {"train": (0, 10)}
    assert finished(org)
    running.forget_states()
    clock.seconds = 30
    report(4)
    assert times(org, 1) == {"train": (0, None)}


def test_rows_have_the_time_of_the_submission_or_of_the_last_release(
    org: Organization, owner: Actor, settle: Settle, clock: Clock
) -> None:
    apply_config(owner, "native", QUEUE, "", 0)
    gpu = {"gpu": 1000}
    (low,) = submit_workloads(owner, [Submission(name="low", priority=1, requests=gpu)])
    settle(org)
    clock.seconds = 5
    submit_workloads(owner, [Submission(name="high", priority=2, requests=gpu)])
    clock.seconds = 10
    settle(org)
    assert pending_since(org, 1) == {"high": 5}
    clock.seconds = 20
    release_workloads(owner, [low.uid])
    settle(org)
    assert pending_since(org, 1) == {"low": 20}


@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_a_workload_stops_after_its_maximum_run_time(
    org: Organization, owner: Actor, settle: Settle, clock: Clock, is_rebuilt: bool
) -> None:
    def later(seconds: int) -> tuple[str, str, str | None, int | None]:
        clock.seconds = seconds
        if is_rebuilt:
            running.forget_states()
        settle(org)
        row.refresh_from_db()
        return row.state, row.reason, row.inactive, row.past_run_time

    apply_config(owner, "native", QUEUE, "", 0)
    gpu = {"gpu": 1000}
    (row,) = submit_workloads(owner, [Submission(name="low", requests=gpu, max_run_seconds=60)])
    settle(org)
    assert later(59) == ("admitted", "quota_reserved", None, None)
    stopped = ("preempting", "run_time_exceeded", "run_time_used_up", None)
    assert later(60) == stopped
    assert later(70) == stopped
    release_workloads(owner, [row.uid])
    assert later(80) == ("pending", "run_time_used_up", "run_time_used_up", 0)
    activate_workload(owner, row.uid)
    assert later(90) == ("admitted", "quota_reserved", None, 0)
    # After a preemption, the rest of the run time is left.
    (high,) = submit_workloads(owner, [Submission(name="high", priority=2, requests=gpu)])
    later(110)
    release_workloads(owner, [row.uid])
    assert later(120)[3] == 30_000
    finish_workloads(owner, [high.uid])
    assert later(130)[0] == "admitted"
    assert later(159)[0] == "admitted"
    assert later(160)[:2] == ("preempting", "run_time_exceeded")


def test_workloads_of_an_earlier_release_have_no_times(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "native", QUEUE, "", 0)
    submit_workloads(owner, [Submission(name="w", requests={"gpu": 1000})])
    settle(org)
    Workload.objects.update(started=None)
    running.forget_states()
    submit_workloads(owner, [Submission(name="x", requests={"gpu": 1000})])
    settle(org)
    assert times(org, 1) == {"w": (None, None)}
