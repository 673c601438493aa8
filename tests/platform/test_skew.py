"""Log lines at the start of a process whose database is older or newer than its code."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer

import pytest

from console.home import Home
from tests.brokers import serving_broker
from tests.prepared import fill
from tests.product import environment_of

ROOT = Path(__file__).resolve().parent.parent.parent

_CELERY = ("-m", "celery", "--quiet", "--app", "console.celery")

#: The start command of each kind of process; only the first ends by itself.
STARTS = {
    "web": ("-c", "import console.wsgi"),
    "worker": (*_CELERY, "worker", "--concurrency", "1"),
    "beat": (*_CELERY, "beat"),
}

NEWER = (
    "The database is newer than this version, which does not know workloads.0999_note_something. "
    "A database also works with the version before its own; update this process."
)
OLDER = (
    "is older than this version, and lacks workloads.0001_create_workloads; run `manage.py migrate`"
)


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    """The state folder of a product after its migrations."""
    fill(tmp_path, with_database=True)
    return tmp_path


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_broker(tmp_path_factory.mktemp("b")) as found:
        yield found


@contextmanager
def started(process: str, home: Path, url: str) -> Iterator[Iterator[str]]:
    """Start a process and yield the lines that it logs."""
    settings = {"REDIS_URL": url, "SECRET_KEY": "k" * 50, "LOG_FORMAT": "json"}
    running = subprocess.Popen(
        [sys.executable, *STARTS[process]],
        cwd=ROOT,
        env=environment_of(home, **settings),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    # A process without further output yields no more lines.
    patience = Timer(60, running.kill)
    patience.start()
    try:
        yield iter(running.stderr)
    finally:
        patience.cancel()
        running.terminate()
        running.communicate(timeout=60)


@pytest.mark.parametrize("process", STARTS)
def test_log_names_missing_and_unknown_migrations(migrated: Path, process: str, url: str) -> None:
    with closing(sqlite3.connect(Home(migrated).database)) as database, database:
        moved = database.execute(
            "UPDATE django_migrations SET name = '0999_note_something' "
            "WHERE app = 'workloads' AND name = '0001_create_workloads'"
        )
        assert moved.rowcount == 1
    with started(process, migrated, url) as lines:
        told = (json.loads(line) for line in lines if "database and code differ" in line)
        older, newer = next(told), next(told)
    for each in (older, newer):
        del each["timestamp"]
        assert each.pop("logger") == "console.migrating"
        assert each.pop("event") == "database and code differ"
    assert older == {"level": "error", "database": OLDER}
    assert newer == {"level": "warning", "note": NEWER}
