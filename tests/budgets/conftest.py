"""The three worlds, each in a file of its own, to be opened one after another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import BUILDERS
from tests.worlds.connected import connected
from tests.worlds.stored import shared_worlds_folder, stored
from tests.worlds.world import World


class Worlds:
    """Each world and a copy of its database, which tests may write to."""

    def __init__(self, kept: Path, own: Path, blocker: Any) -> None:
        self._blocker = blocker
        self._copies: dict[str, tuple[Path, World]] = {}
        for name in BUILDERS:
            found = stored(name, kept)
            copy = own / f"{name}.sqlite3"
            found.copy(copy)
            self._copies[name] = (copy, found.world)

    @contextmanager
    def entered(self, name: str) -> Iterator[World]:
        """Have the database be that of world *name*."""
        path, world = self._copies[name]
        with self._blocker.unblock(), connected(path):
            yield world


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Worlds:
    """The worlds, built once for all who share this run."""
    kept = shared_worlds_folder(tmp_path_factory)
    return Worlds(kept, tmp_path_factory.mktemp("worlds"), django_db_blocker)
