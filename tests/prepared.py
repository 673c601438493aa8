"""
What a start brings into an empty state folder, made once for a run of tests and then copied.

It is the database, migrated and without a row of anybody's, and the static files: half of the
work of a first start. The product goes over both again, and finds nothing to do.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console.home import Home

ROOT = Path(__file__).resolve().parent.parent

#: Names the folder that all processes of a run share; who has none starts from nothing.
SHARED = "PREPARED_HOME"

#: Seconds that making it may take on a busy machine.
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
    """Have all starts within, those of processes started within too, begin from one copy."""
    if SHARED in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ[SHARED] = folder
        yield
        del os.environ[SHARED]


def fill(folder: Path, *, with_database: bool) -> None:
    """
    Put into a state folder what is shared, unless it has its own or there is none.

    *with_database* is for those that keep their rows in it.
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


def _made(shared: Path) -> Home:
    """Return the folder to copy from; whoever comes first makes it, and the others wait."""
    home = Home(shared / "home")
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.static_stamp.exists():
            home.folder.mkdir(exist_ok=True)
            # The surroundings of the tests, such as their database, have no part in it.
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
