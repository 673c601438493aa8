"""Celery tasks of series: they pass the time to services, one task per organization."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from console.celery import BACKGROUND
from console.queue_backlog import send_to_each
from console.series.services.forget_series import forget_series
from console.series.services.measure_usage import due_for_measuring, measure_usage
from console.series.services.roll_up import due_for_rolling, roll_up_org
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs

_SAMPLE_ONE = "console.series.tasks.sample_one"
_MEASURE_ONE = "console.series.tasks.measure_one"
_ROLL_ONE = "console.series.tasks.roll_one"


@shared_task(name="console.series.tasks.sample")
def sample() -> None:
    """
    Sample all organizations: changed ones in their own tasks.

    Then measure past usage for those whose policy reads it.
    """
    now = timezone.now()
    send_to_each(_SAMPLE_ONE, sample_orgs(now), BACKGROUND, expires=20)
    send_to_each(_MEASURE_ONE, due_for_measuring(now), BACKGROUND, expires=20)


@shared_task(name=_SAMPLE_ONE)
def sample_one(org_id: int) -> None:
    """Sample one organization, unless the minute is already sampled."""
    sample_org(org_id, timezone.now())


@shared_task(name=_MEASURE_ONE)
def measure_one(org_id: int) -> None:
    """Measure past usage for one organization, unless the minute is already measured."""
    measure_usage(org_id, timezone.now())


@shared_task(name="console.series.tasks.roll")
def roll() -> None:
    """Enqueue roll-ups for all organizations with minutes."""
    send_to_each(_ROLL_ONE, due_for_rolling(timezone.now()), BACKGROUND, expires=240)


@shared_task(name=_ROLL_ONE)
def roll_one(org_id: int) -> None:
    """Roll up the minutes of one organization, up to the limit of a pass."""
    roll_up_org(org_id, timezone.now())


@shared_task(name="console.series.tasks.forget")
def forget() -> None:
    """Delete expired rows."""
    forget_series(timezone.now())
