"""Tasks of series: they give services the time, and spread organizations over workers."""

from __future__ import annotations

from celery import current_app, shared_task
from django.utils import timezone

from console.celery import lane_of
from console.series.services.forget_series import forget_series
from console.series.services.roll_up import roll_up
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs

_SAMPLE_ONE = "console.series.tasks.sample_one"


@shared_task(name="console.series.tasks.sample")
def sample() -> None:
    """Sample everybody: those where something changed where their config is at hand."""
    for org_id in sample_orgs(timezone.now()):
        current_app.send_task(_SAMPLE_ONE, args=[org_id], queue=lane_of(org_id), expires=20)


@shared_task(name=_SAMPLE_ONE)
def sample_one(org_id: int) -> None:
    """Sample one organization, unless this minute was."""
    sample_org(org_id, timezone.now())


@shared_task(name="console.series.tasks.roll")
def roll() -> None:
    """Roll minutes up to hours and days."""
    roll_up(timezone.now())


@shared_task(name="console.series.tasks.forget")
def forget() -> None:
    """Forget what is older than it is kept."""
    forget_series(timezone.now())
