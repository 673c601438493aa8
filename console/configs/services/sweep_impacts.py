"""Find impact questions that were left lying, by a message that was lost or a worker that died."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from console.configs.models import ImpactRun
from console.configs.services.find_impact import send
from console.configs.services.run_impact import WORKER_GONE

#: Silence after which the worker of a run counts as gone.
SILENCE = timedelta(seconds=30)

#: How long a question may wait for a worker.
PATIENCE = timedelta(minutes=10)

#: How long what has ended can be looked at.
KEPT = timedelta(days=7)


def sweep_impacts() -> None:
    """Ask again for what waits, and give up what nobody answers."""
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
        error=f"No worker took it up within {PATIENCE.seconds // 60} minutes. "
        "Ask whoever runs this installation for a worker that serves the queue impact.",
        ended_at=now,
    )
    for run_id in list(waiting.values_list("pk", flat=True)):
        waiting.filter(pk=run_id).update(seen_at=now)
        send(run_id)


def forget_impacts() -> None:
    """Delete what ended long ago."""
    ImpactRun.objects.filter(ended_at__lt=timezone.now() - KEPT).delete()
