"""Migrations retry when they cannot get a lock, and give up with an instruction."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from django.db import OperationalError

from console.migrating import lock_retries
from console.migrating.lock_retries import LockNotAcquired, migrate_with_lock_retries

SERVER = SimpleNamespace(vendor="postgresql")

AGAIN = (
    "A migration could not lock a table within 2 seconds, because other transactions use it; "
    "retrying in 3 seconds."
)


def failing(*codes: str):
    """Return a migration that fails once with each of these PostgreSQL codes, and then succeeds."""
    left = list(codes)

    def migrate() -> None:
        if left:
            error = OperationalError("failed")
            error.__cause__ = Exception()
            error.__cause__.sqlstate = left.pop(0)
            raise error

    return migrate


@pytest.fixture(autouse=True)
def paused(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Make every turn come at once, and pauses take no time; return the pauses."""
    pauses: list[float] = []
    monkeypatch.setattr(lock_retries, "_migration_lock", lambda *_: nullcontext())
    monkeypatch.setattr(lock_retries.time, "sleep", pauses.append)
    return pauses


def test_lock_timeout_and_deadlock_are_retried(paused: list[float]) -> None:
    said: list[str] = []
    migrate_with_lock_retries(SERVER, failing("55P03", "40P01"), said.append)
    assert (said, paused) == ([AGAIN, AGAIN], [3, 3])


def test_other_errors_are_not_retried(paused: list[float]) -> None:
    said: list[str] = []
    with pytest.raises(OperationalError):
        migrate_with_lock_retries(SERVER, failing("53300"), said.append)
    assert (said, paused) == ([], [])


def test_migration_gives_up_with_an_instruction() -> None:
    with pytest.raises(LockNotAcquired) as caught:
        migrate_with_lock_retries(SERVER, failing(*["55P03"] * 41), lambda _: None)
    assert str(caught.value) == (
        "A migration could not lock a table in 40 attempts, because other transactions use it. "
        "Earlier migrations are applied, and the running version is not affected. End the "
        "transactions that use the table (pg_stat_activity shows the oldest), and migrate again."
    )
