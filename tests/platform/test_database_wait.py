"""The command migrate waits for an unreachable database, or names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from console.migrating import database_wait
from console.orgs.management.commands import migrate
from tests.crash.products import serving_postgresql
from tests.product import ROOT

PATIENCE = 60


class Server:
    """A PostgreSQL server that is unreachable for one reason after the other."""

    vendor = "postgresql"

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)

    def ensure_connection(self) -> None:
        """Raise the next reason; succeed when there is none left."""
        if self.reasons:
            raise OperationalError(self.reasons.pop(0))


def test_each_reason_is_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(database_wait.time, "sleep", pauses.append)
    said: list[str] = []
    server = Server("refused\n\tIs it running?", "refused", "starting up", "refused")
    database_wait.wait_for_database(server, PATIENCE, said.append)
    assert server.reasons == []
    assert pauses == [database_wait.PAUSE] * 4
    assert said == [
        "The database cannot be reached yet (refused); trying again.",
        "The database cannot be reached yet (starting up); trying again.",
        "The database cannot be reached yet (refused); trying again.",
    ]


def test_migrate_does_not_wait_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "connections", {"default": Server("refused\n\tIs it running?")})
    with pytest.raises(CommandError) as told:
        call_command("migrate")
    assert str(told.value) == (
        "The database cannot be reached (refused); check DATABASE_URL, and that the server runs "
        "and accepts connections from this machine."
    )


def test_migrate_runs_when_the_server_is_reachable(tmp_path: Path) -> None:
    with serving_postgresql() as url:
        # The socket folder does not exist yet.
        folder = tmp_path / "sockets"
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "SLUICE_HOME": str(tmp_path / "home"),
            "DATABASE_URL": f"postgresql://sluice@{quote(str(folder), safe='')}/postgres",
        }
        with subprocess.Popen(
            # The tables of one app suffice.
            [sys.executable, "manage.py", "migrate", "contenttypes", "--no-input",
             "--wait", str(PATIENCE)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            first = process.stdout.readline()
            folder.symlink_to(unquote(urlsplit(url).netloc.rpartition("@")[2]))
            rest, errors = process.communicate(timeout=PATIENCE)
    assert first.startswith("The database cannot be reached yet (connection ")
    assert first.endswith("); trying again.\n")
    assert (process.returncode, errors) == (0, "")
    applied = [line for line in rest.splitlines() if line.startswith("  Applying ")]
    assert applied
    assert all(line.endswith("... OK") for line in applied)
