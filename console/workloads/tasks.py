"""Celery tasks of the workloads app; each one calls a service."""

from __future__ import annotations

from datetime import timedelta

from celery import Task, shared_task
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from console import heartbeat
from console.time_formats import milliseconds
from console.workloads import wakeup
from console.workloads.models import Engine, Intake
from console.workloads.services.forget_answers import forget_answers
from console.workloads.services.forget_events import forget_events
from console.workloads.services.forget_shapes import forget_shapes
from console.workloads.services.forget_workloads import forget_workloads
from console.workloads.services.resume_expired import resume_expired
from console.workloads.services.run_search import (
    WORKER_GONE,
    fail_search,
    run_search,
    sweep_searches,
)
from console.workloads.services.run_shard import run_shard
from console.workloads.services.search_fully import SEARCH

#: The sweep handles intake and engines that are older than this.
_OVERDUE = timedelta(seconds=2)

#: Time limit of a turn of a shard, in seconds; most take less than 0.1. To load a state with
#: millions of workloads takes minutes, and starts over if it is cut off. The message is delivered
#: again in the meantime, and its worker finds the lease taken.
_TIME_LIMIT = 1800

#: Rows with a time this far in the future come from a wrong clock, so the sweep handles them too.
_CLOCK_SKEW = timedelta(seconds=2)


@shared_task(name=wakeup.ADMIT, soft_time_limit=_TIME_LIMIT, time_limit=_TIME_LIMIT + 60)
def admit(shard: str, message: str) -> None:
    """Run the engines of all organizations with a wakeup in a shard."""
    if wakeup.begin(shard, message):
        run_shard(shard)


@shared_task(name="console.workloads.tasks.sweep")
def sweep() -> None:
    """Wake up the engine of each organization with overdue work, and send a worker heartbeat."""
    heartbeat.beat()
    waiting = Intake.objects.filter(_is_overdue("created_at")).order_by()
    due = Engine.objects.filter(wakes_at__lte=milliseconds(timezone.now()))
    unsettled = Engine.objects.filter(_is_overdue("settled_at"), is_settled=False)
    orgs = {
        *waiting.values_list("org_id", flat=True).distinct(),
        *unsettled.values_list("pk", flat=True),
        *due.values_list("pk", flat=True),
    }
    for org_id in sorted(orgs):
        wakeup.send(org_id)


def _is_overdue(column: str) -> Q:
    now = timezone.now()
    return Q(**{f"{column}__lt": now - _OVERDUE}) | Q(**{f"{column}__gt": now + _CLOCK_SKEW})


@shared_task(name="console.workloads.tasks.tidy")
def tidy() -> None:
    """Delete expired idempotent answers and recorded shapes."""
    forget_answers()
    forget_shapes()


@shared_task(name="console.workloads.tasks.forget")
def forget() -> None:
    """Delete some of the expired events; a small number, because the task runs often."""
    forget_events(settings.EVENT_RETENTION_DAYS)


@shared_task(name="console.workloads.tasks.forget_ended")
def forget_ended() -> None:
    """Delete some of the expired workloads; a small number, because the task runs often."""
    forget_workloads(settings.WORKLOAD_RETENTION_DAYS)


@shared_task(name=SEARCH, bind=True)
def search(self: Task[[int], None], run_id: int) -> None:
    """Run one complete search; a redelivered one fails, because its worker died."""
    if self.request.delivery_info and self.request.delivery_info.get("redelivered"):
        fail_search(run_id, WORKER_GONE)
    run_search(run_id)


@shared_task(name="console.workloads.tasks.sweep_search_runs")
def sweep_search_runs() -> None:
    """Recover or expire searches that no worker has finished."""
    sweep_searches()


@shared_task(name="console.workloads.tasks.resume")
def resume() -> None:
    """Resume the queues whose holds have expired."""
    resume_expired()
