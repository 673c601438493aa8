"""
Run a complete search for changes, and store its findings in its `SearchRun`.

A search reads rows without locks, so that admission continues concurrently. It stores its
progress repeatedly. It stops when it is canceled or when its workload is no longer pending.
"""

from __future__ import annotations

import time
from datetime import timedelta

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from console.workloads.models import Engine, SearchRun, State, Workload
from console.workloads.services.search_changes import search
from console.workloads.services.search_fully import send
from console.workloads.stored_findings import findings_to_json

#: Limits of a complete search in evaluations and seconds; the time limit of a task is 60 seconds.
BUDGET, SECONDS = 20_000, 45.0

#: Seconds between two updates of the progress.
PACE = 0.25

#: Silence after which the worker of a search counts as gone; maximum wait for a worker; retention
#: of ended searches.
SILENCE, PATIENCE, KEPT = timedelta(seconds=90), timedelta(minutes=10), timedelta(hours=1)

WORKER_GONE = "The worker that ran the search has stopped. Start the search again."

log = structlog.get_logger("console.searches")


def run_search(run_id: int) -> None:
    """Run a waiting search and store its findings; no effect for a search in another state."""
    waiting = SearchRun.objects.filter(pk=run_id, state=SearchRun.State.WAITING)
    if not waiting.update(state=SearchRun.State.RUNNING, seen_at=timezone.now()):
        return
    run = SearchRun.objects.select_related("workload__org").get(pk=run_id)
    try:
        _search(run)
    except SoftTimeLimitExceeded:
        fail_search(run_id, "It exceeded the time limit of a search.")
    except BaseException:
        fail_search(run_id, "It failed with an error; see the log of the worker.")
        raise


def fail_search(run_id: int, sentence: str) -> None:
    """Store that a running search ended without findings, and the reason."""
    _end(run_id, SearchRun.State.FAILED, error=sentence)


def sweep_searches() -> None:
    """Enqueue waiting searches again, fail those without a worker, and delete expired ones."""
    now = timezone.now()
    silent = SearchRun.objects.filter(seen_at__lt=now - SILENCE, state=SearchRun.State.RUNNING)
    silent.filter(is_cancelled=True).update(state=SearchRun.State.CANCELLED, ended_at=now)
    silent.update(state=SearchRun.State.FAILED, error=WORKER_GONE, ended_at=now)
    waiting = SearchRun.objects.filter(state=SearchRun.State.WAITING)
    waiting.filter(created_at__lt=now - PATIENCE).update(
        state=SearchRun.State.FAILED,
        error=f"No worker started it within {PATIENCE.seconds // 60} minutes. Ask the operator of "
        "this installation for a worker that serves the queue impact.",
        ended_at=now,
    )
    for run_id in list(waiting.filter(seen_at__lt=now - SILENCE).values_list("pk", flat=True)):
        waiting.filter(pk=run_id).update(seen_at=now)
        send(run_id)
    SearchRun.objects.filter(ended_at__lt=now - KEPT).delete()


def _search(run: SearchRun) -> None:
    progress = _Progress(run)
    engine = Engine.objects.get(org=run.org_id)
    found = search(
        run.workload, engine, progress.should_stop, BUDGET, progress.note, is_thorough=True
    )
    if progress.is_unwanted or not progress.is_wanted():
        _end(run.pk, SearchRun.State.CANCELLED)
    elif found is None:
        fail_search(
            run.pk, ("The engine was about to decide about the workload. Start the search again.")
        )
    else:
        _end(
            run.pk,
            SearchRun.State.DONE,
            result=findings_to_json(found),
            config_version=engine.config_version,
            tried=found.tried,
            total=found.tried + found.untried,
        )


def _end(run_id: int, state: SearchRun.State, **values: object) -> None:
    SearchRun.objects.filter(pk=run_id, state=SearchRun.State.RUNNING).update(
        state=state, ended_at=timezone.now(), **values
    )


class _Progress:
    """The progress of a search, and whether it should continue."""

    def __init__(self, run: SearchRun) -> None:
        self._run = run
        self._tried = self._total = 0
        self._ends = time.monotonic() + SECONDS
        self._looked = 0.0
        #: Whether it was canceled or failed, or its workload is no longer pending.
        self.is_unwanted = False

    def note(self, tried: int, total: int) -> None:
        """Record how many candidates of *total* were tried."""
        self._tried, self._total = tried, total

    def should_stop(self) -> bool:
        """Return whether the search has to stop; stores its progress every PACE seconds."""
        now = time.monotonic()
        if now - self._looked >= PACE:
            self._looked = now
            self.is_unwanted = not self.is_wanted()
        return self.is_unwanted or now >= self._ends

    def is_wanted(self) -> bool:
        """Store the progress, and return whether the search is still wanted."""
        wanted = SearchRun.objects.filter(
            pk=self._run.pk, state=SearchRun.State.RUNNING, is_cancelled=False
        )
        waits = Workload.objects.filter(pk=self._run.workload_id, state=State.PENDING)
        updated = wanted.update(tried=self._tried, total=self._total, seen_at=timezone.now())
        return bool(updated) and waits.exists()
