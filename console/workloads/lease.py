"""
The lease: which process may run an organization's engine, and who may no longer write.

How long it lasts is told by the database's clock alone, for those of several machines differ.
"""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path

from django.db import connection, transaction
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from console.telemetry.models import Metric
from console.telemetry.totals import Count, add_totals
from console.workloads.models import Engine

#: How long a silent owner keeps the lease. Renewed with each batch.
DURATION = timedelta(seconds=10)

_HELD = Q(lease_until__gte=Now())
_LATER = Now() + DURATION


class LeaseLostError(Exception):
    """Somebody else has taken over; nothing was written."""


@dataclass(slots=True)
class Lease:
    """The right to write an organization's decisions while its fencing number is the newest."""

    org_id: int
    owner: str
    fence: int
    #: When it was renewed, by a clock that is never set.
    renewed: float = field(default_factory=time.monotonic)

    def keep(self) -> None:
        """Renew it unless that was done lately: each time is a write; raises LeaseLostError."""
        if time.monotonic() - self.renewed > DURATION.total_seconds() / 5:
            self.renew()

    def renew(self) -> None:
        """Keep the lease for another DURATION; raises LeaseLostError."""
        with _unhurried():
            renewed = self._mine().update(lease_until=_LATER)
        if not renewed:
            raise LeaseLostError
        self.renewed = time.monotonic()

    def claim_write(self, version: int) -> None:
        """
        Move the engine from *version* to the next; raises LeaseLostError.

        The first statement of the write transaction: it locks the row, so that
        nobody takes the lease until the transaction ends.
        """
        moved = self._mine().filter(version=version)
        after = {"version": version + 1, "settled_at": timezone.now()}
        if not moved.update(lease_until=_LATER, **after):
            raise LeaseLostError
        self.renewed = time.monotonic()

    def release(self) -> None:
        """Give the lease back, if it is still ours."""
        with _unhurried():
            self._mine().update(owner="", lease_until=None)

    def _mine(self) -> QuerySet[Engine]:
        return Engine.objects.filter(org_id=self.org_id, owner=self.owner, fence=self.fence)


@contextmanager
def leased(org_id: int) -> Iterator[Lease | None]:
    """Hold the organization's lease, or None when somebody else does."""
    lease = _acquire(org_id)
    try:
        yield lease
    finally:
        if lease is not None:
            lease.release()


def is_leased(org_id: int) -> bool:
    """Say whether somebody runs the organization's engine at this moment."""
    return Engine.objects.filter(~Q(owner="") & _HELD, org_id=org_id).exists()


def _acquire(org_id: int) -> Lease | None:
    owner = f"{_host()}/{os.getpid()}/{secrets.token_hex(4)}"
    found = Engine.objects.filter(org_id=org_id)
    held = ExpressionWrapper(_HELD, output_field=BooleanField())
    holder, until, fence, is_held = found.values_list("owner", "lease_until", "fence", held).get()
    # A process that is gone was killed on this machine. Should the guess be wrong, the
    # fencing number still keeps it from writing.
    if holder and is_held and not _is_gone(holder):
        return None
    # From whom it was found with and no other, who has not renewed it since.
    with _unhurried():
        taken = found.filter(owner=holder, lease_until=until, fence=fence).update(
            owner=owner, fence=fence + 1, lease_until=_LATER
        )
    if not taken:
        return None
    if holder:
        add_totals(org_id, [Count(Metric.TAKEOVER)]).run()
    return Lease(org_id, owner, fence + 1)


@contextmanager
def _unhurried() -> Iterator[None]:
    """
    Let what is written be on disk a moment later, where the database can do that.

    A crash of the database may then forget who has a lease. Whoever had it writes nothing any
    more, for the row has another owner or none; and what a batch writes is waited for.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit TO off")
        yield


def _is_gone(holder: str) -> bool:
    host, pid, _ = holder.rsplit("/", 2)
    if host != _host() or int(pid) == os.getpid():
        return False
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
