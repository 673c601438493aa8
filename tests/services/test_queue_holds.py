"""Holds of queues: with or without an end time, each ending exactly once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from console.configs.services.apply_config import apply_config
from console.configs.services.roll_back import roll_back
from console.errors import BadRequest, NotAllowed
from console.orgs.models import AuditEntry, Membership, Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.models import Event, Intake, QueueHold, State, Workload
from console.workloads.services.hold_queue import hold_queue, resume_queue
from console.workloads.services.load_state import held_queues
from console.workloads.services.resume_expired import MOST, resume_expired
from console.workloads.services.run_engine import run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from console.workloads.tasks import resume
from tests.services.conftest import RACERS

CONFIG = "resource_queues:\n  - name: q\n  - name: r\nscheduling_rules:\n  - resource_queue: q\n"
Race = Callable[[Callable[[int], Any]], list[Any]]
NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def config(owner: Actor) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    run_engine(owner.org.pk)


@pytest.fixture
def racer(race: Race) -> Actor:
    """Create an owner in the database that several threads share."""
    org = create_org("here", "Here", None)
    user = create_user("owner@here.example", "correct horse battery")
    Membership.objects.create(org=org, user=user, role="owner")
    actor = Actor.from_user(org, user, "owner")
    apply_config(actor, "native", CONFIG, "", 0)
    run_engine(org.pk)
    return actor


def hold_events() -> list[tuple[str, str, dict[str, Any]]]:
    """Return the events about queues, oldest first."""
    rows = Event.objects.filter(type__startswith="QUEUE_").order_by("pk")
    return [(row.type, row.actor, row.data) for row in rows]


def hold_entries() -> list[tuple[str, str, Any, Any]]:
    """Return the audit entries about queues, oldest first."""
    rows = AuditEntry.objects.filter(kind="queue").order_by("pk")
    return [(row.action, row.actor_key, row.before, row.after) for row in rows]


def intake() -> list[str]:
    return list(Intake.objects.order_by("pk").values_list("kind", flat=True))


def test_a_hold_ends_by_itself_when_its_time_is_over(
    config: None, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    hold_queue(owner, "q", "rack down", NOW + HOUR, now=NOW)
    (waiting,) = submit_workloads(owner, read_submissions([{"name": "w"}]))
    settle(owner.org)
    assert Workload.objects.get(pk=waiting.pk).state == State.PENDING

    assert resume_expired(NOW + HOUR - timedelta(seconds=1)) == 0
    assert resume_expired(NOW + HOUR) == 1
    assert resume_expired(NOW + HOUR) == 0
    assert not QueueHold.objects.exists()
    settle(owner.org)
    assert Workload.objects.get(pk=waiting.pk).state == State.ADMITTED

    end = (NOW + HOUR).isoformat()
    held = {"reason": "rack down", "actor": owner.name, "until": end}
    assert hold_events() == [
        ("QUEUE_HELD", owner.name, {"queue": "q", "reason": "rack down", "until": end}),
        ("QUEUE_RESUMED", owner.name, {"queue": "q", "until": end}),
    ]
    assert hold_entries() == [
        ("queue.hold", owner.key, None, held),
        ("queue.resume", "timer", held, None),
    ]


def test_a_hold_without_an_end_stays(config: None, owner: Actor) -> None:
    hold_queue(owner, "q", "for good")
    assert resume_expired(NOW + timedelta(days=10_000)) == 0
    assert QueueHold.objects.get().until is None


def test_a_hold_is_made_longer_shorter_and_open(
    config: None, owner: Actor, operator: Actor
) -> None:
    since = hold_queue(owner, "q", "rack down", NOW + HOUR, now=NOW).since
    hold_queue(operator, "q", "rack down", NOW + 5 * HOUR, now=NOW)
    assert resume_expired(NOW + 2 * HOUR) == 0
    hold_queue(operator, "q", "rack down", NOW + 3 * HOUR, now=NOW)
    hold_queue(operator, "q", "rack down", NOW + 3 * HOUR, now=NOW)
    hold = QueueHold.objects.get()
    assert (hold.until, hold.actor, hold.since) == (NOW + 3 * HOUR, operator.name, since)
    assert [data["until"] for _, _, data in hold_events()] == [
        (NOW + hours * HOUR).isoformat() for hours in (1, 5, 3)
    ]
    # Repeating the same hold makes no event.
    assert intake() == ["hold"] * 3
    hold_queue(owner, "q", "rack down")
    assert resume_expired(NOW + 9 * HOUR) == 0
    assert hold_entries()[-1][2:] == (
        {"reason": "rack down", "actor": operator.name, "until": (NOW + 3 * HOUR).isoformat()},
        {"reason": "rack down", "actor": owner.name},
    )


def test_a_hold_that_was_ended_early_is_not_ended_again(config: None, owner: Actor) -> None:
    hold_queue(owner, "q", "rack down", NOW + HOUR, now=NOW)
    resume_queue(owner, "q", "it is back")
    assert resume_expired(NOW + 2 * HOUR) == 0
    assert [kind for kind, _, _ in hold_events()] == ["QUEUE_HELD", "QUEUE_RESUMED"]
    assert intake() == ["hold", "resume"]


@pytest.mark.parametrize(
    "until",
    [NOW, NOW - HOUR, NOW + timedelta(days=367)],
)
def test_a_hold_ends_ahead_and_within_a_year(config: None, until: datetime, owner: Actor) -> None:
    with pytest.raises(BadRequest) as refused:
        hold_queue(owner, "q", " ", until, now=NOW)
    assert [(error.path, error.code) for error in refused.value.errors] == [
        ("reason", "blank"),
        ("until", "out_of_range"),
    ]
    assert not QueueHold.objects.exists()


def test_only_operators_and_owners_hold(
    config: None, editor: Actor, submitter: Actor, viewer: Actor
) -> None:
    for actor in (editor, submitter, viewer):
        with pytest.raises(NotAllowed):
            hold_queue(actor, "q", "x", NOW + HOUR, now=NOW)


def test_many_holds_end_in_several_runs(config: None, owner: Actor) -> None:
    QueueHold.objects.bulk_create(
        QueueHold(org=owner.org, queue=f"q{i}", reason="x", actor="a", until=NOW)
        for i in range(MOST + 1)
    )
    assert [resume_expired(NOW), resume_expired(NOW), resume_expired(NOW)] == [MOST, 1, 0]


def test_the_clock_of_the_worker_ends_it(config: None, owner: Actor) -> None:
    hold_queue(owner, "q", "over long ago", NOW + HOUR, now=NOW)
    resume()
    assert not QueueHold.objects.exists()


def test_many_workers_end_a_hold_once(race: Race, racer: Actor) -> None:
    hold_queue(racer, "q", "rack down", NOW + HOUR, now=NOW)
    outcomes = race(lambda _: resume_expired(NOW + HOUR))
    assert sorted(outcomes) == [0] * (RACERS - 1) + [1]
    assert intake() == ["hold", "resume"]


def test_a_hold_that_is_prolonged_while_it_ends_is_one_or_the_other(
    race: Race, racer: Actor
) -> None:
    hold_queue(racer, "q", "rack down", NOW + HOUR, now=NOW)

    def act(number: int) -> int:
        if number:
            return resume_expired(NOW + HOUR)
        hold_queue(racer, "q", "rack down", NOW + 9 * HOUR, now=NOW)
        return 0

    ended = sum(race(act))
    hold = QueueHold.objects.get()
    assert hold.until == NOW + 9 * HOUR
    # If prolonged first, the hold never ended; if ended first, the queue was held again.
    assert intake() == (["hold", "resume", "hold"] if ended else ["hold", "hold"])


FIXED = """resource_flavors: [{{ name: f }}]
resource_queues:
  - name: "{name}"
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{{ name: f, resources: [{{ name: gpu, nominal_quota: {gpu} }}] }}]
scheduling_rules:
  - resource_queue: "{name}"
"""


def test_the_queue_that_takes_the_place_of_a_held_one_is_held(
    owner: Actor, operator: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "native", FIXED.format(name="qa", gpu=4), "", 0)
    hold_queue(operator, "qa", "rack down", NOW + HOUR, now=NOW)
    since = QueueHold.objects.get().since
    (first,) = submit_workloads(owner, read_submissions([{"name": "w", "requests": {"gpu": 1}}]))
    settle(owner.org)
    apply_config(owner, "native", FIXED.format(name="qa:v2", gpu=8), "", 1)
    (second,) = submit_workloads(owner, read_submissions([{"name": "x", "requests": {"gpu": 1}}]))
    # A warm engine and one loaded between apply and intake see the same.
    assert held_queues(owner.org) == {"qa"}
    settle(owner.org)
    assert held_queues(owner.org) == {"qa:v2"}
    hold = QueueHold.objects.get()
    assert (hold.queue, hold.reason, hold.actor, hold.until, hold.since) == (
        "qa:v2",
        "rack down",
        operator.name,
        NOW + HOUR,
        since,
    )
    rows = Workload.objects.filter(pk__in=[first.pk, second.pk])
    assert {(row.queue, row.state) for row in rows} == {("qa:v2", State.PENDING)}
    facts = {"reason": "rack down", "until": (NOW + HOUR).isoformat()}
    assert hold_events()[1:] == [
        ("QUEUE_HELD", owner.name, {"queue": "qa:v2", **facts, "instead_of": "qa"})
    ]
    assert hold_entries()[1:] == [
        (
            "queue.hold",
            owner.key,
            None,
            {"reason": "rack down", "actor": operator.name, **facts, "instead_of": "qa"},
        )
    ]

    # The rollback moves the hold back, and its end resumes the queue that then exists.
    roll_back(owner, 1, 2)
    settle(owner.org)
    assert {row.queue for row in QueueHold.objects.all()} == {"qa"}
    assert resume_expired(NOW + HOUR) == 1
    settle(owner.org)
    assert {row.state for row in Workload.objects.all()} == {State.ADMITTED}


def test_a_resumed_successor_leaves_nothing_held_behind(
    owner: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "native", FIXED.format(name="qa", gpu=4), "", 0)
    hold_queue(owner, "qa", "rack down")
    apply_config(owner, "native", FIXED.format(name="qa:v2", gpu=8), "", 1)
    settle(owner.org)
    resume_queue(owner, "qa:v2")
    roll_back(owner, 1, 2)
    (row,) = submit_workloads(owner, read_submissions([{"name": "w", "requests": {"gpu": 1}}]))
    settle(owner.org)
    assert not QueueHold.objects.exists()
    assert Workload.objects.get(pk=row.pk).state == State.ADMITTED


def test_a_queue_beside_a_held_one_is_not_held(
    owner: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "native", FIXED.format(name="qa", gpu=4), "", 0)
    hold_queue(owner, "qa", "rack down")
    both = FIXED.format(name="qa:v2", gpu=8).replace(
        "scheduling_rules:",
        "  - name: qa\n    resource_groups:\n"
        "      - covered_resources: [gpu]\n"
        "        flavors: [{ name: f, resources: [{ name: gpu, nominal_quota: 4 }] }]\n"
        "scheduling_rules:",
    )
    apply_config(owner, "native", both, "", 1)
    settle(owner.org)
    assert held_queues(owner.org) == {"qa"}
