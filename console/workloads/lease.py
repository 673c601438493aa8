"""
The lease: which process may run an organization's engine, and who may no longer write.

How long it lasts is told by the database's clock alone, for those of several machines differ.
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
from console.workloads.models import ENDED, State
from console.workloads.signals import lease_taken_over

#: How long a silent owner keeps the lease. Renewed with each batch.
DURATION = timedelta(seconds=10)

#: The database's clock now and then, and a condition that does not wait for the disk, where that is
#: possible. A crash of the database may then forget who has a lease. Whoever had it writes nothing
#: any more, for the row has another owner or none; and what a batch writes is waited for.
_NOW, _LATER, _UNHURRIED = {
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

_MINE = "org_id = %s AND owner = %s AND fence = %s"

#: As texts: nothing while nobody has it, or while nothing was written.
_UNTIL = "coalesce(cast(lease_until AS text), '')"
_WRITTEN = "coalesce(cast(settled_at AS text), '')"

#: A key of JSON, and the number that is there now.
_KEY, _BEFORE = {
    "sqlite": ("'$.{}'", "coalesce(json_extract(counts, '$.{}'), 0)"),
    "postgresql": ("'{}'", "coalesce((counts ->> '{}')::bigint, 0)"),
}[connection.vendor]
#: Given as text, whose type does not depend on how large it is: the statement stays the same.
_NUMBER = "cast(%s AS bigint)"

#: Known is how many workloads are in each of these, and how many more in those that they never
#: leave, from where others forget some meanwhile.
_LIVE = (State.PENDING, State.ADMITTED, State.PREEMPTING)
_COUNTS = {
    "sqlite": "json_set(counts, {})",
    "postgresql": "counts || jsonb_build_object({})",
}[connection.vendor].format(
    ", ".join(
        [f"{_KEY.format(state)}, {_NUMBER}" for state in _LIVE]
        + [f"{_KEY.format(state)}, {_BEFORE.format(state)} + {_NUMBER}" for state in ENDED]
    )
)

# Every batch is between these, and most batches are small.
_LOOK = (
    f"SELECT owner, {_UNTIL}, fence, coalesce(lease_until >= {_NOW}, false), "  # noqa: S608
    f"version, {_WRITTEN}, config_version, is_settled, "
    "wakes_at, EXISTS (SELECT 1 FROM workloads_intake i WHERE i.org_id = e.org_id), "
    "o.slug, o.name "
    "FROM workloads_engine e JOIN orgs_organization o ON o.id = e.org_id WHERE e.org_id = %s"
)
_TAKE = (
    f"UPDATE workloads_engine SET owner = %s, fence = fence + 1, lease_until = {_LATER} "  # noqa: S608
    f"WHERE {_MINE} AND {_UNTIL} = %s AND {_UNHURRIED}"
)
_RENEW = f"UPDATE workloads_engine SET lease_until = {_LATER} WHERE {_MINE} AND {_UNHURRIED}"  # noqa: S608
_RELEASE = (
    "UPDATE workloads_engine SET owner = '', lease_until = NULL "  # noqa: S608
    f"WHERE {_MINE} AND {_UNHURRIED}"
)
_CLAIM = (
    f"UPDATE workloads_engine SET version = version + 1, lease_until = {_LATER}, settled_at = %s, "  # noqa: S608
    f"config_version = %s, is_settled = %s, advanced_to = {_NUMBER}, "
    f"wakes_at = {_NUMBER}, counts = {_COUNTS} "
    f"WHERE {_MINE} AND version = %s RETURNING {_WRITTEN}"
)


#: Owners that this process is: of leases that it has, or is about to take.
_own: set[str] = set()


class LeaseLostError(Exception):
    """Somebody else has taken over; nothing was written."""


class Found(NamedTuple):
    """An organization's engine as it was found: who has the lease, and how far it is."""

    owner: str
    #: As the database writes it; nothing without an owner.
    until: str
    fence: int
    is_held: bool
    version: int
    #: When that was written, as the database writes it: another history has other moments.
    written: str
    config_version: int
    is_settled: bool
    #: As `Engine.wakes_at`.
    wakes_at: int | None
    has_intake: bool
    slug: str
    name: str

    @property
    def has_work(self) -> bool:
        """Whether there is something to take in or to decide."""
        return self.has_intake or not self.is_settled or is_due(self.wakes_at)


_GONE = Found("", "", 0, False, 0, "", 0, True, None, False, "", "")


def look(org_id: int) -> Found:
    """
    Read who runs the organization's engine, how far it is, and whether there is work.

    An organization that is gone has none.
    """
    # There is mostly no intake, so a plan that is kept would be for a table that is empty.
    rows = statements.rows(_LOOK, [org_id], is_replanned=True)
    if not rows:
        return _GONE
    found = Found(*rows[0])
    # The truth is a number in one of the databases.
    return found._replace(
        is_held=bool(found.owner and found.is_held),
        is_settled=bool(found.is_settled),
        has_intake=bool(found.has_intake),
    )


def is_due(wakes_at: int | None) -> bool:
    """
    Say whether it is time for a wakeup of *wakes_at*, as `Engine` keeps it.

    The clock is that of this process, which also gives the engine its time: one of another clock
    could find a wakeup due that the engine does not reach yet, again and again.
    """
    return wakes_at is not None and wakes_at <= milliseconds(timezone.now())


class Standing(NamedTuple):
    """How far an engine is after a batch."""

    config_version: int
    is_settled: bool
    #: The time of the facts that were applied, and the next wakeup, as `Engine` keeps them.
    advanced_to: int
    wakes_at: int | None
    #: Workloads that wait, run, or were told to stop, by state.
    live: Mapping[State, int]
    #: How many the batch ended, by state.
    ended: Mapping[State, int]


@dataclass(slots=True)
class Lease:
    """The right to write an organization's decisions while its fencing number is the newest."""

    org_id: int
    owner: str
    fence: int
    #: What the engine was when it was taken; only whoever has the lease moves it on.
    found: Found
    #: When it was renewed, by a clock that is never set.
    renewed: float = field(default_factory=time.monotonic)

    def keep(self) -> None:
        """Renew it unless that was done lately: each time is a write; raises LeaseLostError."""
        if time.monotonic() - self.renewed > DURATION.total_seconds() / 5:
            self.renew()

    def renew(self) -> None:
        """Keep the lease for another DURATION; raises LeaseLostError."""
        if not statements.run(_RENEW, self._mine):
            raise LeaseLostError
        self.renewed = time.monotonic()

    def claim_write(self, version: int, standing: Standing) -> str:
        """
        Move the engine from *version* to the next, which is as *standing*; raises LeaseLostError.

        The first statement of the write transaction: it locks the row, so that nobody takes the
        lease until the transaction ends. Returns when this was, as in `Found.written`.
        """
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        live = [str(standing.live.get(state, 0)) for state in _LIVE]
        ended = [str(standing.ended.get(state, 0)) for state in ENDED]
        wakes_at = None if standing.wakes_at is None else str(standing.wakes_at)
        times = [str(standing.advanced_to), wakes_at]
        progress = [now, standing.config_version, standing.is_settled, *times, *live, *ended]
        moved = statements.rows(_CLAIM, [*progress, *self._mine, version])
        if not moved:
            raise LeaseLostError
        self.renewed = time.monotonic()
        return str(moved[0][0])

    def release(self) -> None:
        """Give the lease back, if it is still ours."""
        statements.run(_RELEASE, self._mine)

    @property
    def _mine(self) -> tuple[int, str, int]:
        return self.org_id, self.owner, self.fence


@contextmanager
def leased(org_id: int, found: Found | None = None) -> Iterator[Lease | None]:
    """Hold the organization's lease, or None when somebody else does or took it since *found*."""
    owner = f"{_host()}/{os.getpid()}/{secrets.token_hex(4)}"
    _own.add(owner)
    try:
        lease = _acquire(org_id, owner, found or look(org_id))
        try:
            yield lease
        finally:
            if lease is not None:
                lease.release()
    finally:
        # Whether it was given back or not: a database that was away then still names this process.
        _own.discard(owner)


def _acquire(org_id: int, owner: str, found: Found) -> Lease | None:
    # A process that is gone was killed on this machine. Should the guess be wrong, the
    # fencing number still keeps it from writing.
    if found.is_held and not _is_gone(found.owner):
        return None
    # From whom it was found with and no other, who has not renewed it since.
    taken = [owner, org_id, found.owner, found.fence, found.until]
    if not statements.run(_TAKE, taken):
        return None
    if found.owner:
        lease_taken_over.send(Lease, org_id=org_id)
    return Lease(org_id, owner, found.fence + 1, found)


def _is_gone(holder: str) -> bool:
    host, pid, _ = holder.rsplit("/", 2)
    if host != _host():
        return False
    if int(pid) == os.getpid():
        return holder not in _own
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


@cache
def _host() -> str:
    """Name the space in which process ids mean something: machine and, on Linux, pid namespace."""
    try:
        return f"{socket.gethostname()}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()
