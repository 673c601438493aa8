"""
The lease of an organization's engine: which process runs the engine and may write its decisions.

Its duration is measured by the clock of the database only, because the clocks of machines differ.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.db import connection
from django.utils import timezone

from console import statements
from console.time_formats import milliseconds
from console.workloads.models import ENDED, LIVE, State
from console.workloads.signals import lease_taken_over

#: Duration of a lease. Each batch renews it.
DURATION = timedelta(seconds=10)

#: SQL of the current time, of the end of a new lease, and of a condition that makes the commit not
#: wait for the disk, where the database supports that. A crash of the database may then lose the
#: last change of a lease. Its former owner cannot write, because the row has another owner or none,
#: and commits of batches do wait for the disk.
_NOW, _LATER, _NO_DISK_WAIT = {
    "sqlite": (
        "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now')",
        f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '+{DURATION.seconds} seconds')",
        "true",
    ),
    "postgresql": (
        "statement_timestamp()",
        f"statement_timestamp() + interval '{DURATION.seconds} seconds'",
        "set_config('synchronous_commit', 'off', true) = 'off'",
    ),
}[connection.vendor]

_IS_OWNER = "org_id = %s AND owner = %s AND fence = %s"

#: As texts, which are empty without a lease, or before the first write.
_UNTIL = "coalesce(cast(lease_until AS text), '')"
_WRITTEN = "coalesce(cast(settled_at AS text), '')"

#: A JSON key of *counts*, and its current number.
_KEY, _BEFORE = {
    "sqlite": ("'$.{}'", "coalesce(json_extract(counts, '$.{}'), 0)"),
    "postgresql": ("'{}'", "coalesce((counts ->> '{}')::bigint, 0)"),
}[connection.vendor]
#: Passed as text, whose type does not depend on the size of the number: so the statement is
#: always the same.
_NUMBER = "cast(%s AS bigint)"

#: The counts of these states are set. The counts of final states are increased, because
#: retention decreases them concurrently.
_COUNTS = {
    "sqlite": "json_set(counts, {})",
    "postgresql": "counts || jsonb_build_object({})",
}[connection.vendor].format(
    ", ".join(
        [f"{_KEY.format(state)}, {_NUMBER}" for state in LIVE]
        + [f"{_KEY.format(state)}, {_BEFORE.format(state)} + {_NUMBER}" for state in ENDED]
    )
)

# These statements run around every batch, and most batches are small.
_READ_ROW = (
    f"SELECT owner, {_UNTIL}, fence, coalesce(lease_until >= {_NOW}, false), "  # noqa: S608
    f"version, {_WRITTEN}, config_version, is_settled, "
    "wakes_at, EXISTS (SELECT 1 FROM workloads_intake i WHERE i.org_id = e.org_id), "
    "o.slug, o.name "
    "FROM workloads_engine e JOIN orgs_organization o ON o.id = e.org_id WHERE e.org_id = %s"
)
_TAKE = (
    f"UPDATE workloads_engine SET owner = %s, fence = fence + 1, lease_until = {_LATER} "  # noqa: S608
    f"WHERE {_IS_OWNER} AND {_UNTIL} = %s AND {_NO_DISK_WAIT}"
)
_RENEW = f"UPDATE workloads_engine SET lease_until = {_LATER} WHERE {_IS_OWNER} AND {_NO_DISK_WAIT}"  # noqa: S608
_RELEASE = (
    "UPDATE workloads_engine SET owner = '', lease_until = NULL "  # noqa: S608
    f"WHERE {_IS_OWNER} AND {_NO_DISK_WAIT}"
)
_CLAIM = (
    f"UPDATE workloads_engine SET version = version + 1, lease_until = {_LATER}, settled_at = %s, "  # noqa: S608
    f"config_version = %s, is_settled = %s, advanced_to = {_NUMBER}, "
    f"wakes_at = {_NUMBER}, counts = {_COUNTS} "
    f"WHERE {_IS_OWNER} AND version = %s RETURNING {_WRITTEN}"
)


#: Owner names of this process: those of its leases and of leases that it is about to take.
_own_names: set[str] = set()


class LeaseLostError(Exception):
    """Another process has taken over the lease; nothing was written."""


class EngineRow(NamedTuple):
    """The engine row of an organization: the lease, the version and whether there is work."""

    owner: str
    #: As formatted by the database; empty without an owner.
    until: str
    fence: int
    is_held: bool
    version: int
    #: Time of the last write, as formatted by the database. After a restore of the database, the
    #: same version has another time.
    written: str
    config_version: int
    is_settled: bool
    #: Like `Engine.wakes_at`.
    wakes_at: int | None
    has_intake: bool
    slug: str
    name: str

    @property
    def has_work(self) -> bool:
        """Whether there is intake to apply, or something to decide."""
        return self.has_intake or not self.is_settled or is_due(self.wakes_at)


_DELETED = EngineRow("", "", 0, False, 0, "", 0, True, None, False, "", "")


def read_engine_row(org_id: int) -> EngineRow:
    """
    Return the owner, the progress and the pending work of the organization's engine.

    A deleted organization has no owner and no work.
    """
    # The intake table is mostly empty, and a cached plan would be made for an empty table.
    rows = statements.rows(_READ_ROW, [org_id], is_replanned=True)
    if not rows:
        return _DELETED
    row = EngineRow(*rows[0])
    # SQLite returns booleans as numbers.
    return row._replace(
        is_held=bool(row.owner and row.is_held),
        is_settled=bool(row.is_settled),
        has_intake=bool(row.has_intake),
    )


def is_due(wakes_at: int | None) -> bool:
    """
    Return whether *wakes_at*, a time as in `Engine.wakes_at`, has come.

    The clock is that of this process, which also sets the time of the engine. With another
    clock, a wakeup could be due that the engine does not reach, again and again.
    """
    return wakes_at is not None and wakes_at <= milliseconds(timezone.now())


class EngineProgress(NamedTuple):
    """The progress of an engine after a batch."""

    config_version: int
    is_settled: bool
    #: The time of the applied facts, and the next wakeup, as in `Engine`.
    advanced_to: int
    wakes_at: int | None
    #: Number of pending, running and preempted workloads, by state.
    live: Mapping[State, int]
    #: Number of workloads that reached each final state in the batch.
    ended: Mapping[State, int]


@dataclass(slots=True)
class Lease:
    """The right to write an organization's decisions while its fencing number is the newest."""

    org_id: int
    owner: str
    fence: int
    #: The engine row when the lease was taken. Only the owner of the lease advances it.
    row: EngineRow
    #: Time of the last renewal, by the monotonic clock.
    renewed: float = field(default_factory=time.monotonic)

    def renew_if_aged(self) -> None:
        """Renew the lease after a fifth of DURATION, to save writes; raises LeaseLostError."""
        if time.monotonic() - self.renewed > DURATION.total_seconds() / 5:
            self.renew()

    def renew(self) -> None:
        """Extend the lease to DURATION from now; raises LeaseLostError."""
        if not statements.run(_RENEW, self._identity):
            raise LeaseLostError
        self.renewed = time.monotonic()

    def claim_write(self, version: int, progress: EngineProgress) -> str:
        """
        Advance the engine from *version* to the next, with *progress*; raises LeaseLostError.

        This is the first statement of the write transaction. It locks the row, so that no other
        process takes the lease until the transaction ends. Returns the time, as in
        `EngineRow.written`.
        """
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        live = [str(progress.live.get(state, 0)) for state in LIVE]
        ended = [str(progress.ended.get(state, 0)) for state in ENDED]
        wakes_at = None if progress.wakes_at is None else str(progress.wakes_at)
        times = [str(progress.advanced_to), wakes_at]
        values = [now, progress.config_version, progress.is_settled, *times, *live, *ended]
        written_at = statements.rows(_CLAIM, [*values, *self._identity, version])
        if not written_at:
            raise LeaseLostError
        self.renewed = time.monotonic()
        return str(written_at[0][0])

    def release(self) -> None:
        """Release the lease, if no other process has taken it over."""
        statements.run(_RELEASE, self._identity)

    @property
    def _identity(self) -> tuple[int, str, int]:
        return self.org_id, self.owner, self.fence


@contextmanager
def leased(org_id: int, row: EngineRow | None = None) -> Iterator[Lease | None]:
    """Yield the organization's lease; None if another process has it, or took it since *row*."""
    owner = f"{_host()}/{os.getpid()}/{secrets.token_hex(4)}"
    _own_names.add(owner)
    try:
        lease = _acquire(org_id, owner, row or read_engine_row(org_id))
        try:
            yield lease
        finally:
            if lease is not None:
                lease.release()
    finally:
        # Also if the release failed: an unavailable database may still name this process as owner.
        _own_names.discard(owner)


def _acquire(org_id: int, owner: str, row: EngineRow) -> Lease | None:
    # A lease of a dead process of this machine is taken over. If that check is wrong, the fencing
    # number still prevents writes of the former owner.
    if row.is_held and not _is_gone(row.owner):
        return None
    # Only from the owner that was read, and only if it has not renewed the lease since.
    parameters = [owner, org_id, row.owner, row.fence, row.until]
    if not statements.run(_TAKE, parameters):
        return None
    if row.owner:
        lease_taken_over.send(Lease, org_id=org_id)
    return Lease(org_id, owner, row.fence + 1, row)


def _is_gone(holder: str) -> bool:
    host, pid, _ = holder.rsplit("/", 2)
    if host != _host():
        return False
    if int(pid) == os.getpid():
        return holder not in _own_names
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


@cache
def _host() -> str:
    """Return the scope of process ids: the machine and, on Linux, the pid namespace."""
    try:
        return f"{socket.gethostname()}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()
