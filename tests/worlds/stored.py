"""
Worlds as files: each is built once into a file of SQLite, which whoever needs one copies.

They are built by a process of its own, as tests may use another database at that moment.
"""

from __future__ import annotations

import fcntl
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

#: Seconds that building may take on a busy machine.
PATIENCE = 600


@dataclass(frozen=True, slots=True)
class Stored:
    """A world that lies in a file; the file is nobody's own, so nobody writes to it."""

    database: Path
    world: World

    def copy(self, target: Path) -> None:
        """Put a copy of the database at *target*."""
        shutil.copyfile(self.database, target)


def stored(name: str, folder: Path) -> Stored:
    """
    Return world *name* from *folder*, building it unless it is there.

    Processes that ask for the same one at once wait for whichever came first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database, described = folder / f"{name}.sqlite3", folder / f"{name}.json"
    with _alone(folder / f"{name}.lock"):
        if not described.exists():
            _build(name, database)
    return Stored(database, World.from_json(described.read_text()))


def kept_for_a_run(paths: pytest.TempPathFactory) -> Path:
    """
    Return the folder of worlds that all processes of one run of tests share.

    `KEPT_WORLDS` names one that stays from run to run, for whoever works on pages alone.
    """
    if folder := os.environ.get("KEPT_WORLDS"):
        return Path(folder)
    base = paths.getbasetemp()
    is_one_of_several = "PYTEST_XDIST_WORKER" in os.environ
    return (base.parent if is_one_of_several else base) / "kept-worlds"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(name: str, database: Path) -> None:
    # What a process that was stopped left behind.
    database.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-c", _PROGRAM, name, str(database)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "TEST_DATABASE_URL": ""},
        check=True,
        timeout=PATIENCE,
    )


def build_here(name: str, database: Path) -> None:
    """Build world *name* in the memory of this process, and write it and what is where in it."""
    from django.core.management import call_command
    from django.db import connection

    from tests.worlds import BUILDERS

    # All that is done for it would be logged, and that the broker is down.
    logging.disable(logging.CRITICAL)
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        # Keys of their own: a process that reads several worlds takes none for another.
        first = 1_000 * (1 + list(BUILDERS).index(name))
        cursor.executemany(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)",
            [("orgs_organization", first), ("orgs_user", first)],
        )
    world = BUILDERS[name]()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(database)])
    database.with_suffix(".json").write_text(world.as_json())
