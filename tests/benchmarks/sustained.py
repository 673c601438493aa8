"""
1,000 workloads a second are submitted, admitted and finished in 50 organizations, for minutes.

Two web processes, two workers, PostgreSQL, the broker and the clients share the machine. The
benchmark checks that nothing accumulates: neither requests nor memory.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.benchmarks.measured import Measured
from tests.benchmarks.organizations import call_many_orgs, create_orgs, resident
from tests.benchmarks.rounds import Round
from tests.postgres import MISSING, find_binaries, serving
from tests.product import WORKERS, Product, running

ORGS, CONNECTIONS = 50, 2
#: Workloads per second of all organizations together, and per request.
RATE, BULK = 1_000, 40
#: Seconds before the measurement, and of the measurement; `SUSTAINED_SECONDS` sets another number.
WARM, SECONDS = 20, int(os.environ.get("SUSTAINED_SECONDS", "300"))
#: Bound of the intake age in seconds; one sample in twenty may exceed it.
MOST_AGE = 1.0
#: Most growth of the memory of all processes during the measurement, as a factor.
MOST_GROWTH = 1.1

_AGE = "SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM workloads_intake"


def run() -> Iterator[Measured]:
    """Run the load, and check at the end that each workload was admitted once and is finished."""
    binaries = find_binaries()
    if binaries is None:
        sys.exit(MISSING.format(verb="cannot run").replace("tests", "measurements"))
    with (
        serving(binaries, durable=True) as url,
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), DATABASE_URL=url, WEB_PROCESSES="2", WORKER_PROCESSES="2") as product,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        orgs = create_orgs(product, ORGS)
        crew = [
            Round(
                product.port,
                orgs[n::CONNECTIONS],
                rate=RATE / CONNECTIONS,
                bulk=BULK,
                delay=n / RATE,
            )
            for n in range(CONNECTIONS)
        ]
        for one in crew:
            one.start()
        time.sleep(WARM)
        begun, before = time.monotonic(), sum(one.finished for one in crew)
        memory = [_memory(product)]
        ages = []
        while time.monotonic() < begun + SECONDS:
            time.sleep(1)
            (age,) = connection.execute(_AGE).fetchone() or (0,)
            ages.append(float(age))
            if len(ages) % 60 == 0:
                memory.append(_memory(product))
        took = time.monotonic() - begun
        finished = sum(one.finished for one in crew) - before
        memory.append(_memory(product))
        for one in crew:
            one.stop()
        _check(product, sum(one.submitted for one in crew))
    yield from _measured(finished / took, sorted(ages), memory)


def _memory(product: Product) -> float:
    """Return the memory of the web processes and workers in MiB."""
    words = ("gunicorn", WORKERS)
    return sum(resident(pid) for word in words for pid in product.children(word))


def _check(product: Product, submitted: int) -> None:
    deadline = time.monotonic() + 60
    while call_many_orgs(product, "left()"):
        assert time.monotonic() < deadline, "not everything was taken in within 60 s"
    found = Counter(call_many_orgs(product, "states()"))
    assert found == {"finished": submitted}, (found, submitted)
    assert call_many_orgs(product, "admissions()") == [submitted, submitted]


def _measured(rate: float, ages: list[float], memory: list[float]) -> Iterator[Measured]:
    name = f"PostgreSQL: {ORGS} organizations for {SECONDS} s"
    yield Measured(
        name=f"{name}: submit, admit and finish", value=rate, unit="per s", at_least=0.99 * RATE
    )
    for share, bound in ((0.5, None), (0.95, MOST_AGE), (0.99, None)):
        age = ages[int(len(ages) * share)]
        title = f"{name}: intake age, p{share * 100:.0f}"
        yield Measured(name=title, value=age, unit="s", at_most=bound)
    yield Measured(name=f"{name}: memory at first", value=memory[0], unit="MiB")
    yield Measured(name=f"{name}: at most", value=max(memory), unit="MiB")
    growth = memory[-1] / memory[0]
    yield Measured(
        name=f"{name}: memory at the end", value=growth, unit="times", at_most=MOST_GROWTH
    )
