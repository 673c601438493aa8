"""
Bring one whole search to its end and write its answer down: the work behind a `SearchRun`.

It reads rows and takes no lock, so that admission goes on beside it. Now and then it notes how
far it is; when it was cancelled meanwhile, or its workload does not wait any more, it stops.
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

#: Limits of a complete search: evaluations, and seconds; a task may take 60.
BUDGET, SECONDS = 20_000, 45.0

#: Seconds between two notes of how far a run is.
PACE = 0.25

#: Silence after which the worker of a run counts as gone; how long one waits for a worker; how
#: long what ended is kept.
SILENCE, PATIENCE, KEPT = timedelta(seconds=90), timedelta(minutes=10), timedelta(hours=1)

WORKER_GONE = "The worker that ran the search has stopped. Start the search again."

log = structlog.get_logger("console.searches")


def run_search(run_id: int) -> None:
    """Find the answer of a run that waits, and write it down; others are left alone."""
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
    """Note that a run ended without an answer, and why."""
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
    """How far a run is, and whether it is to go on."""

    def __init__(self, run: SearchRun) -> None:
        self._run = run
        self._tried = self._total = 0
        self._ends = time.monotonic() + SECONDS
        self._looked = 0.0
        #: It was cancelled, or given up, or its workload does not wait any more.
        self.is_unwanted = False

    def note(self, tried: int, total: int) -> None:
        """Take in how many candidates of how many were tried."""
        self._tried, self._total = tried, total

    def should_stop(self) -> bool:
        """Say whether it is to end; writes down how far it is now and then."""
        now = time.monotonic()
        if now - self._looked >= PACE:
            self._looked = now
            self.is_unwanted = not self.is_wanted()
        return self.is_unwanted or now >= self._ends

    def is_wanted(self) -> bool:
        """Write down how far it is; say whether it is still wanted."""
        wanted = SearchRun.objects.filter(
            pk=self._run.pk, state=SearchRun.State.RUNNING, is_cancelled=False
        )
        waits = Workload.objects.filter(pk=self._run.workload_id, state=State.PENDING)
        updated = wanted.update(tried=self._tried, total=self._total, seen_at=timezone.now())
        return bool(updated) and waits.exists()
