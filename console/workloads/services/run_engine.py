"""
Run an organization's engine: take in what was accepted, decide, write, look again.

Rows are the truth. Facts are read and decided on outside any transaction; one
short transaction then writes everything or nothing, under the lease's fencing
number and the engine's version. A crash at any instruction loses nothing: what
was not written is read again from the rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from console import statements
from console.bulk import delete_keys
from console.orgs.models import Organization
from console.series.tallies import tally
from console.telemetry.happenings import counts_of
from console.telemetry.totals import add_totals
from console.tracing.spans import note, span
from console.webhooks.services.tell_of_batch import tell_of_batch
from console.workloads import models
from console.workloads.lease import Lease, LeaseLostError, Standing, leased, look
from console.workloads.models import Intake
from console.workloads.services.aggregates import aggregates
from console.workloads.services.batch import Batch
from console.workloads.services.count_happenings import happenings_of
from console.workloads.services.load_state import load_state
from console.workloads.services.note_rises import Rises
from console.workloads.services.quota_events import loans_made
from console.workloads.services.take_in import take_in
from console.workloads.warm import Warm, WarmStates

#: Workloads that one batch takes in, and decisions after which it is written.
BATCH = 1000

#: Requests that give quota back. They speak of workloads that were taken in long before.
_RETURNING = (Intake.Kind.FINISH, Intake.Kind.RELEASE)

#: Workloads whose quota one batch takes back. Many more than it takes in: to take one back costs
#: little, and quota that nobody uses any more lets queues stop one another for it.
RETURNED = 5 * BATCH

#: Requests that are read at once, as they are: mostly there are no more of them.
FEW = 20

#: Seconds after which an organization that has work left makes room for others of its lane.
SLICE = 0.5

#: Seconds without the write lock between two batches on SQLite, whose lock is
#: unfair: a writer without pauses starves the web processes. At most, and as a share of the batch.
PAUSE, PAUSED = 0.02, 0.1

log = structlog.get_logger("console.engine")


#: States that this process keeps between runs.
_warm = WarmStates(settings.WARM_WORKLOADS)


class Ran(NamedTuple):
    """What a run came to."""

    #: Decisions.
    made: int
    #: Whether there is work that it had no time for, and that nobody else is at.
    is_cut_short: bool


def run_engine(org_id: int, seconds: float = SLICE) -> Ran:
    """
    Decide everything the organization's intake asks for.

    Does nothing when there is nothing to do, as when a run before this one has done it, and
    when another process runs this engine; that one looks again before it leaves. Stops after
    about *seconds*, and not before one batch.
    """
    deadline = time.monotonic() + seconds
    made = 0
    found = look(org_id)
    while found.has_work:
        # Values in the order of a model's own columns; others are read when they are asked.
        columns = (org_id, found.slug, found.name)
        org = Organization.from_db(connection.alias, ("id", "slug", "name"), columns)
        with structlog.contextvars.bound_contextvars(org=org.slug), leased(org_id, found) as lease:
            if lease is None:
                return Ran(made, False)
            try:
                made += _work(org, lease, deadline)
            except LeaseLostError:
                _warm.drop(org_id)
                log.warning("lease lost, nothing written")
                deadline = 0
            except BaseException:
                # Half-used: what it took in was not written.
                _warm.drop(org_id)
                raise
        # Something may have been accepted between the last look and the release.
        found = look(org_id)
        if not _more_time(deadline):
            return Ran(made, found.has_work and not found.is_held)
    return Ran(made, False)


def forget_states() -> None:
    """Drop all warm states; the next run rebuilds them from rows."""
    _warm.clear()


def _work(org: Organization, lease: Lease, deadline: float) -> int:
    made = 0
    begun = time.monotonic()
    warm = _state(org, lease)
    # As long as it took to load it is worked with, too: it may be dropped for another one.
    deadline = max(deadline, 2 * time.monotonic() - begun)
    while True:
        # What was begun is settled before more is taken in: so a rebuilt state has found
        # its lines again when the first fact comes, and no cut changes what is decided.
        settled = warm.state.is_settled
        intake, is_all = _next_intake(org) if settled else ([], False)
        # A state that was rebuilt may find nothing left of what its rows call unsettled.
        if settled and not intake and warm.is_noted_settled:
            break
        lease.keep()
        begun = time.monotonic()
        with span("batch", org=org.slug):
            made += _run_batch(org, lease, warm, intake)
        if connection.vendor == "sqlite":
            time.sleep(min(PAUSE, PAUSED * (time.monotonic() - begun)))
        # Not before: however long it took to load, every run brings it further. And who finds
        # nothing more to do looks once, after the lease is released.
        if (is_all and warm.is_noted_settled) or not _more_time(deadline):
            break
    _warm.keep(org.pk, warm)
    return made


def _more_time(deadline: float) -> bool:
    return time.monotonic() < deadline


def _state(org: Organization, lease: Lease) -> Warm:
    found = lease.found
    warm = _warm.get(org.pk)
    if warm is None or (warm.version, warm.written) != (found.version, found.written):
        state = load_state(org, found.config_version, lease.keep)
        rises = Rises(org.pk)
        warm = Warm(
            version=found.version,
            written=found.written,
            config_version=found.config_version,
            state=state,
            rises=rises,
            is_noted_settled=found.is_settled,
        )
    return warm


def _next_intake(org: Organization) -> tuple[list[Intake], bool]:
    """
    Return the requests to take in next, and whether these are all: in order, where they are few.

    Otherwise what gives quota back goes before everything else: behind a backlog of submissions,
    work that is done would hold its quota until the last of them is decided, and stop others. The
    one part is for up to RETURNED workloads, the other for up to BATCH, unless its first request
    has more: so neither can keep the other waiting.
    """
    found = statements.rows(_FIRST, [org.pk, FEW], is_replanned=True)
    few = [_intake(org.pk, row) for row in found]
    if len(few) < FEW and sum(row.size for row in few) <= BATCH:
        return few, True
    waiting = Intake.objects.filter(org=org).order_by("pk")
    # Without payloads, of which a backlog may have megabytes.
    rows = list(waiting.values_list("pk", "kind", "size")[:BATCH])
    returning = [row for row in rows if row[1] in _RETURNING]
    if len(rows) == BATCH:
        back = waiting.filter(kind__in=_RETURNING)
        returning = list(back.values_list("pk", "kind", "size")[:RETURNED])
    early = list(waiting.filter(pk__in=_up_to(RETURNED, returning)))
    if early:
        # What speaks of a workload that somebody withdraws keeps its place behind that.
        withdrawals = waiting.filter(kind=Intake.Kind.WITHDRAW)
        named = {key for row in withdrawals for key in row.payload["ids"]}
        early = [row for row in early if named.isdisjoint(row.payload["ids"])]
    taken = {row.pk for row in early}
    others = _up_to(BATCH, (row for row in rows if row[0] not in taken))
    return [*early, *waiting.filter(pk__in=others)], False


#: Mostly all there are, of a table that is mostly empty.
_FIRST: Final = """SELECT id, kind, payload, size, created_at FROM workloads_intake
    WHERE org_id = %s ORDER BY id LIMIT %s
"""


def _intake(org_id: int, row: tuple[Any, ...]) -> Intake:
    key, kind, payload, size, created_at = row
    return Intake(
        pk=key,
        org_id=org_id,
        kind=kind,
        payload=json.loads(payload),
        size=size,
        created_at=statements.moment_of(created_at),
    )


def _up_to(most: int, rows: Iterable[tuple[int, str, int]]) -> list[int]:
    taken: list[int] = []
    total = 0
    for key, _, size in rows:
        if taken and total + size > most:
            break
        taken.append(key)
        total += size
    return taken


def _run_batch(org: Organization, lease: Lease, warm: Warm, intake: list[Intake]) -> int:
    begun = time.perf_counter()
    batch = Batch(org_id=org.pk, config_version=warm.config_version, now=timezone.now())
    warm.config_version = take_in(org, warm.state, intake, batch)
    decisions = warm.state.settle(BATCH)
    batch.decide(decisions, loans_made(warm.state, decisions))
    changes = warm.state.take_changes()
    notices = tell_of_batch(org, batch, warm.state, changes)
    happenings = happenings_of(batch, warm.state)
    written_down = [
        *batch.prepare(),
        *aggregates(org.pk, warm.state, changes),
        tally(org.pk, batch.now, happenings, warm.state.policy),
    ]
    waits = ((batch.now - row.created_at).total_seconds() for row in intake)
    totals = counts_of(happenings, waits, time.perf_counter() - begun)
    written_down += [add_totals(org.pk, totals), delete_keys(Intake, (row.pk for row in intake))]
    with transaction.atomic():
        written = lease.claim_write(warm.version, _standing(warm, batch))
        for rows in written_down:
            rows.run()
        if batch.preempted:
            _count_preemptions(batch.preempted)
        warm.rises.note(warm.state, changes.queues, warm.config_version, batch.now)
        notices.write()
    warm.version += 1
    warm.written = written
    warm.is_noted_settled = warm.state.is_settled
    log.info(
        "batch decided",
        version=warm.version,
        config_version=warm.config_version,
        intake=len(intake),
        decisions=len(batch.decisions),
        milliseconds=round((time.perf_counter() - begun) * 1000, 1),
    )
    note(
        version=warm.version,
        config_version=warm.config_version,
        intake=len(intake),
        workloads=sum(row.size for row in intake),
        decisions=len(batch.decisions),
    )
    return len(batch.decisions)


def _count_preemptions(uids: list[str]) -> None:
    models.Workload.objects.filter(uid__in=uids).update(preemptions=F("preemptions") + 1)


def _standing(warm: Warm, batch: Batch) -> Standing:
    state, departing = warm.state, len(warm.state.departing)
    live = {
        models.State.PENDING: len(state.pending),
        models.State.ADMITTED: len(state.running) - departing,
        models.State.PREEMPTING: departing,
    }
    return Standing(warm.config_version, state.is_settled, live, batch.ended)
