"""
Twelve hostile members of two organizations beside 100 submissions a second of ten others.

The hostile members keep connections open without finishing a request, ask for expensive
explanations, check and compare configs of a megabyte, and export lists, each again as soon as the
last request is answered or refused. Measured are the pages of the other organizations, how long
their workloads wait for a decision, and the memory of every process of the product. At the end
each of their workloads was admitted once and is finished.

`HOSTILE_SECONDS` says for how long; without it, an hour.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Final

from tests.benchmarks.crowd import submit_all
from tests.benchmarks.measured import Measured
from tests.benchmarks.organizations import call_many_orgs, create_orgs, resident, wait_until_idle
from tests.benchmarks.rounds import Round
from tests.postgres import MISSING, find_binaries, serving
from tests.product import Api, Product, running
from tests.worlds import contended_config as contended

#: Number of organizations that submit, their workloads per second and per request, and the
#: connections that send them. In requests of one workload each, the submissions and their client
#: alone would keep two cores busy.
ORGS, RATE, BULK, CONNECTIONS = 10, 100, 5, 5
#: Seconds between two rounds in which an organization finishes its admitted workloads.
FINISH_EVERY: Final = 1.0
SECONDS: Final = int(os.environ.get("HOSTILE_SECONDS", "3600"))
#: Seconds before the measurement.
WARM: Final = 20
#: Seconds between two pages of a member of another organization.
PAGE_EVERY: Final = 0.25
_PAGES: Final = ("/", "/queues", "/queues/train", "/workloads", "/events", "/usage?range=1h")
#: Seconds between an answer to a hostile member and its next request.
PAUSE: Final = 0.05
#: Connections that each hostile member with unfinished requests keeps open.
KEPT_OPEN: Final = 50
#: Queues of the checked and compared configs, which have about a megabyte each.
QUEUES: Final = 6_000
MOST_PAGE_MS, MOST_WAIT_MS, MOST_MIB = 300, 1_000, 600

#: The hostile members use a separate client address, as other people would.
_HOSTILE_ADDRESS: Final = "127.0.0.2"
#: The organization with many workloads, so that explanations and lists are long, and the one with a
#: long config.
_CROWDED, _CONFIGURED = "crowded", "configured"
_HEAD: Final = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
_BODY: Final = (
    b"POST /login HTTP/1.1\r\nHost: localhost\r\nCookie: sluice_csrf=" + b"a" * 32 + b"\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nemail="
)
_QUEUE: Final = """\
  - name: {name}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: any
            resources: [{{ name: gpu, nominal_quota: 8 }}]
"""


def run() -> Iterator[Measured]:
    """Start a product, run all clients for SECONDS, check the results, and measure."""
    binaries = find_binaries()
    if binaries is None:
        sys.exit(MISSING.format(verb="cannot run").replace("tests", "measurements"))
    with (
        serving(binaries, durable=True) as url,
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), DATABASE_URL=url, WEB_PROCESSES="2", WORKER_PROCESSES="2") as product,
    ):
        orgs = create_orgs(product, ORGS)
        members = _hostile_members(product)
        rounds = [
            Round(
                product.port,
                orgs[n::CONNECTIONS],
                rate=RATE / CONNECTIONS,
                bulk=BULK,
                delay=n * BULK / RATE,
                finish_every=FINISH_EVERY,
            )
            for n in range(CONNECTIONS)
        ]
        visitor = _Visitor(product, orgs[0][0])
        over = threading.Event()
        hostile = [
            threading.Thread(target=member.work, args=(over,), daemon=True) for member in members
        ]
        for thread in (*rounds, visitor, *hostile):
            thread.start()
        time.sleep(WARM)
        begun = time.time()
        visitor.counts = True
        memory = _largest(product, begun + SECONDS)
        visitor.counts = False
        ended = time.time()
        over.set()
        for thread in hostile:
            thread.join(150)
            assert not thread.is_alive(), "a hostile member had no answer within 150 s"
        visitor.stop()
        for each in rounds:
            each.stop()
        waits = _checked_waits(product, sum(each.submitted for each in rounds), begun, ended)
    yield from _measured(members, visitor.took, waits, memory)


@dataclass(slots=True)
class _Member:
    """A hostile member: the action that it repeats, and the answers that it got."""

    name: str
    act: Callable[[], int]
    #: Status -> number of answers; 0 is a refused or closed connection.
    answers: Counter[int] = field(default_factory=Counter)

    def work(self, over: threading.Event) -> None:
        """Repeat the action until *over* is set."""
        while not over.wait(PAUSE):
            try:
                status = self.act()
            except (OSError, HTTPException):
                status = 0
            self.answers[status] += 1


class _Unfinished:
    """Keeps connections open with requests that never end."""

    def __init__(self, port: int, beginning: bytes) -> None:
        self._port = port
        self._beginning = beginning
        self._kept: list[socket.socket] = []

    def __call__(self) -> int:
        """Open a connection, or check the oldest one; return 100 while it is kept open."""
        if len(self._kept) < KEPT_OPEN:
            opened = socket.create_connection(("127.0.0.1", self._port), 10, (_HOSTILE_ADDRESS, 0))
            opened.sendall(self._beginning)
            opened.setblocking(False)
            self._kept.append(opened)
            return 100
        oldest = self._kept.pop(0)
        try:
            oldest.recv(65_536)
        except BlockingIOError:
            self._kept.append(oldest)
            return 100
        oldest.close()
        return 0


class _Asks:
    """Sends each request over a new connection, and reads the whole answer."""

    def __init__(self, product: Product, slug: str, name: str) -> None:
        arguments = ("--org", slug, "--role", "owner", "--name", name)
        token = product.manage("create_token", *arguments)
        self._port = product.port
        self._base = f"/api/v1/orgs/{slug}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def __call__(self, method: str, path: str, body: str | None = None) -> int:
        """Return the status of the answer."""
        connection = HTTPConnection(
            "127.0.0.1", self._port, timeout=120, source_address=(_HOSTILE_ADDRESS, 0)
        )
        try:
            connection.request(method, self._base + path, body, self._headers)
            answer = connection.getresponse()
            while answer.read(65_536):
                pass
            return answer.status
        finally:
            connection.close()


def _hostile_members(product: Product) -> list[_Member]:
    """Fill the organizations of the hostile members and return all twelve members."""
    product.manage("create_org", _CROWDED, "--owner", "owner@localhost")
    waiting = itertools.cycle(_fill_crowded(product.api(_CROWDED)))
    product.manage("create_org", _CONFIGURED, "--owner", "owner@localhost")
    for version, prefix in enumerate(("old", "new")):
        _apply(product.api(_CONFIGURED), "native", _config(prefix), version)
    check = json.dumps({"dialect": "native", "text": _config("renamed")})
    explaining = [_Asks(product, _CROWDED, f"explains {n}") for n in range(3)]
    exporting = [_Asks(product, _CROWDED, f"exports {n}") for n in range(2)]
    checking = [_Asks(product, _CONFIGURED, f"checks {n}") for n in range(2)]
    comparing = _Asks(product, _CONFIGURED, "compares")
    return [
        *(_Member("headers without an end", _Unfinished(product.port, _HEAD)) for _ in range(2)),
        *(_Member("bodies without an end", _Unfinished(product.port, _BODY)) for _ in range(2)),
        *(_Member("explanations", _explaining(asks, waiting)) for asks in explaining),
        *(_Member("checks", partial(asks, "POST", "/config/check", check)) for asks in checking),
        _Member("diffs", partial(comparing, "GET", "/config/versions/1/diff?to=2")),
        _Member("export of workloads", partial(exporting[0], "GET", "/workloads?as=ndjson")),
        _Member("export of events", partial(exporting[1], "GET", "/events?as=csv")),
    ]


def _fill_crowded(api: Api) -> list[str]:
    """Fill an organization as `tests.worlds.contended` does; return ids of pending workloads."""
    queues, live, draw = contended.QUEUES, contended.RUNNING, Random(1)
    # No workload preempts another while the organization is filled.
    _apply(api, "kueue", contended.config(queues, live, preempts=False), 0)
    submit_all(api, list(contended.running(queues, live, draw)))
    _until_evaluated(api)
    submit_all(api, list(contended.waiting(queues, contended.PENDING, draw)))
    _until_evaluated(api)
    _apply(api, "kueue", contended.config(queues, live), 1)
    _until_evaluated(api)
    while stopping := _in_state(api, "preempting"):
        api.post("/workloads/release", {"ids": stopping})
        _until_evaluated(api)
    return _in_state(api, "pending")


def _in_state(api: Api, state: str) -> list[str]:
    """Return the ids of the newest thousand workloads in *state*."""
    rows = api.get(f"/workloads?state={state}&limit=1000")["results"]
    return [row["id"] for row in rows]


def _until_evaluated(api: Api) -> None:
    """Wait until the engine has evaluated everything that was submitted or released."""
    deadline = time.monotonic() + 600
    while api.get("/workloads?reason=not_evaluated&limit=1")["results"]:
        assert time.monotonic() < deadline, "not everything was evaluated within 600 s"
        time.sleep(1)


def _explaining(asks: _Asks, waiting: Iterator[str]) -> Callable[[], int]:
    lock = threading.Lock()

    def explain() -> int:
        with lock:
            uid = next(waiting)
        return asks("GET", f"/workloads/{uid}/explanation")

    return explain


def _config(prefix: str) -> str:
    """Return a config of about a megabyte whose queue names begin with *prefix*."""
    queues = "".join(_QUEUE.format(name=f"{prefix}-{number}") for number in range(QUEUES))
    return f"resource_flavors: [{{ name: any }}]\nresource_queues:\n{queues}"


def _apply(api: Api, dialect: str, text: str, version: int) -> None:
    applied = {"dialect": dialect, "text": text, "message": "", "expected_version": version}
    api.post("/config/versions", applied, expect=201)


class _Visitor(threading.Thread):
    """A signed-in member of another organization that opens one page after the other."""

    def __init__(self, product: Product, slug: str) -> None:
        super().__init__(daemon=True)
        code = f"from tests.benchmarks.signed_in import sign_in; sign_in({slug!r}, ['owner'])"
        (session,) = json.loads(product.manage("shell", "-c", code).splitlines()[-1])
        self._headers = {"Cookie": f"sluice_session={session}"}
        self._port = product.port
        self._slug = slug
        self._over = threading.Event()
        self._failure: BaseException | None = None
        self.counts = False
        #: Milliseconds of each page that was opened during the measurement.
        self.took: list[float] = []

    def run(self) -> None:
        """Open a page every PAGE_EVERY seconds, each over a new connection."""
        try:
            for page in itertools.cycle(_PAGES):
                if self._over.wait(PAGE_EVERY):
                    return
                begun = time.perf_counter()
                self._open(f"/o/{self._slug}{page}")
                if self.counts:
                    self.took.append((time.perf_counter() - begun) * 1000)
        except BaseException as error:
            self._failure = error
            raise

    def stop(self) -> None:
        """Stop after the present page; raise the error that ended the thread."""
        self._over.set()
        self.join(60)
        assert self._failure is None, self._failure

    def _open(self, path: str) -> None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request("GET", path, headers=self._headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status)


def _largest(product: Product, until: float) -> dict[int, float]:
    """Return the highest memory in MiB of each process of *product* up to *until*, by its id."""
    most: dict[int, float] = {}
    while time.time() < until:
        for pid in product.children(""):
            try:
                most[pid] = max(most.get(pid, 0.0), resident(pid))
            except (OSError, ValueError):
                # The process has ended since its id was read.
                continue
        time.sleep(min(5.0, max(0.0, until - time.time())))
    return most


def _checked_waits(product: Product, submitted: int, begun: float, ended: float) -> list[float]:
    """Return sorted milliseconds to the decision; check that all were admitted and finished."""
    wait_until_idle(product)
    rows = [
        row for row in call_many_orgs(product, "waits()") if row[0] not in (_CROWDED, _CONFIGURED)
    ]
    assert len(rows) == submitted, (len(rows), submitted)
    left = call_many_orgs(product, f"unfinished({[_CROWDED, _CONFIGURED]!r})")
    assert left == 0, left
    return sorted(wait * 1000 for _, at, wait in rows if begun <= at < ended)


def _measured(
    members: list[_Member], pages: list[float], waits: list[float], memory: dict[int, float]
) -> Iterator[Measured]:
    title = f"beside 12 hostile members for {SECONDS:,} s"
    rate = len(waits) / SECONDS
    yield Measured(name=f"{title}: submits", value=rate, unit="per s", at_least=0.99 * RATE)
    for name, sizes, bound in (
        ("pages", sorted(pages), MOST_PAGE_MS),
        ("decisions", waits, MOST_WAIT_MS),
    ):
        for share in (0.5, 0.95, 0.99):
            value = sizes[int(len(sizes) * share)]
            at_most = bound if share == 0.95 else None
            label = f"{title}: {name}, p{share * 100:.0f}"
            yield Measured(name=label, value=value, unit="ms", at_most=at_most)
    largest = max(memory.values())
    yield Measured(name=f"{title}: largest process", value=largest, unit="MiB", at_most=MOST_MIB)
    answers: Counter[tuple[str, int]] = Counter()
    for member in members:
        for status, count in member.answers.items():
            answers[member.name, status] += count
    for (name, status), count in sorted(answers.items()):
        yield Measured(name=f"{name}: answered {status}", value=count, unit="times")
