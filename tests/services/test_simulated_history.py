"""The simulated history with which the demo organizations begin."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Max, Min
from django.utils import timezone

from console.accounting.models import Account, AccountClock, AccountedHour
from console.orgs.models import AuditEntry, Organization
from console.orgs.services.create_user import create_user
from console.policies.models import ConfigVersion
from console.series.models import SampledHour, SeriesPoint, Step
from console.supervisor import demo, demo_week
from console.time_formats import milliseconds
from console.workloads.models import Decision, Engine, Event, State, Workload
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

#: The end of a simulated day, which is not a full minute.
_NOW = datetime(2026, 3, 12, 15, 42, 10, tzinfo=UTC)


@pytest.fixture(scope="module")
def simulated(standing: None) -> Organization:
    """A demo organization with a simulated day, two versions and a hold."""
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_week, "WEEK", timedelta(days=1))
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
