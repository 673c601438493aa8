"""A product process for tests: started as users start it, used over HTTP, and stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Self

from tests.prepared import fill

ROOT = Path(__file__).resolve().parent.parent

#: Word in the process titles of admission workers and of their children.
WORKERS = "worker-"

#: Seconds that a start may take on a busy machine.
PATIENCE = 90


@dataclass(slots=True)
class Answer:
    """An answer of the API."""

    status: int
    body: Any


class Api:
    """A keep-alive connection with a token of one organization."""

    def __init__(self, port: int, org: str, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._used = 0.0
        self.act_for(org, token)

    def act_for(self, org: str, token: str) -> None:
        """Use the token of another organization from now on, over the same connection."""
        self._base = f"/api/v1/orgs/{org}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def get(self, path: str) -> Any:
        """Return the body of a path below the organization; fail on any status but 200."""
        answer = self.request("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def post(self, path: str, body: Any, expect: int = 202) -> Any:
        """Send *body* and return the body of the answer; fail on any status but *expect*."""
        answer = self.request("POST", path, body)
        assert answer.status == expect, answer
        return answer.body

    def request(self, method: str, path: str, body: Any = None, key: str = "") -> Answer:
        """Send a request, with *key* as its Idempotency-Key, and return status and body."""
        # The server closes connections that are idle for two seconds.
        if time.monotonic() - self._used > 1:
            self._connection.close()
        payload = None if body is None else json.dumps(body)
        headers = {**self._headers, "Idempotency-Key": key} if key else self._headers
        self._connection.request(method, self._base + path, payload, headers)
        response = self._connection.getresponse()
        text = response.read()
        self._used = time.monotonic()
        return Answer(response.status, json.loads(text) if text else None)


class Management:
    """Runs management commands in one process, which starts with the first command."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, *arguments: str, patience: float = PATIENCE) -> str:
        """Run a command and return its output; fail if its exit status is not 0."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.management"],
                cwd=ROOT,
                env=dict(self._environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        killing = threading.Timer(patience, self._process.kill)
        killing.start()
        try:
            self._process.stdin.write(json.dumps(arguments) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            killing.cancel()
        assert line, f"no answer of {arguments} within {patience} s"
        answer = json.loads(line)
        assert answer["status"] == 0, answer["err"]
        out: str = answer["out"]
        return out.strip()

    def close(self) -> None:
        """End the process; another command would start a new one."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


@dataclass(slots=True)
class Product:
    """A running product: its address and its output so far."""

    process: subprocess.Popen[str]
    home: Path
    environment: Mapping[str, str]
    #: Its management commands run in one process.
    management: Management
    port: int = 0
    lines: list[str] = field(default_factory=list)
    connections: list[Api] = field(default_factory=list)
    #: Tokens by organization and role.
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    def manage(self, *arguments: str, patience: float = PATIENCE) -> str:
        """Run a management command against this product and return its output."""
        return self.management.run(*arguments, patience=patience)

    def api(self, org: str = "main", role: str = "owner") -> Api:
        """Return a new connection; connections of one organization and role share a token."""
        if (org, role) not in self.tokens:
            names = ("--org", org, "--role", role, "--name", f"{role} test")
            self.tokens[org, role] = self.manage("create_token", *names)
        api = Api(self.port, org, self.tokens[org, role])
        self.connections.append(api)
        return api

    def children(self, word: str) -> list[int]:
        """Return the ids of processes of this product whose command line contains *word*."""
        return [pid for pid, line in _descendants(self.process.pid) if word in line]

    def checks(self) -> dict[str, str]:
        """Return the result of each check of `/readyz`."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/readyz")
        checks: dict[str, str] = json.loads(connection.getresponse().read())["checks"]
        connection.close()
        return checks

    def output(self) -> str:
        """Return all output so far."""
        return "".join(self.lines)


def catches(pid: int, number: signal.Signals) -> bool:
    """Return whether a process handles a signal; False if the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def managing(home: Path, **settings: str) -> Management:
    """Return a context manager that runs management commands without a running product."""
    return Management(environment_of(home, **settings))


def submitter_tokens(home: Path, *orgs: str, **settings: str) -> dict[str, str]:
    """Create organizations in the migrated database of *home*; return a submitter token of each."""
    found = {}
    with managing(home, **settings) as management:
        for org in orgs:
            management.run("create_org", org)
            words = ("--org", org, "--role", "submitter", "--name", "test")
            found[org] = management.run("create_token", *words)
    return found


def web_command(*descriptors: int, application: str = "", grace: int = 5) -> list[str]:
    """Return the command of web processes on inherited sockets, as docs/operations.md has it."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:console.server.gunicorn_config"),
        *(f"--bind=fd://{each}" for each in descriptors),
        *("--graceful-timeout", str(grace), "--log-level", "warning"),
        *filter(None, [application]),
    ]


@contextmanager
def running(home: Path, *, first: bool = False, **settings: str) -> Iterator[Product]:
    """
    Start a product on a free port with *home* as its state folder; stop it at the end.

    Within a test run an empty folder is filled from the prepared one that all tests share; with
    *first*, the product itself does everything that a first start does.
    """
    environment = environment_of(home, **settings)
    if not first:
        fill(home, with_database="DATABASE_URL" not in environment)
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    product = Product(process, home, environment, Management(environment))
    reader = threading.Thread(target=_read, args=(product,), daemon=True)
    reader.start()
    try:
        _wait_until_ready(product)
        yield product
    finally:
        for api in product.connections:
            api.close()
        product.management.close()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        reader.join(5)
        assert process.stdout is not None
        process.stdout.close()


def environment_of(home: Path, **settings: str) -> dict[str, str]:
    """Return the environment of the processes of a product with *home* as its state folder."""
    return {
        **{name: value for name, value in os.environ.items() if name not in _OURS},
        "SLUICE_HOME": str(home),
        "SLUICE_DEMO": "0",
        "PORT": "0",
        **settings,
    }


#: Variables of the developer's environment that must not reach the product.
_OURS = (
    "DATABASE_URL",
    "TEST_DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "DJANGO_SETTINGS_MODULE",
    "ALLOWED_HOSTS",
    "HOST",
    "PORT",
    "OIDC_ISSUER",
    "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET",
    "LOCAL_SIGN_IN",
)


def _read(product: Product) -> None:
    assert product.process.stdout is not None
    for line in product.process.stdout:
        product.lines.append(line)


def _wait_until_ready(product: Product) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = re.search(r"ready at http://[^:]+:(\d+)", product.output())
        if found:
            product.port = int(found.group(1))
            return
        assert product.process.poll() is None, product.output()
        time.sleep(0.05)
    raise AssertionError(f"not ready within {PATIENCE} s:\n{product.output()}")


def _descendants(ancestor: int) -> Iterator[tuple[int, str]]:
    """Yield (pid, command line) of all processes below *ancestor*, parents first."""
    parents: dict[int, int] = {}
    lines: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name in parentheses may hold spaces; the fields behind it do not.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        lines[int(folder.name)] = command
    known = {ancestor}
    while True:
        found = {pid for pid, parent in parents.items() if parent in known} - known
        if not found:
            return
        for pid in sorted(found):
            yield pid, lines[pid]
        known |= found
