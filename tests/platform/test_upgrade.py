"""Upgrade without downtime: the next version migrates the database and runs beside this one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg

from console.supervisor import commands
from console.supervisor.readiness import answer
from tests.crash.invariants import check_outcomes, check_rows
from tests.crash.load import Caller, Load
from tests.crash.products import running_on
from tests.prepared import fill
from tests.product import PATIENCE, ROOT, Api, running, web_command

#: The next version: a column that the running version does not know, and its index.
NEXT = {
    "next_settings.py": """
        from console.settings import *
        from console.settings import INSTALLED_APPS
        INSTALLED_APPS = [*INSTALLED_APPS, "next_version"]
        MIGRATION_MODULES = {"workloads": "next_version.workloads_migrations"}
        """,
    "next_version/__init__.py": "",
    "next_version/models.py": """
        from django.db import models
        from console.workloads.models import Workload
        models.TextField(db_default="nothing").contribute_to_class(Workload, "remark")
        """,
    "next_version/workloads_migrations/__init__.py": "",
    "next_version/workloads_migrations/9001_take_remarks.py": """
        from django.db import migrations, models
        class Migration(migrations.Migration):
            dependencies = [("workloads", "{latest}")]
            operations = [
                migrations.AddField("Workload", "remark", models.TextField(db_default="nothing")),
            ]
        """,
    "next_version/workloads_migrations/9002_find_by_remark.py": """
        from django.db import migrations, models
        from console.migrating.operations import AddIndexConcurrently
        class Migration(migrations.Migration):
            atomic = False
            dependencies = [("workloads", "9001_take_remarks")]
            operations = [
                AddIndexConcurrently("Workload", models.Index(fields=["remark"], name="by_remark")),
            ]
        """,
}


def next_version(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Write the next version to *folder* and return the environment in which it runs."""
    known = sorted((ROOT / "console/workloads/migrations").glob("0*.py"))
    for name, text in NEXT.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        written = text.replace("{latest}", known[-1].stem)
        lines = [line.removeprefix(" " * 8) for line in written.splitlines()]
        path.write_text("\n".join(lines) + "\n")
    for each in known:
        shutil.copy(each, folder / "next_version/workloads_migrations")
    return {
        **environment,
        "PYTHONPATH": str(folder),
        "DJANGO_SETTINGS_MODULE": "next_settings",
    }


class Process:
    """A process of the next version and its output so far."""

    def __init__(self, command: list[str], environment: Mapping[str, str], *inherited: int) -> None:
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(environment),
            pass_fds=inherited,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def has_said(self, words: str) -> bool:
        """Return whether one of its lines contains *words*."""
        return any(words in line for line in self.lines)

    def status(self) -> int:
        """Wait for its end and return its exit status."""
        status = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return status

    def stop(self) -> None:
        """Stop the process as systemd does."""
        self._process.terminate()
        self.status()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            self.lines.extend(output)


def migrate(environment: Mapping[str, str]) -> Process:
    """Migrate as in docs/operations.md."""
    return Process([sys.executable, "manage.py", "migrate", "--no-input"], environment)


@contextmanager
def beside(environment: Mapping[str, str]) -> Iterator[tuple[int, Process, Process]]:
    """Start web processes and a worker of the next version; yield the port and the processes."""
    worker = [
        *(sys.executable, "-m", "celery", "--quiet", "--app", "console.celery", "worker"),
        *("--concurrency", "1", "--hostname", "next@%h", "--exclude-queues", "impact,webhooks"),
        *("--without-gossip", "--without-mingle"),
    ]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = web_command(listener.fileno(), grace=commands.WEB_GRACE)
        web = Process(serving, {**environment, "WEB_PROCESSES": "2"}, listener.fileno())
        deciding = Process(worker, environment)
        try:
            port = listener.getsockname()[1]
            until(lambda: answer("127.0.0.1", port, "/healthz")[0] == 200, web)
            yield port, web, deciding
        finally:
            deciding.stop()
            web.stop()


def until(happened: Callable[[], bool], *looked_at: Process) -> None:
    """Wait until *happened* returns True; fail with the lines of *looked_at* otherwise."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, [each.lines for each in looked_at]
        time.sleep(0.05)


def wait_for_progress(load: Load) -> None:
    """Wait until at least 60 more workloads were accepted and 60 more decisions were read."""
    accepted, told = len(load.accepted), len(load.feed)
    until(lambda: len(load.accepted) > accepted + 60 and len(load.feed) > told + 60)


def readiness(port: int) -> tuple[int, dict[str, object]]:
    """Return status and body of /readyz."""
    return answer("127.0.0.1", port, "/readyz")


def failures(lines: list[str]) -> list[str]:
    """Return the lines of a log that contain errors."""
    return [line for line in lines if '"level": "error"' in line or "Traceback" in line]


OK = {"database": "ok", "broker": "ok", "worker": "ok"}
NEWER = (
    "The database is newer than this version, which does not know workloads.9001_take_remarks and "
    "1 more. A database also works with the version before its own; update this process."
)


def test_the_next_version_migrates_and_joins_under_load(tmp_path: Path) -> None:
    with running_on("postgresql", tmp_path / "home", LOG_FORMAT="json") as product:
        later = next_version(tmp_path / "next", product.environment)
        load = Load(product)
        with load.running():
            wait_for_progress(load)
            with psycopg.connect(product.environment["DATABASE_URL"]) as reader:
                # As a long report would: its transaction blocks changes of the table.
                reader.execute("SELECT count(*) FROM workloads_workload")
                # Two machines migrate at once, as when both start.
                both = [migrate(later), migrate(later)]
                until(
                    lambda: any(
                        each.has_said("could not lock a table within 2 seconds") for each in both
                    ),
                    *both,
                )
                wait_for_progress(load)
            assert [each.status() for each in both] == [0, 0], [each.lines for each in both]
            applied = [line for each in both for line in each.lines if line.endswith("... OK\n")]
            assert applied == [
                "  Applying workloads.9001_take_remarks... OK\n",
                "  Applying workloads.9002_find_by_remark... OK\n",
            ]
            wait_for_progress(load)
            assert readiness(product.port) == (
                200,
                {"status": "ok", "checks": OK, "notes": [NEWER]},
            )
            with beside(later) as (port, web, worker):
                until(lambda: worker.has_said("batch decided"), worker)
                api = Api(port, "main", product.tokens["main", "owner"])
                [uid] = load.submit_for_teams(Caller(api), ["probe"])
                until(lambda: api.get(f"/workloads/{uid}")["state"] == "finished", worker)
                api.close()
                assert readiness(port) == (200, {"status": "ok", "checks": OK})
                wait_for_progress(load)
                assert failures([*web.lines, *worker.lines]) == []
        load.drain()
        check_outcomes(load)
        check_rows(product)
        assert load.refusals == set()
        assert failures(product.lines) == []
        with psycopg.connect(product.environment["DATABASE_URL"]) as reader:
            index = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_remark'::regclass"
            assert reader.execute(index).fetchall() == [(True,)]
            remarks = "SELECT DISTINCT remark FROM workloads_workload"
            assert reader.execute(remarks).fetchall() == [("nothing",)]


def test_the_version_before_is_started_again_on_the_migrated_database(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fill(home, with_database=True)
    surroundings = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = migrate(next_version(tmp_path / "next", {**surroundings, "SLUICE_HOME": str(home)}))
    assert done.status() == 0, done.lines
    assert [line for line in done.lines if line.endswith("... OK\n")] == [
        "  Applying workloads.9001_take_remarks... OK\n",
        "  Applying workloads.9002_find_by_remark... OK\n",
    ]
    with running(home) as product:
        assert f"{NEWER}\n" in product.lines
        assert readiness(product.port) == (200, {"status": "ok", "checks": OK, "notes": [NEWER]})
        load = Load(product)
        [uid] = load.submit_for_teams(Caller(product.api()), ["probe"])
        load.drain()
        check_rows(product)
        assert load.finished == {uid}
