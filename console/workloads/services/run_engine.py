"""
Run an organization's engine: apply intake, decide, write, and check for new intake.

Rows are the source of truth. Facts are read and decided on outside of transactions. Then one
short transaction writes everything or nothing, under the lease's fencing number and the engine's
version. A crash at any point loses nothing, because what was not written is read again from rows.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from console import statements
from console.bulk import delete_keys
from console.logs import workload_fields
from console.orgs.models import Organization
from console.tracing.spans import note, span
from console.workloads import models
from console.workloads.lease import (
    EngineProgress,
    Lease,
    LeaseLostError,
    is_due,
    leased,
    read_engine_row,
)
from console.workloads.models import Intake
from console.workloads.services.aggregates import aggregates
from console.workloads.services.apply_intake import apply_intake
from console.workloads.services.batch import Batch
from console.workloads.services.batch_observers import DecidedBatch, observe_batch
from console.workloads.services.find_transitions import transitions_of
from console.workloads.services.keep_usage_history import store_usage_history
from console.workloads.services.load_state import load_state
from console.workloads.services.next_intake import next_intake
from console.workloads.services.quota_events import loans_made
from console.workloads.services.update_over_quota import OverQuotaRows
from console.workloads.warm_states import WarmState, WarmStates

#: Maximum number of workloads applied in one batch, and of decisions after which it is written.
BATCH = 1000

#: Maximum number of workloads whose quota one batch releases. It is larger than BATCH, because a
#: release is cheap, and unused quota that is not released makes queues preempt one another.
RETURNED = 5 * BATCH

#: Seconds after which an organization with remaining work gives way to others of its shard.
SLICE = 0.2

#: Pause without the write lock between two batches on SQLite, in seconds at most, and as a
#: fraction of the batch. SQLite's lock is unfair: a writer without pauses starves web processes.
PAUSE, PAUSED = 0.02, 0.1

log = structlog.get_logger("console.engine")


#: States that this process keeps between runs.
_warm = WarmStates(settings.WARM_WORKLOADS)


class RunResult(NamedTuple):
    """The result of a run."""

    #: Number of decisions.
    decisions: int
    #: Whether work remains for lack of time, and no other process does it.
    is_cut_short: bool


def run_engine(org_id: int, seconds: float = SLICE) -> RunResult:
    """
    Decide all pending requests of the organization.

    Does nothing if there is nothing to do, such as after an earlier run, or if another process runs
    this engine, because that process checks for work again after its release. Stops after about
    *seconds*, but not before one batch.
    """
    deadline = time.monotonic() + seconds
    decided = 0
    row = read_engine_row(org_id)
    while row.has_work:
        # Values in the order of the model's columns; other fields are read on access.
        columns = (org_id, row.slug, row.name)
        org = Organization.from_db(connection.alias, ("id", "slug", "name"), columns)
        with structlog.contextvars.bound_contextvars(org=org.slug), leased(org_id, row) as lease:
            if lease is None:
                return RunResult(decided, False)
            try:
                decided += _run_batches(org, lease, deadline)
            except LeaseLostError:
                _warm.drop(org_id)
                log.warning("lease lost, nothing written")
                deadline = 0
            except BaseException:
                # The state contains facts that were not written.
                _warm.drop(org_id)
                raise
        # Requests may have been accepted between the last check and the release.
        row = read_engine_row(org_id)
        if not _has_time(deadline):
            return RunResult(decided, row.has_work and not row.is_held)
    return RunResult(decided, False)


def forget_states() -> None:
    """Drop all cached states; the next run loads them from rows."""
    _warm.clear()


def _run_batches(org: Organization, lease: Lease, deadline: float) -> int:
    decided = 0
    begun = time.monotonic()
    warm = _state(org, lease)
    # The run takes at least as long as the load, because the state may be dropped for another one.
    deadline = max(deadline, 2 * time.monotonic() - begun)
    while True:
        # Decisions about earlier facts are completed before new ones are applied. So a loaded
        # state has restored its queues first, and an early end does not change decisions.
        settled = warm.state.is_settled
        intake, is_all = next_intake(org.pk, BATCH, RETURNED) if settled else ([], False)
        # A loaded state may have nothing left to decide although its rows are marked as unsettled.
        if settled and not intake and warm.is_noted_settled and not is_due(warm.wakes_at):
            break
        lease.renew_if_aged()
        begun = time.monotonic()
        with span("batch", org=org.slug):
            decided += _run_batch(org, lease, warm, intake)
        if connection.vendor == "sqlite":
            time.sleep(min(PAUSE, PAUSED * (time.monotonic() - begun)))
        # Not checked before the first batch, so that every run makes progress after a long load.
        # If nothing is left to do, the only check for new work is after the release of the lease.
        if (is_all and warm.is_noted_settled) or not _has_time(deadline):
            break
    _warm.keep(org.pk, warm)
    return decided


def _has_time(deadline: float) -> bool:
    return time.monotonic() < deadline


def _state(org: Organization, lease: Lease) -> WarmState:
    row = lease.row
    warm = _warm.get(org.pk)
    if warm is None or (warm.version, warm.written) != (row.version, row.written):
        begun = time.perf_counter()
        state = load_state(org, row.config_version, lease.renew_if_aged)
        over_quota_rows = OverQuotaRows(org.pk)
        warm = WarmState(
            version=row.version,
            written=row.written,
            config_version=row.config_version,
            state=state,
            over_quota_rows=over_quota_rows,
            is_noted_settled=row.is_settled,
            wakes_at=row.wakes_at,
            load=time.perf_counter() - begun,
        )
    return warm


def _run_batch(org: Organization, lease: Lease, warm: WarmState, intake: list[Intake]) -> int:
    begun = time.perf_counter()
    batch = Batch(org_id=org.pk, config_version=warm.config_version, now=timezone.now())
    warm.config_version = apply_intake(org, warm.state, intake, batch)
    decisions = warm.state.settle(BATCH)
    batch.decide(decisions, loans_made(warm.state, decisions))
    changes = warm.state.take_changes()
    statements_to_run = [*batch.prepare(), *aggregates(org.pk, warm.state, changes)]
    decided = DecidedBatch(
        org=org,
        batch=batch,
        version=warm.version + 1,
        state=warm.state,
        changes=changes,
        transitions=transitions_of(batch, warm.state),
        intake_waits=[(batch.now - item.created_at).total_seconds() for item in intake],
        begun=begun,
        load=warm.load,
    )
    observed = observe_batch(decided)
    statements_to_run += [statement for writes in observed for statement in writes.statements]
    statements_to_run.append(delete_keys(Intake, (item.pk for item in intake)))
    progress = _progress(warm, batch)
    with transaction.atomic():
        written = lease.claim_write(warm.version, progress)
        with statements.pipeline():
            for rows in statements_to_run:
                rows.run()
        if batch.preempted:
            _count_preemptions(batch.preempted)
        if batch.changes_usage_history:
            store_usage_history(warm.state, org.pk)
        warm.over_quota_rows.update(warm.state, changes.queues, warm.config_version, batch.now)
        for writes in observed:
            if writes.finish is not None:
                writes.finish()
    warm.version += 1
    warm.written = written
    warm.is_noted_settled = progress.is_settled
    warm.wakes_at = progress.wakes_at
    warm.load = None
    log.info(
        "batch decided",
        version=warm.version,
        config_version=warm.config_version,
        intake=len(intake),
        decisions=len(batch.decisions),
        **workload_fields(each.decision.workload for each in batch.decisions),
        milliseconds=round((time.perf_counter() - begun) * 1000, 1),
    )
    note(
        version=warm.version,
        config_version=warm.config_version,
        intake=len(intake),
        workloads=sum(item.size for item in intake),
        decisions=len(batch.decisions),
    )
    return len(batch.decisions)


def _count_preemptions(uids: list[str]) -> None:
    models.Workload.objects.filter(uid__in=uids).update(preemptions=F("preemptions") + 1)


def _progress(warm: WarmState, batch: Batch) -> EngineProgress:
    state, evicting = warm.state, len(warm.state.evicting)
    live = {
        models.State.PENDING: len(state.pending),
        models.State.ADMITTED: len(state.running) - evicting,
        models.State.PREEMPTING: evicting,
    }
    return EngineProgress(
        config_version=warm.config_version,
        is_settled=state.is_settled,
        advanced_to=state.now,
        # An unsettled engine continues without a wakeup.
        wakes_at=state.next_wakeup if state.is_settled else None,
        live=live,
        ended=batch.ended,
    )
