"""A restart of the web processes as systemd does it: the socket stays, and nobody is refused."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.product import PATIENCE, ROOT

UNIT = ROOT / "deploy" / "systemd" / "sluice-web.service"


class Unit:
    """The command of the unit, started with a socket that it inherits."""

    def __init__(self, listener: socket.socket, home: Path) -> None:
        command = re.search(r"^ExecStart=\S+/gunicorn (.+)$", UNIT.read_text(), re.MULTILINE)
        assert command is not None
        count = re.search(r"--workers (\d+)", command[1])
        assert count is not None
        self._processes = int(count[1])
        # As systemd hands it over: the third descriptor, and the id of the process itself.
        hand_over = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ['LISTEN_FDS'] = '1'; "
            "os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.executable, "
            "[sys.executable, '-m', 'gunicorn', *sys.argv[2:]])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", hand_over, str(listener.fileno()), *shlex.split(command[1])],
            cwd=ROOT,
            env=_environment(home),
            pass_fds=[listener.fileno(), 3],
            stderr=subprocess.DEVNULL,
        )

    def is_up(self) -> bool:
        """
        Say whether all of its processes serve.

        One that was made this very moment does not listen to signals yet: told to end, it would
        go on until it is killed, with whatever it is doing.
        """
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = children.read_text().split()
        return len(pids) == self._processes and all(map(_catches_abort, pids))

    def stop(self) -> int:
        """End it as systemd does, and return its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


def _catches_abort(pid: str) -> bool:
    """Say whether a process has the handlers of a worker; what made it has none for ABRT."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (signal.SIGABRT - 1) & 1)


def _environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "SLUICE_HOME": str(home),
        "SECRET_KEY": "for this test alone",
        "DJANGO_SETTINGS_MODULE": "console.settings",
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A state folder with a database and static files."""
    for command in (["migrate", "--verbosity", "0"], ["collectstatic", "--no-input", "-v", "0"]):
        subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=_environment(tmp_path),
            check=True,
        )
    return tmp_path


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """The socket of the socket unit."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        yield listener


def test_nobody_is_refused_while_the_web_processes_restart(
    home: Path, listener: socket.socket
) -> None:
    port = listener.getsockname()[1]
    statuses: list[int] = []
    failures: list[str] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            try:
                connection.request("GET", "/login")
                response = connection.getresponse()
                response.read()
                statuses.append(response.status)
            except OSError as error:
                failures.append(repr(error))
            finally:
                connection.close()

    unit = Unit(listener, home)
    people = [threading.Thread(target=ask) for _ in range(4)]
    try:
        for person in people:
            person.start()
        ended = []
        for _ in range(3):
            answered = len(statuses)
            _wait_until(
                lambda answered=answered, unit=unit: len(statuses) > answered + 20 and unit.is_up(),
                failures,
            )
            ended.append(unit.stop())
            unit = Unit(listener, home)
        answered = len(statuses)
        _wait_until(lambda: len(statuses) > answered + 20, failures)
    finally:
        done.set()
        for person in people:
            person.join(PATIENCE)
        ended.append(unit.stop())
    assert failures == []
    assert set(statuses) == {200}
    assert ended == [0, 0, 0, 0]


def _wait_until(happened, failures: list[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, failures
        time.sleep(0.02)
