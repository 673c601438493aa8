"""
State folder of a first start, prepared once per test run and then copied.

The folder holds the migrated database without rows, and the static files: half of the time of a
first start. The product checks both again and finds nothing to do. The database is also copied into
the in-memory databases of test processes and worlds, which would take seconds to migrate.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from console.home import Home

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

ROOT = Path(__file__).resolve().parent.parent

#: Environment variable with the folder that all processes of a run share; without it, a start
#: begins with an empty folder.
SHARED = "PREPARED_HOME"

#: Seconds that the preparation may take on a busy machine.
PATIENCE = 120

_PROGRAM = """\
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from console.supervisor import static
call_command("migrate", interactive=False, verbosity=0)
# The last connection that closes leaves one file.
connection.close()
static.collect(settings.HOME)
"""


@contextmanager
def sharing() -> Iterator[None]:
    """Let all starts in this context, also in child processes, begin from one prepared copy."""
    if SHARED in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[SHARED] = folder
        yield
        del os.environ[SHARED]


def fill(folder: Path, *, with_database: bool) -> None:
    """
    Copy the shared database and static files into a state folder that lacks them.

    Without a shared folder nothing is copied. *with_database* is for products that store their rows
    in the state folder.
    """
    shared = os.environ.get(SHARED)
    if shared is None:
        return
    source, target = _made(Path(shared)), Home(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if with_database and not target.database.exists():
        shutil.copyfile(source.database, target.database)
    if not target.static_stamp.exists():
        shutil.copytree(source.static, target.static)
        shutil.copyfile(source.static_stamp, target.static_stamp)


def fill_database(connection: BaseDatabaseWrapper) -> None:
    """
    Copy the shared database into the SQLite database of *connection*, if that has no tables.

    Without a shared folder nothing is copied. The caller migrates the database in either case.
    """
    shared = os.environ.get(SHARED)
    if shared is None or connection.introspection.table_names():
        return
    with closing(sqlite3.connect(_made(Path(shared)).database)) as source:
        source.backup(connection.connection)


def _made(shared: Path) -> Home:
    """Return the folder to copy from; the first caller creates it while the others wait."""
    home = Home(shared / "home")
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.static_stamp.exists():
            home.folder.mkdir(exist_ok=True)
            # The environment of the tests, such as their database, must not affect it.
            clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
            subprocess.run(
                [sys.executable, "-c", _PROGRAM],
                cwd=ROOT,
                env={
                    **clean,
                    "DJANGO_SETTINGS_MODULE": "console.settings",
                    "SLUICE_HOME": str(home.folder),
                },
                check=True,
                timeout=PATIENCE,
            )
    return home
