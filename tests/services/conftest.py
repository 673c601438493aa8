"""Fixtures: a database shared by several threads, and races between them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.core.management import call_command
from django.db import connection

from tests.prepared import fill_database
from tests.worlds.connected import connected

T = TypeVar("T")

#: Number of threads that run at once.
RACERS = 6


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Path:
    """Return a migrated SQLite file to copy: migrating takes longer than most tests."""
    path = tmp_path_factory.mktemp("migrated") / "database.sqlite3"
    with django_db_blocker.unblock(), connected(path):
        fill_database(connection)
        call_command("migrate", verbosity=0)
    return path


@pytest.fixture
def shared_database(
    transactional_db: None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Use PostgreSQL's test database or a SQLite file, as in-memory SQLite has one connection."""
    if connection.vendor == "postgresql":
        yield
        return
    path = tmp_path / "shared.sqlite3"
    shutil.copyfile(request.getfixturevalue("migrated"), path)
    with connected(path):
        yield


@pytest.fixture
def race(shared_database: None) -> Callable[[Callable[[int], T]], list[T | Exception]]:
    """Return a function that runs another one in several threads and returns all results."""

    def run(racer: Callable[[int], T]) -> list[T | Exception]:
        start = threading.Barrier(RACERS)

        def one(number: int) -> T | Exception:
            try:
                connection.ensure_connection()
                start.wait(timeout=30)
                return racer(number)
            except Exception as error:
                return error
            finally:
                connection.close()

        with ThreadPoolExecutor(RACERS) as pool:
            return list(pool.map(one, range(RACERS)))

    return run
