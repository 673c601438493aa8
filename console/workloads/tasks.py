"""Tasks: five lines each, they load ids and call one service."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from console import health
from console.workloads import nudge
from console.workloads.models import Intake
from console.workloads.services.run_engine import run_engine

#: Intake older than this was not picked up by its own nudge.
_FORGOTTEN = timedelta(seconds=2)


@shared_task(name=nudge.ADMIT)
def admit(org_id: int) -> None:
    """Run one organization's engine."""
    nudge.received(org_id)
    run_engine(org_id)


@shared_task(name="console.workloads.tasks.sweep")
def sweep() -> None:
    """Nudge every organization whose intake waits too long, and note that a worker is alive."""
    health.beat()
    old = Intake.objects.filter(created_at__lt=timezone.now() - _FORGOTTEN)
    for org_id in old.order_by().values_list("org_id", flat=True).distinct():
        nudge.send(org_id)
