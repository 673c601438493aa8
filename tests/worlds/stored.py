"""
Worlds as SQLite files: each world is built once and copied by the tests that need it.

A separate process builds a world, because the tests may be connected to another database.
"""

from __future__ import annotations

import fcntl
import gc
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.worlds.world import World

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]

_PROGRAM = """\
import sys
from pathlib import Path
import django
django.setup()
from tests.worlds.stored import build_here
build_here(sys.argv[1], Path(sys.argv[2]))
"""

#: Timeout of a build in seconds, for busy machines.
BUILD_TIMEOUT = 600


@dataclass(frozen=True, slots=True)
class Stored:
    """A world and its SQLite file, which is shared and must not be written to."""

    database: Path
    world: World

    def copy(self, target: Path) -> None:
        """Copy the database to *target*."""
        shutil.copyfile(self.database, target)


def stored(name: str, folder: Path) -> Stored:
    """
    Return world *name* from *folder*, building it if it is missing.

    A file lock makes other processes that need the same world wait for the build.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database, described = folder / f"{name}.sqlite3", folder / f"{name}.json"
    with _locked(folder / f"{name}.lock"):
        if not described.exists():
            _build(name, database)
    return Stored(database, World.from_json(described.read_text()))


def shared_worlds_folder(paths: pytest.TempPathFactory) -> Path:
    """
    Return the folder of worlds that all processes of one test run share.

    The variable `KEPT_WORLDS` names a folder to reuse between runs.
    """
    if folder := os.environ.get("KEPT_WORLDS"):
        return Path(folder)
    base = paths.getbasetemp()
    is_one_of_several = "PYTEST_XDIST_WORKER" in os.environ
    return (base.parent if is_one_of_several else base) / "kept-worlds"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(name: str, database: Path) -> None:
    # Remove what an interrupted build left.
    database.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-c", _PROGRAM, name, str(database)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE_URL": ""},
        check=True,
        timeout=BUILD_TIMEOUT,
    )


def build_here(name: str, database: Path) -> None:
    """Build world *name* in memory, and write its database and its description to files."""
    from django.core.management import call_command
    from django.db import connection

    from tests.prepared import fill_database
    from tests.worlds import BUILDERS

    # The process ends after the build, and most of its objects stay until then.
    gc.disable()
    # The build would log every step, and that the broker is unavailable.
    logging.disable(logging.CRITICAL)
    fill_database(connection)
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        # Distinct keys per world: a process that reads several worlds must not mix them up.
        first = 1_000 * (1 + list(BUILDERS).index(name))
        cursor.executemany(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)",
            [("orgs_organization", first), ("orgs_user", first)],
        )
    world = BUILDERS[name]()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(database)])
    database.with_suffix(".json").write_text(world.as_json())
