"""The demo organizations show what the console explains, after a few minutes of their traffic."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from random import Random

import pytest
from django.utils import timezone

from console.engine.model.reasons import ReasonClass, reason_of
from console.orgs.models import Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.supervisor import demo, demo_week, first_start
from console.traffic.mix import workload
from console.workloads.models import Decision, State
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


def test_owner_gets_one_password_when_the_start_has_succeeded(db: None) -> None:
    first_start.fill_empty_database(with_demo=False, say=lambda text: None)
    assert not User.objects.get().has_usable_password()
    welcome = first_start.welcome_owner()
    assert welcome is not None
    assert User.objects.get(email=welcome.email).check_password(welcome.password)
    first_start.fill_empty_database(with_demo=False, say=lambda text: None)
    assert first_start.welcome_owner() is None
