"""
A restart of the web processes as under systemd: the socket stays, and no request is refused.

Requests have no `Idempotency-Key`: a client without an answer could not repeat them safely.
"""

from __future__ import annotations

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from tests.prepared import fill
from tests.product import PATIENCE, ROOT, Api, catches, environment_of, submitter_tokens

KEY = "for this test alone"

#: Seconds until the rest of a slow request is sent; the unit waits much longer.
SLOW = 5

UNIT = ROOT / "deploy" / "systemd" / "sluice-web.service"


class Unit:
    """The command of the systemd unit, started with an inherited socket."""

    def __init__(self, listener: socket.socket, home: Path) -> None:
        command = re.search(r"^ExecStart=\S+/gunicorn (.+)$", UNIT.read_text(), re.MULTILINE)
        assert command is not None
        count = re.search(r"^Environment=.*WEB_PROCESSES=(\d+)$", UNIT.read_text(), re.MULTILINE)
        assert count is not None
        self._processes = int(count[1]) + max(1, int(count[1]) // 4)
        # As systemd passes it: as descriptor 3, with the id of the process itself.
        hand_over = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); os.environ['LISTEN_FDS'] = '1'; "
            "os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.executable, "
            "[sys.executable, '-m', 'gunicorn', *sys.argv[2:]])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", hand_over, str(listener.fileno()), *shlex.split(command[1])],
            cwd=ROOT,
            env=environment_of(home, SECRET_KEY=KEY, WEB_PROCESSES=count[1]),
            pass_fds=[listener.fileno(), 3],
            stderr=subprocess.DEVNULL,
        )

    def is_up(self) -> bool:
        """
        Return whether all processes of the unit serve.

        A process that was just forked does not handle signals yet: on termination it would
        continue, until it is killed, with any request. Its parent has no handler for ABRT.
        """
        found = self.serving()
        return len(found) == self._processes and all(catches(pid, signal.SIGABRT) for pid in found)

    def serving(self) -> list[int]:
        """Return the ids of the processes that serve, or are about to."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in children.read_text().split()]

    def stop(self) -> int:
        """Stop the unit as systemd does, and return its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a database and static files."""
    folder = tmp_path_factory.mktemp("home")
    fill(folder, with_database=True)
    return folder


@pytest.fixture(scope="module")
def tokens(home: Path) -> dict[str, str]:
    """A token of a submitter by organization; each test uses an organization of its own."""
    return submitter_tokens(home, "main", "slow", SECRET_KEY=KEY)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """The listening socket of the socket unit."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        yield listener


class Crowd:
    """Clients that request a page, and clients that submit workloads, without a pause."""

    def __init__(self, port: int, token: str) -> None:
        #: Status of every page.
        self.pages: list[int] = []
        #: Id of each accepted workload, by name.
        self.accepted: dict[str, str] = {}
        #: Failed requests and unexpected answers.
        self.failures: list[str] = []
        self._port, self._token = port, token
        self._done = threading.Event()
        people = [threading.Thread(target=self._ask) for _ in range(2)]
        # Most submitting clients keep their connection; the last one opens a new one each time.
        keeps = (True, True, False)
        programs = [
            threading.Thread(target=self._submit, args=(number, is_kept))
            for number, is_kept in enumerate(keeps)
        ]
        self._threads = [*people, *programs]

    def start(self) -> None:
        """Start the clients."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the clients after their present requests."""
        self._done.set()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def wait_for_more(self, is_enough: Callable[[], bool] = lambda: True) -> None:
        """Wait until more pages and workloads were answered and *is_enough* returns True."""
        pages, accepted = len(self.pages), len(self.accepted)
        _wait_until(
            lambda: (
                len(self.pages) > pages + 10 and len(self.accepted) > accepted + 10 and is_enough()
            ),
            self.failures,
        )

    def _ask(self) -> None:
        while not self._done.is_set():
            connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
            try:
                connection.request("GET", "/login")
                response = connection.getresponse()
                response.read()
                self.pages.append(response.status)
            except (OSError, HTTPException) as error:
                self.failures.append(repr(error))
            finally:
                connection.close()

    def _submit(self, number: int, is_kept: bool) -> None:
        api = Api(self._port, "main", self._token)
        count = 0
        while not self._done.is_set():
            count += 1
            name = f"from-{number}-{count}"
            try:
                answer = api.request("POST", "/workloads", {"workloads": [{"name": name}]})
            except (OSError, HTTPException) as error:
                self.failures.append(f"{name}: {error!r}")
                api.close()
                continue
            if answer.status == 202:
                (self.accepted[name],) = answer.body["ids"]
            else:
                self.failures.append(f"{name}: {answer}")
            if not is_kept:
                api.close()
        api.close()


def test_every_request_is_answered_once_while_the_web_processes_restart(
    home: Path, tokens: dict[str, str], listener: socket.socket
) -> None:
    port = listener.getsockname()[1]
    crowd = Crowd(port, tokens["main"])
    unit = Unit(listener, home)
    ended = []
    try:
        crowd.start()
        for _ in range(2):
            crowd.wait_for_more(unit.is_up)
            ended.append(unit.stop())
            unit = Unit(listener, home)
        crowd.wait_for_more(unit.is_up)
        crowd.stop()
        there = _workloads(port, "main", tokens["main"])
    finally:
        crowd.stop()
        ended.append(unit.stop())
    assert crowd.failures == []
    assert set(crowd.pages) == {200}
    # No workload is lost or exists twice.
    assert there == sorted(crowd.accepted.items())
    assert ended == [0, 0, 0]


def test_a_slow_request_is_answered_by_the_process_that_began_it(
    home: Path, tokens: dict[str, str], listener: socket.socket
) -> None:
    port = listener.getsockname()[1]
    body = json.dumps({"workloads": [{"name": "slow"}]}).encode()
    head = (
        "POST /api/v1/orgs/slow/workloads HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {tokens['slow']}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    unit = Unit(listener, home)
    try:
        _wait_until(unit.is_up, [])
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as slow:
            slow.sendall(head.encode() + body[:9])
            # The process prints a line when it has begun to answer.
            assert slow.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
            unit.process.terminate()
            # The other processes have no requests left; this one waits for the rest of its request.
            _wait_until(lambda: len(unit.serving()) <= 1, [])
            time.sleep(SLOW)
            slow.sendall(body[9:])
            answer = b"".join(iter(lambda: slow.recv(65536), b""))
        assert unit.process.wait(PATIENCE) == 0
        unit = Unit(listener, home)
        there = _workloads(port, "slow", tokens["slow"])
    finally:
        assert unit.stop() == 0
    assert answer.startswith(b"HTTP/1.1 202 Accepted\r\n")
    (uid,) = json.loads(answer.partition(b"\r\n\r\n")[2])["ids"]
    assert there == [("slow", uid)]


def _workloads(port: int, org: str, token: str) -> list[tuple[str, str]]:
    """Return name and id of all workloads of an organization, ordered by name."""
    api = Api(port, org, token)
    found: list[tuple[str, str]] = []
    path: str | None = "/workloads?limit=1000"
    while path is not None:
        page = api.get(path)
        found += [(row["name"], row["id"]) for row in page["results"]]
        path = page["next"] and f"/workloads?limit=1000&cursor={page['next']}"
    api.close()
    return sorted(found)


def _wait_until(happened: Callable[[], bool], failures: list[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, failures
        time.sleep(0.02)
