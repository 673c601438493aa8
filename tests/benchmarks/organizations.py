"""
1,000 organizations, of which 100 submit 90 % of the workloads: waiting times of the others.

Then one organization submits 20,000 workloads at once, which must not delay the others. Then the
same with workers that keep a fifth of their organizations in memory and load the others when they
have work. On PostgreSQL if available, as an installation of this size would be.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis

from console.celery import BACKGROUND, CHECK_UPS
from console.home import Home
from tests.benchmarks.measured import Measured
from tests.postgres import find_binaries, serving
from tests.product import WORKERS, Api, Product, running

ORGS, BUSY, BUSY_SHARE = 1_000, 100, 0.9
#: Submissions per second, each of one workload, and the connections that send them.
RATE, CONNECTIONS = 100, 4
WARM, SECONDS = 10, 60
#: Workloads that one organization submits at once, and workloads per request.
BACKLOG, BULK = 20_000, 1_000
#: Workloads per organization in the comparison of workers, and number of organizations.
EACH, SCALED = 400, 100
MOST_MS = 1_000
#: Cache size of a worker with little memory: an organization without work counts as 200 workloads,
#: so this holds some 100 of its 500 organizations.
FEW_WARM = 20_000


def run() -> Iterator[Measured]:
    """Measure waits beside busy organizations and a backlog, memory, and one worker against two."""
    yield from _all_warm()
    yield from _few_warm()
    yield from _scaled()


def _all_warm() -> Iterator[Measured]:
    with _product() as (kind, product):
        orgs = create_orgs(product, ORGS)
        for label, backlog in (("100 busy ones", 0), (f"a backlog of {BACKLOG:,}", BACKLOG)):
            found = _measure(product, orgs, backlog)
            yield from found.told(f"{kind}: quiet of 1,000 organizations, beside {label}")
        yield _memory(product, f"{kind}: memory of a worker with {ORGS:,} organizations")


def _few_warm() -> Iterator[Measured]:
    with _product(WARM_WORKLOADS=str(FEW_WARM)) as (kind, product):
        orgs = create_orgs(product, ORGS)
        before = call_many_orgs(product, "loads()")
        found = _measure(product, orgs, 0)
        loads = (call_many_orgs(product, "loads()") - before) / (WARM + SECONDS)
        label = "of which workers keep a fifth"
        yield from found.told(f"{kind}: quiet of 1,000 organizations, {label}")
        # Most of the quiet organizations, a tenth of all submissions, have to be loaded again.
        name = f"{kind}: states read from rows"
        yield Measured(name=name, value=loads, unit="per s", at_least=RATE * (1 - BUSY_SHARE) / 2)
        yield _memory(product, f"{kind}: memory of a worker, {label}")


def _scaled() -> Iterator[Measured]:
    for workers in (1, 2):
        kind, rate = _rate(workers)
        name = f"{kind}: {SCALED} organizations, {workers} worker(s)"
        yield Measured(name=name, value=rate, unit="per s")


def _memory(product: Product, name: str) -> Measured:
    memory = max(resident(pid) for pid in product.children(WORKERS))
    return Measured(name=name, value=memory, unit="MiB", at_most=500)


@contextmanager
def _product(**settings: str) -> Iterator[tuple[str, Product]]:
    binaries = find_binaries()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if binaries is not None:
            settings["DATABASE_URL"] = stack.enter_context(serving(binaries, durable=True))
        kind = "SQLite" if binaries is None else "PostgreSQL"
        yield kind, stack.enter_context(running(folder, **settings))


@dataclass(slots=True)
class _Waits:
    """Sorted milliseconds from submission to decision."""

    quiet: list[float]
    busy: list[float]
    rate: float

    def told(self, name: str) -> Iterator[Measured]:
        yield Measured(name=f"{name}: submits", value=self.rate, unit="per s", at_least=95)
        for share, bound in ((0.5, None), (0.95, MOST_MS), (0.99, None)):
            value = self.quiet[int(len(self.quiet) * share)]
            title = f"{name}: p{share * 100:.0f}"
            yield Measured(name=title, value=value, unit="ms", at_most=bound)
        value = self.busy[int(len(self.busy) * 0.95)]
        yield Measured(name=f"{name}: busy, p95", value=value, unit="ms")


def create_orgs(product: Product, count: int) -> list[tuple[str, str]]:
    """Create *count* organizations, wait until they are idle, and return slug and token of each."""
    found = call_many_orgs(product, f"make({count})")
    wait_until_idle(product)
    # New organizations are evaluated once; a thousand at the same time are unusual.
    with Redis(unix_socket_path=str(Home(product.home).broker_socket)) as broker:
        deadline = time.monotonic() + 300
        while broker.llen(BACKGROUND) or broker.llen(CHECK_UPS):
            assert time.monotonic() < deadline, "not all organizations were evaluated within 300 s"
            time.sleep(1)
    return [(slug, token) for slug, token in found]


def call_many_orgs(product: Product, call: str) -> Any:
    """Return the output of a function of many_orgs, run in a command of *product*."""
    code = f"from tests.benchmarks import many_orgs; many_orgs.{call}"
    # The creation of a thousand organizations may take minutes on a slow machine.
    return json.loads(product.manage("shell", "-c", code, patience=600).splitlines()[-1])


def wait_until_idle(product: Product) -> None:
    """Wait until workers have processed all requests."""
    deadline = time.monotonic() + 120
    while call_many_orgs(product, "left()"):
        assert time.monotonic() < deadline, "not everything was taken in within 120 s"
        time.sleep(0.2)


def _measure(product: Product, orgs: list[tuple[str, str]], backlog: int) -> _Waits:
    """Submit for SECONDS, and return the waits of the quiet and of the busy organizations."""
    over, failures = threading.Event(), list[BaseException]()
    begun = time.time() + WARM

    def send(first: int) -> None:
        try:
            _send(product.port, orgs, first, over)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=send, args=(n,), daemon=True) for n in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    time.sleep(WARM)
    if backlog:
        _submit(product.port, *orgs[0], backlog)
    time.sleep(max(0.0, begun + SECONDS - time.time()))
    ended = time.time()
    over.set()
    for thread in threads:
        thread.join(30)
    assert not failures, failures
    wait_until_idle(product)
    rows = [row for row in call_many_orgs(product, "waits()") if begun <= row[1] < ended]
    slow = {slug for slug, _ in orgs[:BUSY]}
    quiet = sorted(wait * 1000 for slug, _, wait in rows if slug not in slow)
    busy = sorted(wait * 1000 for slug, _, wait in rows if slug in slow)
    rate = (len(rows) - backlog) / (ended - begun)
    return _Waits(quiet=quiet, busy=busy, rate=rate)


def _send(port: int, orgs: list[tuple[str, str]], first: int, over: threading.Event) -> None:
    """Send every CONNECTIONS-th submission by the clock: late ones are made up for."""
    draw = random.Random(first)
    busy, quiet = orgs[:BUSY], orgs[BUSY:]
    api = Api(port, "", "")
    begun, number = time.monotonic(), first
    while not over.wait(max(0.0, begun + number / RATE - time.monotonic())):
        org = draw.choice(busy if draw.random() < BUSY_SHARE else quiet)
        api.act_for(*org)
        workload = {"name": f"train-{number}", "requests": {"gpu": 1}}
        api.post("/workloads", {"workloads": [workload]})
        number += CONNECTIONS
    api.close()


def _submit(port: int, slug: str, token: str, count: int) -> None:
    api = Api(port, slug, token)
    for first in range(0, count, BULK):
        names = (f"bulk-{number}" for number in range(first, min(first + BULK, count)))
        batch = [{"name": name, "requests": {"gpu": 1}} for name in names]
        api.post("/workloads", {"workloads": batch})
    api.close()


def _rate(workers: int) -> tuple[str, float]:
    """Return the workloads a second that *workers* decide when they always have work."""
    with _product(WORKER_PROCESSES=str(workers)) as (kind, product):
        orgs = create_orgs(product, SCALED)
        begun = time.monotonic()
        for slug, token in orgs:
            _submit(product.port, slug, token, EACH)
        wait_until_idle(product)
        took = time.monotonic() - begun
        decided = len(call_many_orgs(product, "waits()"))
        assert decided == SCALED * EACH, decided
        return kind, decided / took


def resident(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
