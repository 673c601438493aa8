"""Deactivated and activated workloads: results, rows, events, and rebuilt engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from console.configs.services.apply_config import apply_config
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload
from console.workloads.models import Decision, Engine, Event, Intake, Workload
from console.workloads.queries import position_of
from console.workloads.queries.queues import queue_view
from console.workloads.services.activate_workloads import (
    activate_each,
    activate_workload,
    deactivate_each,
    deactivate_workload,
)
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.load_state import load_state
from console.workloads.services.run_engine import forget_states
from console.workloads.services.snapshot_state import snapshot_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.services.test_change_priorities import KUEUE, TRAIN, submitted

Settle = Callable[[Organization], int]


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def train(owner: Actor, settle: Settle) -> list[str]:
    """Return the ids of a running and two pending workloads."""
    apply_config(owner, "native", TRAIN, "", 0)
    uids = submitted(owner, "runs") + submitted(owner, "one", "two")
    settle(owner.org)
    return uids


def columns(uid: str) -> tuple[str, str, str | None]:
    row = Workload.objects.get(uid=uid)
    return row.state, row.reason, row.inactive


def assert_same_states(org: Organization) -> None:
    """Check that an engine that is rebuilt from rows, and a snapshot, decide nothing."""
    for state in (load_state(org, 1), snapshot_state(org)[0]):
        assert state.settle() == []


def test_a_deactivated_pending_workload_waits_for_its_activation(
    owner: Actor, train: list[str], settle: Settle
) -> None:
    runs, one, two = train
    deactivate_workload(owner, one)
    settle(owner.org)
    assert columns(one) == ("pending", "deactivated", "deactivated")
    assert position_of(Workload.objects.get(uid=one)) is None
    assert position_of(Workload.objects.get(uid=two)) == 1
    explained = explain_workload(owner.org, Workload.objects.get(uid=one)).explanation
    assert explained.headline == "Deactivated: it gets no turn until it is activated."
    (order,) = [each for each in explained.stages if each.stage == "order"]
    assert order.sentences[0].text == "It has no position in the queue until it is activated."
    queue = queue_view(owner.org, "train")
    assert (queue.pending, queue.cannot_run, queue.with_position) == (2, 0, 1)
    assert [usage.demand for usage in queue.usages] == [4000]
    assert_same_states(owner.org)
    finish_workloads(owner, [runs])
    settle(owner.org)
    assert columns(two) == ("admitted", "quota_reserved", None)
    activate_workload(owner, one)
    settle(owner.org)
    assert columns(one) == ("pending", "waiting_for_quota", None)
    assert_same_states(owner.org)
    events = Event.objects.filter(type__in=["DEACTIVATED", "ACTIVATED"]).order_by("pk")
    assert [(e.type, e.actor, e.queue, e.data) for e in events] == [
        ("DEACTIVATED", owner.name, "train", {"workload": one, "name": "one"}),
        ("ACTIVATED", owner.name, "train", {"workload": one, "name": "one"}),
    ]
    entries = AuditEntry.objects.filter(action__endswith="activate").order_by("pk")
    assert [(each.action, each.subject) for each in entries] == [
        ("workload.deactivate", one),
        ("workload.activate", one),
    ]


@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_a_running_workload_stops_and_then_waits(
    owner: Actor, train: list[str], settle: Settle, is_rebuilt: bool
) -> None:
    runs, one, _ = train
    deactivate_workload(owner, runs)
    settle(owner.org)
    assert columns(runs) == ("preempting", "deactivated_while_running", "deactivated")
    decision = Decision.objects.filter(workload__uid=runs).latest("pk")
    assert (decision.outcome, decision.preemptor) == ("preempted", None)
    explained = explain_workload(owner.org, Workload.objects.get(uid=runs)).explanation
    assert explained.headline == (
        "Deactivated while it ran: it has to stop, and holds its quota until it is released."
    )
    if is_rebuilt:
        forget_states()
    release_workloads(owner, [runs])
    settle(owner.org)
    assert columns(runs) == ("pending", "deactivated", "deactivated")
    assert columns(one)[0] == "admitted"
    assert_same_states(owner.org)


def test_requests_of_one_batch_are_applied_in_order(
    owner: Actor, train: list[str], settle: Settle
) -> None:
    runs, one, two = train
    deactivate_workload(owner, runs)
    activate_workload(owner, runs)
    deactivate_workload(owner, one)
    withdraw_workloads(owner, [one])
    activate_workload(owner, two)
    deactivate_workload(owner, two)
    settle(owner.org)
    assert [columns(uid) for uid in train] == [
        ("admitted", "quota_reserved", None),
        ("withdrawn", "waiting_for_quota", "deactivated"),
        ("pending", "deactivated", "deactivated"),
    ]
    assert_same_states(owner.org)


def test_a_deactivated_running_workload_may_be_withdrawn_in_the_same_batch(
    owner: Actor, train: list[str], settle: Settle
) -> None:
    runs, one, _ = train
    deactivate_workload(owner, runs)
    withdraw_workloads(owner, [runs])
    settle(owner.org)
    assert columns(runs)[0] == "withdrawn"
    assert columns(one)[0] == "admitted"
    assert_same_states(owner.org)


def test_each_of_a_selection_has_a_result(owner: Actor, train: list[str], settle: Settle) -> None:
    runs, one, two = train
    withdraw_workloads(owner, [two])
    deactivate_workload(owner, one)
    settle(owner.org)
    results = deactivate_each(owner, [runs, one, two, "gone", runs])
    assert [(each.uid, each.outcome, each.message) for each in results] == [
        (runs, "deactivated", "The workload is deactivated."),
        (one, "unchanged", "The workload was already deactivated."),
        (
            two,
            "wrong_state",
            (
                "The workload is already withdrawn; only pending and running workloads are "
                "deactivated or activated."
            ),
        ),
        ("gone", "not_found", f"There is no workload gone in {owner.org.slug}."),
    ]
    # The request is not applied yet, so another one may change its result.
    assert [each.outcome for each in activate_each(owner, [runs, one])] == ["activated"] * 2
    settle(owner.org)
    assert [each.outcome for each in activate_each(owner, [runs, one])] == ["unchanged"] * 2
    assert not Intake.objects.filter(org=owner.org).exists()


def test_errors_change_nothing(
    owner: Actor,
    submitter: Actor,
    viewer: Actor,
    other_org: Organization,
    train: list[str],
    settle: Settle,
) -> None:
    with pytest.raises(NotAllowed, match="may not finish, withdraw or deactivate the workloads"):
        deactivate_workload(submitter, train[0])
    with pytest.raises(NotAllowed):
        activate_each(viewer, train)
    assert owner.user is not None
    elsewhere = Actor.from_user(other_org, owner.user, "owner")
    with pytest.raises(NotFound):
        deactivate_workload(elsewhere, train[0])
    with pytest.raises(BadRequest):
        deactivate_each(owner, [])
    finish_workloads(owner, [train[0]])
    settle(owner.org)
    with pytest.raises(Conflict):
        activate_workload(owner, train[0])
    assert not Event.objects.filter(type="DEACTIVATED").exists()


def test_the_wakeup_is_the_end_of_a_run_time(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "native", TRAIN, "", 0)
    (uid,) = submitted(owner, "short", max_run_seconds=60)
    settle(owner.org)
    row = Workload.objects.get(uid=uid)
    assert row.max_run_time == 60_000
    assert row.started is not None
    assert Engine.objects.get(org=owner.org).wakes_at == row.started + 60_000
    assert_same_states(owner.org)


def test_a_label_of_kueue_limits_the_run_time(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "kueue", KUEUE, "", 0)
    tags = {
        "kueue.x-k8s.io/queue-name": "main",
        "kueue.x-k8s.io/max-exec-time-seconds": "90",
    }
    body = [{"name": "short", "requests": {"gpu": 4}, "namespace": "ml", "tags": tags}]
    (row,) = submit_workloads(owner, read_submissions(body))
    settle(owner.org)
    row.refresh_from_db()
    assert (row.state, row.max_run_time) == ("admitted", None)
    assert Engine.objects.get(org=owner.org).wakes_at == (row.started or 0) + 90_000
