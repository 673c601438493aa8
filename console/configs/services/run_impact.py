"""
Compute an impact run: the impact of its text on live and recorded workloads.

The computation reads a snapshot and takes neither lease nor lock, so that admission continues. It
stores its progress at intervals. If the run was cancelled or failed by the sweep, that update
changes no row, and the computation stops.
"""

from __future__ import annotations

import time

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from console.chunks import chunks
from console.configs.errors import ConfigRejected
from console.configs.models import ImpactRun
from console.configs.services.check_config import find_dialect
from console.configs.stored_impact import affected_ids, impact_to_json
from console.dialects.objects import find_replacements
from console.engine.impact import history_impact, live_impact
from console.engine.model.policy import Policy
from console.errors import ConsoleError
from console.policies.queries import NO_POLICY, get_version, policy_of
from console.workloads.models import Workload
from console.workloads.queries.history import history_of
from console.workloads.queries.workloads import live_count
from console.workloads.services.load_state import load_policy
from console.workloads.services.snapshot_state import snapshot_state

#: Seconds between two updates of the progress.
PACE = 0.25

#: The error of a run whose worker has died.
WORKER_GONE = "The worker of this run has stopped. Start the run again."

log = structlog.get_logger("console.impact")


class _StoppedError(Exception):
    """The run was cancelled, or failed by the sweep."""


def run_impact(run_id: int) -> None:
    """Compute a waiting run, and store its result; a run in another state is not changed."""
    now = timezone.now()
    waiting = ImpactRun.objects.filter(pk=run_id, state=ImpactRun.State.WAITING)
    if not waiting.update(state=ImpactRun.State.RUNNING, started_at=now, seen_at=now):
        return
    run = ImpactRun.objects.select_related("org").get(pk=run_id)
    try:
        _compute(run)
    except _StoppedError:
        log.info("impact stopped", run=run_id)
    except ConsoleError as error:
        fail_impact(run_id, error.message)
    except SoftTimeLimitExceeded:
        fail_impact(run_id, "The run exceeded its time limit.")
    except BaseException:
        fail_impact(run_id, "The run failed with an error; see the log of the worker.")
        raise


def fail_impact(run_id: int, sentence: str) -> None:
    """Mark a running run as failed, with the cause *sentence*."""
    ImpactRun.objects.filter(pk=run_id, state=ImpactRun.State.RUNNING).update(
        state=ImpactRun.State.FAILED, error=sentence, ended_at=timezone.now()
    )


def _compute(run: ImpactRun) -> None:
    org = run.org
    before = policy_of(get_version(org, run.base)) if run.base else NO_POLICY
    after = _compile(run)
    live = live_count(org)
    progress = _Progress(run.pk, live)
    as_of = timezone.now()
    state, version = snapshot_state(org, progress.read)
    if version != run.base:
        # Version `run.base` was applied a moment ago, and the worker has not loaded it yet.
        state.change_policy(load_policy(org, run.base))
    replaced = find_replacements(before, after, before.queues)
    impact = live_impact(state, after, progress.decide, replaced=replaced)
    # The state has hundreds of thousands of objects; their memory is freed before history is read.
    inventory = state.inventory
    del state
    history = history_of(org)
    progress.begin_history(len(history.shapes))
    compared = history_impact(before, after, history, progress.compare, inventory=inventory)
    ids = sorted(affected_ids(impact))
    names: dict[str, str] = {}
    for some in chunks(ids):
        rows = Workload.objects.filter(org=org, uid__in=some)
        names.update(rows.values_list("uid", "name"))
    progress.end(
        impact_to_json(impact, compared, as_of=as_of, names=names, before=before, after=after)
    )


def _compile(run: ImpactRun) -> Policy:
    # Fixed queue specs were checked when the run was requested.
    reading = find_dialect(run.dialect).read(run.text, {})
    if reading.policy is None:
        raise ConfigRejected(reading)
    return reading.policy


class _Progress:
    """Progress of a run. Live workloads count as two steps: they are read and then decided."""

    def __init__(self, run_id: int, live: int) -> None:
        self._id = run_id
        self._live = live
        self._shapes = 0
        self._stored_at = 0.0

    def read(self, done: int) -> None:
        """Report the number of workloads that were read."""
        self._note(min(done, self._live))

    def decide(self, done: int) -> None:
        """Report the number of workloads that were decided."""
        self._note(self._live + min(done, self._live))

    def begin_history(self, shapes: int) -> None:
        """Set the number of shapes to compare."""
        self._shapes = shapes
        self._stored_at = 0
        self._note(2 * self._live)

    def compare(self, done: int) -> None:
        """Report the number of shapes that were compared."""
        self._note(2 * self._live + done)

    def end(self, result: dict[str, object]) -> None:
        """Store the result, unless the run was cancelled or failed by the sweep."""
        total = 2 * self._live + self._shapes
        now = timezone.now()
        open_runs = ImpactRun.objects.filter(
            pk=self._id, state=ImpactRun.State.RUNNING, is_cancelled=False
        )
        written = open_runs.update(
            state=ImpactRun.State.DONE,
            result=result,
            done=total,
            total=total,
            seen_at=now,
            ended_at=now,
        )
        if not written:
            self._give_up()

    def _note(self, done: int) -> None:
        if time.monotonic() - self._stored_at < PACE:
            return
        self._stored_at = time.monotonic()
        open_runs = ImpactRun.objects.filter(
            pk=self._id, state=ImpactRun.State.RUNNING, is_cancelled=False
        )
        total = 2 * self._live + self._shapes
        if not open_runs.update(done=done, total=total, seen_at=timezone.now()):
            self._give_up()

    def _give_up(self) -> None:
        ImpactRun.objects.filter(
            pk=self._id, state=ImpactRun.State.RUNNING, is_cancelled=True
        ).update(state=ImpactRun.State.CANCELLED, ended_at=timezone.now())
        raise _StoppedError
