"""A database that several threads share."""

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

from tests.worlds.connected import connected

T = TypeVar("T")

#: Threads that run at the same moment.
RACERS = 6


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Path:
    """A file of SQLite with every table, to be copied: migrating takes longer than most tests."""
    path = tmp_path_factory.mktemp("migrated") / "database.sqlite3"
    with django_db_blocker.unblock(), connected(path):
        call_command("migrate", verbosity=0)
    return path


@pytest.fixture
def shared_database(
    transactional_db: None, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Use the test database of PostgreSQL, or a file of SQLite: its memory has one connection."""
    if connection.vendor == "postgresql":
        yield
        return
    path = tmp_path / "shared.sqlite3"
    shutil.copyfile(request.getfixturevalue("migrated"), path)
    with connected(path):
        yield


@pytest.fixture
def race(shared_database: None) -> Callable[[Callable[[int], T]], list[T | Exception]]:
    """Return a function that runs another one in several threads at once, and what came of each."""

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
