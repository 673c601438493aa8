"""The demo organizations show what the console explains, after a few minutes of their traffic."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.db.models import Max, Min
from django.utils import timezone

from console.accounting.models import Account, AccountClock, AccountedHour
from console.engine.model.reasons import ReasonClass, reason_of
from console.orgs.models import AuditEntry, Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.policies.models import ConfigVersion
from console.series.models import SampledHour, SeriesPoint, Step
from console.supervisor import demo, demo_week, first_start
from console.time_formats import milliseconds
from console.traffic.mix import workload
from console.workloads.models import Decision, Engine, Event, State, Workload
from console.workloads.services.end_workloads import release_workloads
from tests.conftest import PASSWORD
from tests.worlds.work import finish, in_state, settle, submit

#: Rounds of submissions and ends, and workloads per round: four minutes of traffic.
_ROUNDS, _BATCH = 6, 12


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (
            demo.PRIORITY_DEMO,
            {"exceeds_max_quota", "no_rule_matched", "preempted_in_queue", "quota_reserved"},
        ),
        (
            demo.COHORT_DEMO,
            {"exceeds_max_quota", "local_queue_missing", "quota_reserved", "reclaimed_in_cohort"},
        ),
    ],
    ids=lambda value: value.slug if isinstance(value, demo.Demo) else "",
)
@pytest.mark.django_db
def test_traffic_has_every_interesting_outcome(example: demo.Demo, expected: set[str]) -> None:
    owner = create_user("owner@localhost", PASSWORD)
    org = demo.create_example(owner, example)
    actor = Actor.from_user(org, owner, Role.OWNER)
    draw = Random(1)
    for first in range(0, _ROUNDS * _BATCH, _BATCH):
        numbers = range(first, first + _BATCH)
        submit(actor, [workload(draw, n, "researcher", example.mix) for n in numbers])
        release_workloads(actor, in_state(org, State.PREEMPTING))
        settle(org)
        finish(actor, in_state(org, State.ADMITTED)[::4])
    decided = Decision.objects.filter(org=org).values_list("reason", flat=True)
    assert set(decided) >= expected
    classes = {reason_of(reason).reason_class for reason in decided}
    assert ReasonClass.UNKNOWN not in classes


@pytest.mark.django_db
def test_both_organizations_have_the_same_members(monkeypatch: pytest.MonkeyPatch) -> None:
    owner = create_user("owner@localhost", PASSWORD)
    monkeypatch.setattr(demo_week, "WEEK", timedelta(hours=2))
    demo.create(owner, timezone.now(), lambda text: None)
    assert [each.slug for each in demo.existing()] == ["demo", "demo-kueue"]
    members: Counter[tuple[str, str]] = Counter()
    for org in owner.memberships.all():
        rows = org.org.memberships.values_list("user__email", "role")
        members.update(rows)
    assert members == {
        ("owner@localhost", "owner"): 2,
        ("researcher@localhost", "submitter"): 2,
        ("engineer@localhost", "submitter"): 2,
        ("operator@localhost", "operator"): 2,
    }


#: The end of a simulated day, which is not a full minute.
_NOW = datetime(2026, 3, 12, 15, 42, 10, tzinfo=UTC)


@pytest.fixture
def simulated(db: None, monkeypatch: pytest.MonkeyPatch) -> Organization:
    """A demo organization with a simulated day, two versions and a hold."""
    monkeypatch.setattr(demo_week, "WEEK", timedelta(days=1))
    hours = [timedelta(hours=4), timedelta(hours=9)]
    example = replace(
        demo.COHORT_DEMO,
        revisions=tuple(
            replace(each, after=after)
            for each, after in zip(demo.COHORT_DEMO.revisions, hours, strict=True)
        ),
        holds=(demo.Hold("speech", timedelta(hours=12), timedelta(hours=13), "Maintenance"),),
    )
    owner = create_user("owner@localhost", PASSWORD)
    people = {create_user(email, None): role for email, role in demo.PEOPLE.items()}
    return demo.create_with_history(owner, people, example, _NOW, lambda text: None)


def test_simulated_history_ends_when_the_demo_is_created(simulated: Organization) -> None:
    begin = datetime(2026, 3, 11, 15, 0, tzinfo=UTC)
    assert (simulated.created_at, simulated.simulated_until) == (begin, _NOW)
    for rows, column in (
        (Workload.objects.filter(org=simulated), "submitted_at"),
        (Decision.objects.filter(org=simulated), "created_at"),
        (Event.objects.filter(org=simulated), "created_at"),
        (AuditEntry.objects.filter(org=simulated), "created_at"),
    ):
        times = rows.aggregate(first=Min(column), last=Max(column))
        assert begin <= times["first"] < times["last"] <= _NOW, column
    assert timezone.now() > _NOW + timedelta(days=1)


def test_simulated_versions_end_with_the_text_of_the_demo(simulated: Organization) -> None:
    versions = list(ConfigVersion.objects.filter(org=simulated).order_by("number"))
    assert [each.message for each in versions] == [
        "Two teams share one cohort",
        "Four more GPUs for vision",
        "Keep four GPUs of vision that are never lent",
    ]
    assert versions[-1].text == demo.COHORT_DEMO.text
    assert len({each.text for each in versions}) == 3


def test_simulated_samples_have_no_gaps(simulated: Organization) -> None:
    hours = SampledHour.objects.filter(org=simulated).order_by("start")
    assert [each.minutes for each in hours] == [(1 << 60) - 1] * 24 + [(1 << 42) - 1]
    assert set(SeriesPoint.objects.filter(org=simulated).values_list("step", flat=True)) == {
        Step.MINUTE,
        Step.HOUR,
        Step.DAY,
    }


def test_simulated_batches_are_all_in_the_accounts(simulated: Organization) -> None:
    clock = AccountClock.objects.get(pk=simulated.pk)
    assert clock.engine_version == Engine.objects.get(pk=simulated.pk).version
    assert clock.counted_until == milliseconds(_NOW.replace(minute=0, second=0))
    used = Counter[str]()
    for requests in Workload.objects.filter(org=simulated, state=State.ADMITTED).values_list(
        "requests", flat=True
    ):
        used.update(requests)
    held = Counter[str]()
    for resource, amount in Account.objects.filter(org=simulated).values_list("resource", "held"):
        held[resource] += int(amount)
    assert held == used
    assert AccountedHour.objects.filter(org=simulated).exists()


def test_owner_gets_one_password_when_the_start_has_succeeded(db: None) -> None:
    first_start.fill_empty_database(with_demo=False, say=lambda text: None)
    assert not User.objects.get().has_usable_password()
    welcome = first_start.welcome_owner()
    assert welcome is not None
    assert User.objects.get(email=welcome.email).check_password(welcome.password)
    first_start.fill_empty_database(with_demo=False, say=lambda text: None)
    assert first_start.welcome_owner() is None
