"""Fixtures: the three worlds, each in its own database file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import OPENED
from tests.worlds.connected import connected
from tests.worlds.stored import shared_worlds_folder, stored
from tests.worlds.world import World


class Worlds:
    """The worlds, each with a copy of its database that tests may write to."""

    def __init__(self, kept: Path, own: Path, blocker: Any) -> None:
        self._blocker = blocker
        self._copies: dict[str, tuple[Path, World]] = {}
        for name in OPENED:
            found = stored(name, kept)
            copy = own / f"{name}.sqlite3"
            found.copy(copy)
            self._copies[name] = (copy, found.world)

    @contextmanager
    def entered(self, name: str) -> Iterator[World]:
        """Switch the database to that of world *name*."""
        path, world = self._copies[name]
        with self._blocker.unblock(), connected(path):
            yield world


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Worlds:
    """Return the worlds, built once per test run for all processes."""
    kept = shared_worlds_folder(tmp_path_factory)
    return Worlds(kept, tmp_path_factory.mktemp("worlds"), django_db_blocker)
