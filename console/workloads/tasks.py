"""Tasks: five lines each, they load ids and call one service."""

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

#: What is older than this was not picked up by its own nudge.
_FORGOTTEN = timedelta(seconds=2)

#: Seconds for a shard's turn, which is mostly over in a tenth of one. A state of millions of
#: workloads is read from rows for minutes, from the beginning again if that is cut off. The message
#: comes again meanwhile, and finds that somebody has the lease.
_PATIENCE = 1800

#: What is so far ahead was written by a clock that is wrong, or is read by one; it counts, too.
_AHEAD = timedelta(seconds=2)


@shared_task(name=wakeup.ADMIT, soft_time_limit=_PATIENCE, time_limit=_PATIENCE + 60)
def admit(shard: str, message: str) -> None:
    """Run the engines of everybody who is nudged in a shard."""
    if wakeup.begin(shard, message):
        run_shard(shard)


@shared_task(name="console.workloads.tasks.sweep")
def sweep() -> None:
    """Nudge every organization with work left lying or due, and note that a worker is alive."""
    heartbeat.beat()
    waiting = Intake.objects.filter(_not_lately("created_at")).order_by()
    due = Engine.objects.filter(wakes_at__lte=milliseconds(timezone.now()))
    cut_short = Engine.objects.filter(_not_lately("settled_at"), is_settled=False)
    orgs = {
        *waiting.values_list("org_id", flat=True).distinct(),
        *cut_short.values_list("pk", flat=True),
        *due.values_list("pk", flat=True),
    }
    for org_id in sorted(orgs):
        wakeup.send(org_id)


def _not_lately(column: str) -> Q:
    now = timezone.now()
    return Q(**{f"{column}__lt": now - _FORGOTTEN}) | Q(**{f"{column}__gt": now + _AHEAD})


@shared_task(name="console.workloads.tasks.tidy")
def tidy() -> None:
    """Forget what is only kept for a while."""
    forget_answers()
    forget_shapes()


@shared_task(name="console.workloads.tasks.forget")
def forget() -> None:
    """Forget some of the events that are too old: few at a time, for it comes often."""
    forget_events(settings.EVENT_RETENTION_DAYS)


@shared_task(name="console.workloads.tasks.forget_ended")
def forget_ended() -> None:
    """Forget some of the workloads that ended too long ago: few at a time, for it comes often."""
    forget_workloads(settings.WORKLOAD_RETENTION_DAYS)


@shared_task(name=SEARCH, bind=True)
def search(self: Task[[int], None], run_id: int) -> None:
    """Bring one search to its end; one that comes back was begun by a worker that died."""
    if self.request.delivery_info and self.request.delivery_info.get("redelivered"):
        fail_search(run_id, WORKER_GONE)
    run_search(run_id)


@shared_task(name="console.workloads.tasks.sweep_search_runs")
def sweep_search_runs() -> None:
    """Find searches that were left lying."""
    sweep_searches()


@shared_task(name="console.workloads.tasks.resume")
def resume() -> None:
    """Resume the queues whose holds are over."""
    resume_expired()
