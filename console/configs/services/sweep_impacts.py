"""Maintain impact runs: enqueue or fail runs without progress, and delete expired ones."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone

from console.configs.models import ImpactRun
from console.configs.retention import IMPACTS_KEPT
from console.configs.services.find_impact import enqueue
from console.configs.services.run_impact import WORKER_GONE
from console.retention.models import Kind
from console.retention.record_deletions import record_deletions

#: Time without progress after which the worker of a run is considered dead, or a message lost.
SILENCE = timedelta(seconds=30)

#: Maximum time that a run waits for a worker.
PATIENCE = timedelta(minutes=10)

#: Maximum number of ended runs kept for one organization. A result can have megabytes; the number
#: exceeds that of the runs for the drafts of a week.
MOST_KEPT = 200

#: Rows deleted by one statement, so that other writers do not wait long.
_ROWS = 50


def sweep_impacts() -> None:
    """Enqueue waiting runs again, and fail runs whose worker is dead or that waited too long."""
    now = timezone.now()
    silent = ImpactRun.objects.filter(seen_at__lt=now - SILENCE)
    running = silent.filter(state=ImpactRun.State.RUNNING)
    running.filter(is_cancelled=True).update(state=ImpactRun.State.CANCELLED, ended_at=now)
    running.update(
        state=ImpactRun.State.FAILED,
        error=WORKER_GONE,
        ended_at=now,
    )
    waiting = silent.filter(state=ImpactRun.State.WAITING)
    waiting.filter(created_at__lt=now - PATIENCE).update(
        state=ImpactRun.State.FAILED,
        error=f"No worker started this run within {PATIENCE.seconds // 60} minutes. "
        "Ask the operator of this installation for a worker that serves the queue impact.",
        ended_at=now,
    )
    for run_id in list(waiting.values_list("pk", flat=True)):
        waiting.filter(pk=run_id).update(seen_at=now)
        enqueue(run_id)


def forget_impacts() -> int:
    """Delete ended runs that are expired or exceed `MOST_KEPT`; return their number."""
    ended = ImpactRun.objects.filter(ended_at__isnull=False)
    forgotten: Counter[int] = Counter()
    _delete(ended.filter(ended_at__lt=timezone.now() - IMPACTS_KEPT), forgotten)
    crowds = ended.order_by().values_list("org").annotate(runs=Count("pk"))
    for org, _ in list(crowds.filter(runs__gt=MOST_KEPT)):
        of_org = ended.filter(org=org)
        kept = of_org.order_by("-pk").values_list("pk", flat=True)[:MOST_KEPT]
        _delete(of_org.filter(pk__lt=min(kept)), forgotten)
    return record_deletions(Kind.IMPACTS, forgotten)


def _delete(runs: QuerySet[ImpactRun], forgotten: Counter[int]) -> None:
    """Delete *runs*, and add their number to *forgotten* by organization."""
    while rows := dict(runs.order_by("pk").values_list("pk", "org_id")[:_ROWS]):
        ImpactRun.objects.filter(pk__in=list(rows)).delete()
        forgotten.update(rows.values())
