"""A database that several threads share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from django.core.management import call_command
from django.db import connection, connections

T = TypeVar("T")

#: Threads that run at the same moment.
RACERS = 6


@pytest.fixture
def shared_database(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """Use the test database of PostgreSQL, or a file of SQLite: its memory has one connection."""
    if connection.vendor == "postgresql":
        yield
        return
    usual = connections["default"]
    before = dict(connections.settings["default"])
    connections.settings["default"]["NAME"] = str(tmp_path / "shared.sqlite3")
    connections["default"] = connections.create_connection("default")
    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        connections["default"].close()
        connections.settings["default"].update(before)
        connections["default"] = usual


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
