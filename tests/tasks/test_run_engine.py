"""Engine runs over rows: decisions are written once, and a rebuilt engine decides the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import tasks, wakeup
from console.workloads.explanations import explain_workload
from console.workloads.lease import read_engine_row
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    Intake,
    PendingClass,
    QueueCount,
    Usage,
    Workload,
)
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.next_intake import next_intake
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

#: SQL statements of a run of one batch, from the first check to the one after the lease.
MOST_STATEMENTS = 18

TRAIN = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 4}]}
scheduling_rules:
  - resource_queue: train
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def submit(actor: Actor, *names: str, priority: int = 0, gpu: int = 2) -> list[Workload]:
    wanted = [
        Submission(name=name, type="job", priority=priority, requests={"gpu": gpu * 1000})
        for name in names
    ]
    return submit_workloads(actor, wanted)


def states(org: Organization) -> dict[str, tuple[str, str]]:
    rows = Workload.objects.filter(org=org).order_by("pk")
    columns = rows.values_list("name", "state", "reason")
    return {name: (state, reason) for name, state, reason in columns}


def test_everything_runs_before_the_first_config(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, "a")
    assert settle(org) == 1
    assert states(org) == {"a": ("admitted", "no_rules")}
    assert not Intake.objects.exists()


def test_a_preempted_workload_is_admitted_again(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "native", TRAIN, "first", 0)
    low = submit(owner, "low-1", "low-2")
    settle(org)
    high = submit(owner, "high", priority=5)
    settle(org)
    assert states(org) == {
        "low-1": ("admitted", "quota_reserved"),
        "low-2": ("preempting", "preempted_in_queue"),
        "high": ("pending", "waiting_for_preempted"),
    }
    high[0].refresh_from_db()
    assert explain_workload(org, high[0]).explanation.headline == (
        "Starting soon in train: 1 workload is being preempted to free quota."
    )
    release_workloads(owner, [low[1].uid])
    settle(org)
    assert states(org) == {
        "low-1": ("admitted", "quota_reserved"),
        "low-2": ("pending", "waiting_for_quota"),
        "high": ("admitted", "quota_reserved"),
    }
    low[1].refresh_from_db()
    assert (low[1].preemptions, low[1].preemptor, low[1].reservation) == (1, None, None)
    assert explain_workload(org, low[1]).explanation.headline == (
        "Waiting for quota in train: needs 2 GPUs on any, 0 free now, 2 short; "
        "no workload may be preempted for it."
    )
    assert list(Usage.objects.values_list("queue", "flavor", "resource", "used")) == [
        ("train", "any", "gpu", 4000)
    ]
    assert list(QueueCount.objects.values_list("queue", "running", "pending")) == [("train", 2, 1)]
    assert list(PendingClass.objects.values_list("reason", "missing", "count")) == [
        ("waiting_for_quota", {"any/gpu": 2000}, 1)
    ]
    finish_workloads(owner, [high[0].uid])
    settle(org)
    assert states(org)["low-2"] == ("admitted", "quota_reserved")
    assert Engine.objects.get(org=org).counts == {
        "pending": 0,
        "admitted": 2,
        "preempting": 0,
        "finished": 1,
        "rejected": 0,
        "withdrawn": 0,
    }
    assert list(Event.objects.order_by("pk").values_list("type", "data__name")) == [
        ("CONFIG_UPDATED", None),
        ("REQUEST_SUBMITTED", "low-1"),
        ("REQUEST_SUBMITTED", "low-2"),
        ("REQUEST_ADMITTED", "low-1"),
        ("REQUEST_ADMITTED", "low-2"),
        ("REQUEST_SUBMITTED", "high"),
        ("REQUEST_PREEMPTED", "low-2"),
        ("REQUEST_QUEUED", "high"),
        ("REQUEST_RELEASED", "low-2"),
        ("REQUEST_ADMITTED", "high"),
        ("REQUEST_REQUEUED", "low-2"),
        ("REQUEST_FULFILLED", "high"),
        ("REQUEST_ADMITTED", "low-2"),
    ]


@pytest.mark.parametrize("cold", [False, True])
def test_a_rebuilt_engine_decides_the_same(
    org: Organization, owner: Actor, settle: Settle, *, cold: bool
) -> None:
    def step(work: Callable[[], object]) -> None:
        work()
        if cold:
            forget_states()
        settle(org)

    rows: dict[str, Workload] = {}

    def more(names: Sequence[str], priority: int) -> None:
        rows.update({row.name: row for row in submit(owner, *names, priority=priority)})

    step(lambda: apply_config(owner, "native", TRAIN, "first", 0))
    step(lambda: more(["a", "b", "c"], 1))
    step(lambda: more(["d", "e"], 7))
    step(lambda: release_workloads(owner, [rows["b"].uid]))
    step(lambda: more(["f"], 7))
    step(lambda: withdraw_workloads(owner, [rows["d"].uid]))
    step(lambda: release_workloads(owner, [rows["a"].uid]))
    made = Decision.objects.order_by("pk").values_list("workload__name", "outcome", "reason")
    assert list(made) == [
        ("a", "admitted", "quota_reserved"),
        ("b", "admitted", "quota_reserved"),
        ("c", "pending", "waiting_for_quota"),
        ("b", "preempted", "preempted_in_queue"),
        ("d", "pending", "waiting_for_preempted"),
        ("a", "preempted", "preempted_in_queue"),
        ("e", "pending", "waiting_for_preempted"),
        ("d", "admitted", "quota_reserved"),
        ("b", "pending", "waiting_for_quota"),
        ("f", "pending", "waiting_for_quota"),
        ("d", "withdrawn", "withdrawn_while_running"),
        ("e", "admitted", "quota_reserved"),
        ("f", "pending", "waiting_for_preempted"),
        ("f", "admitted", "quota_reserved"),
        ("a", "pending", "waiting_for_quota"),
    ]


def test_a_run_that_left_nothing_to_decide_is_noted_as_settled(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    """The process died after its last decision, before it knew that it was the last one."""
    submit(owner, "a")
    settle(org)
    Engine.objects.filter(org=org).update(is_settled=False)
    forget_states()
    assert read_engine_row(org.pk).has_work
    assert settle(org) == 0
    assert not read_engine_row(org.pk).has_work


def test_a_run_asks_as_often_for_a_hundred_workloads_as_for_one(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    """Each organization has its own runs, mostly for few workloads."""
    apply_config(owner, "native", "{}", "first", 0)
    submit(owner, "first")
    settle(org)
    found = []
    for count in (1, 1, 100):
        submit(owner, *(f"w{number}" for number in range(count)))
        with CaptureQueriesContext(connection) as asked:
            assert run_engine(org.pk).decisions >= 1
        found.append(len(asked))
    assert len(set(found)) == 1, found
    assert found[0] <= MOST_STATEMENTS, found
    # A run with nothing to do needs very few.
    with CaptureQueriesContext(connection) as asked:
        assert run_engine(org.pk).decisions == 0
    assert len(asked) == 1


def test_a_run_that_is_cut_short_is_taken_up_again(
    org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch decides three; the time is up after the first batch, which always runs."""
    monkeypatch.setattr(run_engine_module, "BATCH", 3)
    apply_config(owner, "native", "{}", "first", 0)
    run_engine(org.pk)
    submit(owner, *"abcdefgh")
    assert run_engine(org.pk, seconds=0).decisions == 3
    assert not Intake.objects.exists()
    assert read_engine_row(org.pk).has_work
    forget_states()
    assert run_engine(org.pk, seconds=60).decisions == 5
    assert not read_engine_row(org.pk).has_work
    assert set(states(org).values()) == {("admitted", "no_rules")}
    assert Decision.objects.count() == 8


@pytest.mark.parametrize(("returned", "batch"), [(1, 1), (2, 1), (2, 2), (1, 2), (5000, 4)])
def test_intake_that_releases_quota_is_processed_first(
    org: Organization,
    owner: Actor,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
    returned: int,
    batch: int,
) -> None:
    apply_config(owner, "native", TRAIN, "first", 0)
    (done, stopping) = submit(owner, "done", "stopping")
    settle(org)
    (urgent,) = submit(owner, "urgent", priority=90)
    settle(org)
    assert states(org)["stopping"] == ("preempting", "preempted_in_queue")
    monkeypatch.setattr(run_engine_module, "BATCH", batch)
    monkeypatch.setattr(run_engine_module, "RETURNED", returned)
    submit(owner, "a")
    submit(owner, "b")
    withdraw_workloads(owner, [urgent.uid])
    release_workloads(owner, [stopping.uid])
    finish_workloads(owner, [done.uid])

    kinds = [row.kind for row in next_intake(org.pk, batch, returned)[0]]
    # Each part has as many workloads as its limit allows.
    back, others = ["release", "finish"], ["submit", "submit", "withdraw"]
    assert kinds == [*back[:returned], *others[:batch]]
    settle(org)
    assert not Intake.objects.exists()
    assert {name: state for name, (state, _) in states(org).items()} == {
        "done": "finished",
        "stopping": "admitted",
        "urgent": "withdrawn",
        "a": "admitted",
        "b": "pending",
    }


def test_frequent_endings_do_not_delay_a_large_request(
    org: Organization, owner: Actor, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_config(owner, "native", "{}", "first", 0)
    running = submit(owner, *"abcd")
    settle(org)
    monkeypatch.setattr(run_engine_module, "BATCH", 3)
    submit(owner, *"efg")
    finish_workloads(owner, [running[0].uid])
    run_engine(org.pk, seconds=0)
    assert not Intake.objects.exists()
    assert states(org)["a"][0] == "finished"
    assert states(org)["g"][0] == "admitted"


@pytest.mark.parametrize("end", [finish_workloads, release_workloads])
def test_an_earlier_withdrawal_wins(
    org: Organization,
    owner: Actor,
    settle: Settle,
    end: Callable[..., None],
) -> None:
    apply_config(owner, "native", TRAIN, "first", 0)
    (done, stopping) = submit(owner, "done", "stopping")
    settle(org)
    submit(owner, "urgent", priority=90)
    settle(org)
    withdraw_workloads(owner, [stopping.uid])
    end(owner, [stopping.uid])
    finish_workloads(owner, [done.uid])
    assert next_intake(org.pk, 1, 5)[0][0].kind == "finish"
    settle(org)
    assert {name: state for name, (state, _) in states(org).items()} == {
        "done": "finished",
        "stopping": "withdrawn",
        "urgent": "admitted",
    }


def test_the_sweep_finds_unprocessed_intake(
    org: Organization, owner: Actor, other_org: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    nudged: list[int] = []
    monkeypatch.setattr(wakeup, "send", nudged.append)
    submit(owner, "a")
    tasks.sweep()
    assert nudged == []
    Intake.objects.update(created_at=timezone.now() - timedelta(seconds=3))
    tasks.sweep()
    assert nudged == [org.pk]
    old = timezone.now() - timedelta(seconds=3)
    Engine.objects.filter(org=other_org).update(is_settled=False, settled_at=old)
    tasks.sweep()
    assert nudged == [org.pk, org.pk, other_org.pk]
    # Written with a clock that is far ahead, or read with one that is far behind.
    later = timezone.now() + timedelta(hours=1)
    Intake.objects.update(created_at=later)
    Engine.objects.filter(org=other_org).update(settled_at=later)
    tasks.sweep()
    assert nudged[3:] == [org.pk, other_org.pk]
    # Written with a clock that is a little ahead.
    Intake.objects.update(created_at=timezone.now() + timedelta(seconds=5))
    Engine.objects.filter(org=other_org).update(is_settled=True)
    tasks.sweep()
    assert nudged[5:] == [org.pk]
