"""Products for crash tests: one on each database."""

from __future__ import annotations

import fcntl
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres import MISSING, find_binaries, serving
from tests.prepared import SHARED
from tests.product import Product, managing, running

DATABASES = ("sqlite", "postgresql")


def databases(usual: str) -> tuple[str, ...]:
    """
    Return the databases for a crash test: *usual*, or all of them if CRASH_DATABASES asks so.

    `make test-all` and `make soak` ask for all. Killed processes and backups are tested on each
    database in any case.
    """
    return DATABASES if os.environ.get("CRASH_DATABASES") == "all" else (usual,)


@contextmanager
def running_on(
    database: str, home: Path, *, disk: Path | None = None, **settings: str
) -> Iterator[Product]:
    """
    Start a product on *database*, migrated; skip the test on a machine without PostgreSQL.

    The tables of PostgreSQL are in the folder *disk* if it is given.
    """
    if database == "sqlite":
        with running(home, **settings) as product:
            yield product
        return
    with (
        serving_postgresql(disk=disk, migrated=True) as url,
        running(home, DATABASE_URL=url, **settings) as product,
    ):
        yield product


@contextmanager
def serving_postgresql(
    *, disk: Path | None = None, over_tcp: bool = False, migrated: bool = False
) -> Iterator[str]:
    """
    Yield the URL of a PostgreSQL server; skip the test on a machine without PostgreSQL.

    Its database is empty, or with *migrated* has the tables of a product without rows.
    """
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING.format(verb="cannot run"))
        pytest.skip(MISSING.format(verb="were left out"))
    with serving(binaries, crashing=True, disk=disk, over_tcp=over_tcp) as url:
        if migrated:
            restore(binaries, _migrated_dump(binaries), url)
        yield url


def dump(binaries: Path, url: str, place: Path) -> None:
    """Write the database at *url* to the file *place*."""
    command = [binaries / "pg_dump", "--format=custom", "--file", place, url]
    subprocess.run(command, check=True, capture_output=True)


def restore(binaries: Path, place: Path, url: str) -> None:
    """Read the file *place*, a result of `dump`, into the empty database at *url*."""
    command = [binaries / "pg_restore", "--no-owner", "--exit-on-error", "--dbname", url, place]
    subprocess.run(command, check=True, capture_output=True)


def _migrated_dump(binaries: Path) -> Path:
    """
    Return a dump of a migrated database without rows, which all tests of a run share.

    A restored database takes a tenth of the time of the migrations. The product checks the
    migrations again and finds nothing to do.
    """
    shared = Path(os.environ[SHARED])
    place = shared / "postgresql.dump"
    with (shared / "postgresql.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            with tempfile.TemporaryDirectory() as name, serving(binaries) as url:
                with managing(Path(name), DATABASE_URL=url) as management:
                    management.run("migrate", "--verbosity", "0", "--skip-checks")
                written = shared / "postgresql.partial"
                dump(binaries, url, written)
                written.rename(place)
    return place
