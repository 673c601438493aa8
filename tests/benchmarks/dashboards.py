"""
Response times while 200 dashboards are open and 200 workloads a second are admitted.

All processes share the machine: web processes, workers, broker, dashboards, and the clients that
submit and finish. The dashboards show one organization to members of five roles, on seven kinds of
page.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks import busy_org
from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import Reader
from tests.product import ROOT, Api, Product, running

DASHBOARDS = 200
#: Workloads per second, and workloads per request.
RATE, BULK = 200, 20
#: Seconds of opening the dashboards, of the measurement, and of quiet at the end.
WARM, SECONDS, QUIET = 20, 60, 25
#: Seconds between two pages of an additional visitor.
PAGE_EVERY = 0.25
MOST_MS = 200

#: Roles of ten members: most only view, few administer.
ROLES = (*["viewer"] * 4, *["submitter"] * 3, "operator", "editor", "owner")
#: Pages of twenty dashboards; the number of the dashboard determines queue and cohort.
PAGES = (
    *["/"] * 4,
    *["/queues"] * 3,
    *["/queues/team-{queue}"] * 5,
    *["/cohorts/lab-{cohort}"] * 2,
    *["/workloads", "/workloads?state=pending", "/workloads?queue=team-{queue}"],
    "/events",
    *["/usage?range=1h", "/queues/team-{queue}/usage"],
)


def run() -> Iterator[Measured]:
    """Fill an organization, watch its pages under load, check them, and measure."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        busy_org.fill(product.api())
        yield from measure(product)


def measure(
    product: Product, dashboards: int = DASHBOARDS, seconds: float = SECONDS
) -> Iterator[Measured]:
    """Measure *dashboards* dashboards of a filled organization for *seconds*."""
    pages = _sign_in(product, dashboards)
    crew = _Crew(Executor(product.api()), Submitter(product.api()), Visitor(Reader(product)))
    looking = _look_on(product.port, pages, WARM + seconds + QUIET)
    crew.start()
    time.sleep(WARM)
    before, begun = _cpu(product), time.monotonic()
    crew.count(True)
    time.sleep(seconds)
    took = time.monotonic() - begun
    crew.count(False)
    spent = {name: used - before[name] for name, used in _cpu(product).items()}
    crew.stop()
    shown = _states(product, pages)
    seen, _ = looking.communicate(timeout=QUIET + 60)
    met = json.loads(seen)
    _check(crew, met["onlookers"], shown, _states(product, pages))
    yield from _measured(crew, met["onlookers"], took)
    for name, used in spent.items():
        yield Measured(name=f"cores of {name}", value=used / took, unit="cores")
    share = met["cpu"] / (WARM + seconds + QUIET)
    yield Measured(name="cores of the dashboards themselves", value=share, unit="cores")


class Submitter(threading.Thread):
    """Submits RATE workloads a second; late requests are made up for."""

    def __init__(self, api: Api) -> None:
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        self.counts = False
        #: Time at which each workload was submitted.
        self.accepted: dict[str, float] = {}
        self.counted: set[str] = set()

    def run(self) -> None:
        """Submit in requests of BULK workloads."""
        begun, sent = time.monotonic(), 0
        while not self._over.wait(max(0.0, begun + sent / RATE - time.monotonic())):
            batch = [busy_org.workload(sent + i) for i in range(BULK)]
            asked = time.monotonic()
            ids = self._api.post("/workloads", {"workloads": batch})["ids"]
            self.accepted.update(dict.fromkeys(ids, asked))
            if self.counts:
                self.counted.update(ids)
            sent += BULK

    def stop(self) -> None:
        """Stop after the present request."""
        self._over.set()
        self.join(30)


class Executor(threading.Thread):
    """Follows the decisions, and finishes each workload a second after its admission."""

    def __init__(self, api: Api) -> None:
        super().__init__(daemon=True)
        self._api = api
        self._over = threading.Event()
        self._after = 0
        while rows := api.get(f"/decisions?after={self._after}&limit=1000")["results"]:
            self._after = rows[-1]["seq"]
        self.outcomes: dict[str, list[str]] = {}
        #: Time at which each admission was read.
        self.admitted: dict[str, float] = {}
        self._running: list[tuple[float, str]] = []

    def run(self) -> None:
        """Read decisions and finish workloads; at the end, continue until all are finished."""
        while not (self._over.is_set() and not self._running):
            self.read()
            now = time.monotonic()
            due = [uid for at, uid in self._running if at <= now - 1]
            if due:
                self._running = self._running[len(due) :]
                self._api.post("/workloads/finish", {"ids": due})
            time.sleep(0.1)

    def read(self) -> None:
        """Read the next decisions of the feed."""
        rows = self._api.get(f"/decisions?after={self._after}&limit=1000")["results"]
        now = time.monotonic()
        for row in rows:
            uid = row["workload"]["id"]
            self.outcomes.setdefault(uid, []).append(row["outcome"])
            if row["outcome"] == "admitted":
                self.admitted[uid] = now
                self._running.append((now, uid))
            self._after = row["seq"]

    def stop(self) -> None:
        """Stop when all admitted workloads are finished."""
        self._over.set()
        self.join(60)


class Visitor(threading.Thread):
    """Opens one full page after the other, as a person who clicks through all of them."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(daemon=True)
        self._reader = reader
        self._over = threading.Event()
        self.counts = False
        self.took: list[float] = []

    def run(self) -> None:
        """Open a page every PAGE_EVERY seconds."""
        number = 0
        while not self._over.wait(PAGE_EVERY):
            begun = time.monotonic()
            self._reader.get(f"/o/main{_path(number)}")
            if self.counts:
                self.took.append((time.monotonic() - begun) * 1000)
            number += 1

    def stop(self) -> None:
        """Stop after the present page."""
        self._over.set()
        self.join(30)


@dataclass(slots=True)
class _Crew:
    executor: Executor
    submitter: Submitter
    visitor: Visitor
    _all: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self._all = [self.submitter, self.visitor, self.executor]

    def start(self) -> None:
        for each in self._all:
            each.start()

    def count(self, counts: bool) -> None:
        self.submitter.counts = self.visitor.counts = counts

    def stop(self) -> None:
        for each in self._all:
            each.stop()
        # A failed thread has printed its traceback and ended too early.
        deadline = time.monotonic() + 30
        while set(self.submitter.accepted) - set(self.executor.outcomes):
            assert time.monotonic() < deadline, "not everything was decided within 30 s"
            self.executor.read()


def _path(number: int) -> str:
    queue, cohort = number // 4 % busy_org.QUEUES, number // 4 % busy_org.COHORTS
    return PAGES[number % len(PAGES)].format(queue=queue, cohort=cohort)


def _sign_in(product: Product, count: int) -> list[tuple[str, str]]:
    """Return path and cookie of each dashboard."""
    roles = [ROLES[n // len(PAGES) % len(ROLES)] for n in range(count)]
    code = f"from tests.benchmarks.signed_in import sign_in; sign_in('main', {roles!r})"
    keys = json.loads(product.manage("shell", "-c", code).splitlines()[-1])
    return [(f"/o/main{_path(n)}", f"sluice_session={key}") for n, key in enumerate(keys)]


def _look_on(port: int, pages: list[tuple[str, str]], seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.onlookers"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    asked = {"port": port, "pages": pages, "warm": WARM, "seconds": seconds, "quiet": QUIET}
    process.stdin.write(json.dumps(asked))
    process.stdin.close()
    process.stdin = None
    return process


def _cpu(product: Product) -> dict[str, float]:
    """Return the CPU seconds that each kind of process has used so far."""
    kinds = {"web": "gunicorn", "workers": "celery", "broker": "valkey"}
    return {name: sum(map(_used, product.children(word))) for name, word in kinds.items()}


def _used(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    # User and system time in hundredths of a second.
    return (int(fields[11]) + int(fields[12])) / 100


def _states(product: Product, pages: list[tuple[str, str]]) -> dict[str, str]:
    """Return the state version that each page would have if it were opened now."""
    reader = Reader(product)
    found = {}
    for path in {path for path, _ in pages}:
        version = re.search('id="live-poll" data-version="[0-9]+-([^"]*)"', reader.get(path))
        assert version is not None, path
        found[path] = version[1]
    return found


def _check(
    crew: _Crew, onlookers: list[dict[str, Any]], before: dict[str, str], after: dict[str, str]
) -> None:
    """Check that each workload was decided once, no page failed, and all show the final state."""
    errors = Counter(error for one in onlookers for error in one["errors"])
    assert not errors, errors.most_common(5)
    made = Counter(str(crew.executor.outcomes[uid]) for uid in crew.submitter.accepted)
    assert made.keys() == {"['admitted']"}, made
    for one in onlookers:
        # Some pages change every minute: accept the state of now and of shortly before.
        state = one["version"].partition("-")[2]
        assert state in (before[one["path"]], after[one["path"]]), (one["path"], state)


def _measured(crew: _Crew, onlookers: list[dict[str, Any]], took: float) -> Iterator[Measured]:
    polls = [poll for one in onlookers for poll in one["polls"]]
    for title, wanted in (
        ("all polls", (200, 204)),
        ("polls with news", (200,)),
        ("polls without", (204,)),
    ):
        some = sorted(ms for status, ms, _ in polls if status in wanted)
        yield Measured(name=f"{title}, per second", value=len(some) / took, unit="per s")
        yield from _quantiles(title, some)
    yield from _quantiles("whole pages", sorted(crew.visitor.took))
    waits = sorted(
        (crew.executor.admitted[uid] - crew.submitter.accepted[uid]) * 1000
        for uid in crew.submitter.counted
    )
    rate = len(waits) / took
    yield Measured(name="admitted while they look", value=rate, unit="per s", at_least=0.97 * RATE)
    yield from _quantiles("submitted to seen as admitted", waits, at_most=None)


def _quantiles(
    title: str, sizes: list[float], at_most: float | None = MOST_MS
) -> Iterator[Measured]:
    for share in (0.5, 0.95, 0.99):
        value = sizes[min(len(sizes) - 1, int(len(sizes) * share))] if sizes else 0.0
        bound = at_most if share == 0.95 else None
        yield Measured(name=f"{title}, p{share * 100:.0f}", value=value, unit="ms", at_most=bound)
