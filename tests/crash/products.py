"""Products to crash: one on each database."""

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
    Return the databases on which a test crashes products: *usual*, or each if all are asked for.

    `make test-all` and `make soak` ask for all. Killed processes and backups are tried on each
    database anyway.
    """
    return DATABASES if os.environ.get("CRASH_DATABASES") == "all" else (usual,)


@contextmanager
def running_on(
    database: str, home: Path, *, disk: Path | None = None, **settings: str
) -> Iterator[Product]:
    """
    Start a product on *database*; without PostgreSQL on the machine the test is left out.

    The tables of PostgreSQL are in the folder *disk* if there is one.
    """
    if database == "sqlite":
        with running(home, **settings) as product:
            yield product
        return
    with serving_here(disk=disk) as url, running(home, DATABASE_URL=url, **settings) as product:
        yield product


@contextmanager
def serving_here(*, disk: Path | None = None, over_tcp: bool = False) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server; without any on the machine the test is left out."""
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING.format(verb="cannot run"))
        pytest.skip(MISSING.format(verb="were left out"))
    with serving(binaries, crashing=True, disk=disk, over_tcp=over_tcp) as url:
        yield url
