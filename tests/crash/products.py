"""Products for crash tests: one on each database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.postgres import MISSING, find_binaries, serving
from tests.product import Product, running

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
    Start a product on *database*; skip the test on a machine without PostgreSQL.

    The tables of PostgreSQL are in the folder *disk* if it is given.
    """
    if database == "sqlite":
        with running(home, **settings) as product:
            yield product
        return
    with (
        serving_postgresql(disk=disk) as url,
        running(home, DATABASE_URL=url, **settings) as product,
    ):
        yield product


@contextmanager
def serving_postgresql(*, disk: Path | None = None, over_tcp: bool = False) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server; skip the test on a machine without PostgreSQL."""
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING.format(verb="cannot run"))
        pytest.skip(MISSING.format(verb="were left out"))
    with serving(binaries, crashing=True, disk=disk, over_tcp=over_tcp) as url:
        yield url
