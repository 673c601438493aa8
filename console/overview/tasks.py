"""Celery tasks of the overview, one for each organization."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from console.celery import BACKGROUND, CHECK_UPS
from console.overview.services.check_up import check_up, due_check_ups
from console.overview.services.count_attention import count_attention, due_attention_counts
from console.overview.services.measure_consumers import due_consumptions, measure_consumers
from console.queue_backlog import send_to_each

_LOOK_OUT = "console.overview.tasks.look_out_one"
_CHECK_UP = "console.overview.tasks.check_up_one"
_MEASURE = "console.overview.tasks.measure_one"


@shared_task(name="console.overview.tasks.look")
def look() -> None:
    """Enqueue a task for each due organization."""
    now = timezone.now()
    for name, keys, queue in (
        (_CHECK_UP, due_check_ups(now), CHECK_UPS),
        (_MEASURE, due_consumptions(now), CHECK_UPS),
        (_LOOK_OUT, due_attention_counts(now), BACKGROUND),
    ):
        send_to_each(name, keys, queue, expires=20)


@shared_task(name=_LOOK_OUT)
def look_out_one(org_id: int) -> None:
    """Count the attention items of one organization."""
    count_attention(org_id, timezone.now())


@shared_task(name=_CHECK_UP)
def check_up_one(org_id: int) -> None:
    """Check one active version against expectations and history."""
    check_up(org_id, timezone.now())


@shared_task(name=_MEASURE)
def measure_one(org_id: int) -> None:
    """Measure the top consumers of one organization."""
    measure_consumers(org_id, timezone.now())
