"""Find impact runs without progress, after a lost message or the death of a worker."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db.models import Count, QuerySet
from django.utils import timezone

from console.configs.models import ImpactRun
from console.configs.retention import IMPACTS_KEPT
from console.configs.services.find_impact import send
from console.configs.services.run_impact import WORKER_GONE
from console.retention.models import Kind
from console.retention.note import note

#: Silence after which the worker of a run counts as gone.
SILENCE = timedelta(seconds=30)

#: How long a run can wait for a worker.
PATIENCE = timedelta(minutes=10)

#: Ended runs of one organization that are kept. An answer may have megabytes; these are more than
#: the questions about the drafts of a week.
MOST_KEPT = 200

#: Rows of one statement, so that other writers need not wait long.
_ROWS = 50


def sweep_impacts() -> None:
    """Enqueue waiting runs again, and fail those without a worker."""
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
        error=f"No worker started it within {PATIENCE.seconds // 60} minutes. "
        "Ask the operator of this installation for a worker that serves the queue impact.",
        ended_at=now,
    )
    for run_id in list(waiting.values_list("pk", flat=True)):
        waiting.filter(pk=run_id).update(seen_at=now)
        send(run_id)


def forget_impacts() -> int:
    """Delete what ended long ago, or long before newer ones of the same organization."""
    ended = ImpactRun.objects.filter(ended_at__isnull=False)
    forgotten: Counter[int] = Counter()
    _delete(ended.filter(ended_at__lt=timezone.now() - IMPACTS_KEPT), forgotten)
    crowds = ended.order_by().values_list("org").annotate(runs=Count("pk"))
    for org, _ in list(crowds.filter(runs__gt=MOST_KEPT)):
        of_org = ended.filter(org=org)
        kept = of_org.order_by("-pk").values_list("pk", flat=True)[:MOST_KEPT]
        _delete(of_org.filter(pk__lt=min(kept)), forgotten)
    return note(Kind.IMPACTS, forgotten)


def _delete(runs: QuerySet[ImpactRun], forgotten: Counter[int]) -> None:
    """Delete *runs*, and count those of each organization."""
    while rows := dict(runs.order_by("pk").values_list("pk", "org_id")[:_ROWS]):
        ImpactRun.objects.filter(pk__in=list(rows)).delete()
        forgotten.update(rows.values())
