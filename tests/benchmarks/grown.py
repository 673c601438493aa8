"""
An organization with millions of finished workloads, compared with one with hardly any.

The same workloads are submitted and the same pages are opened before the history exists and
afterwards, and finally while retention deletes half of it: on PostgreSQL, on PostgreSQL with
partitions, and on SQLite. The history takes about 4 kB of disk per workload.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.benchmarks import forgetting
from tests.benchmarks.busy_org import (
    BORROWING,
    CONFIG,
    QUEUES,
    RUNNING,
    TOO_MANY,
    WAITING,
    workload,
)
from tests.benchmarks.crowd import BULK, submit_all, wait_until
from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import MOST_MS, Reader, far_down
from tests.postgres import MISSING, find_binaries, serving
from tests.product import Api, Product, running

#: Finished workloads; `GROWN_WORKLOADS` sets another number.
PAST: Final = int(os.environ.get("GROWN_WORKLOADS", "5000000"))
#: Databases with their settings; `GROWN_ON` selects some, separated by commas.
PLACES: Final = {
    "postgresql": {},
    "partitioned": {"PARTITION_ROWS": "1000000"},
    "sqlite": {},
}
#: Workloads of one round, which fit beside the running ones, and number of rounds.
COUNT, ROUNDS = 3_600, 5
#: Least throughput with a history, as a share of that without one.
LEAST_SHARE: Final = 0.8
#: Seconds that the creation of the history may take on a slow machine.
_PATIENCE: Final = 4 * 3600

#: Pages that are opened without a history, too.
_MAIN: Final = ("/", "/queues", "/workloads", "/events")

_WAITING_QUEUES: Final = range(0, QUEUES, 3)


def run() -> Iterator[Measured]:
    """Measure without and with a history on each database, and check the results."""
    binaries = find_binaries()
    chosen = os.environ.get("GROWN_ON", ",".join(PLACES)).split(",")
    if binaries is None and chosen != ["sqlite"]:
        sys.exit(MISSING.format(verb="cannot run").replace("tests", "measurements"))
    for place in chosen:
        with ExitStack() as stack:
            settings = dict(PLACES[place])
            if place != "sqlite":
                assert binaries is not None
                settings["DATABASE_URL"] = stack.enter_context(serving(binaries, durable=True))
            home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            yield from _both(place, home, settings)


@dataclass(frozen=True, slots=True)
class _Results:
    """Results of one product: workloads a second, and milliseconds by page."""

    rate: float
    pages: dict[str, float]


def _both(place: str, home: Path, settings: dict[str, str]) -> Iterator[Measured]:
    with _product(home, settings) as product:
        person = _owner(product)
        if place == "partitioned":
            # The product is new and empty, so no other process uses the tables for long.
            told = product.manage("partition")
            assert told.count(" is partitioned.") == 4, told
        api = product.api()
        version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
        api.post("/config/versions", version, expect=201)
        young, live = _measure(api, product, person, {})
        _end(api, live)
        ended = sum(api.get("")["counts"].values())
    code = f"from tests.benchmarks import long_past; long_past.grow('main', {PAST})"
    begun = time.monotonic()
    told = json.loads(product.manage("shell", "-c", code, patience=_PATIENCE).splitlines()[-1])
    assert told["Workload"] == max(PAST, ended), told
    past = {state: told[state] for state in ("finished", "withdrawn")}
    yield Measured(
        name=f"{place}: {told['Workload']:,} workloads that ended, {told['Decision']:,} decisions, "
        f"{told['Event']:,} events: made in",
        value=time.monotonic() - begun,
        unit="s",
    )
    with _product(home, settings) as product:
        old, _ = _measure(product.api(), product, person, past)
    yield from _compared(place, young, old)
    with _product(home, {**settings, **forgetting.SETTINGS}) as product:
        name = f"{place}, while the past is forgotten"
        yield from forgetting.run(name, product.api(), Reader(product, person), _MAIN)


def _product(home: Path, settings: dict[str, str]) -> AbstractContextManager[Product]:
    return running(home, WEB_PROCESSES="2", WORKER_PROCESSES="2", **settings)


def _owner(product: Product) -> tuple[str, str]:
    """Return email address and password of the owner of a first start."""
    welcome = re.search(r"Sign in as +(\S+)\s+Password +(\S+)", product.output())
    assert welcome is not None
    return welcome[1], welcome[2]


def _measure(
    api: Api, product: Product, person: tuple[str, str], past: dict[str, int]
) -> tuple[_Results, tuple[list[str], list[str]]]:
    """Create running and pending workloads, measure, and return results and the ids of both."""
    numbers = [
        queue
        for queue in range(QUEUES)
        for _ in range(BORROWING if queue in _WAITING_QUEUES else RUNNING)
    ]
    runs = submit_all(api, [workload(number) for number in numbers])
    wait_until(api, "admitted", len(runs))
    stuck = [workload(queue, TOO_MANY) for queue in _WAITING_QUEUES for _ in range(WAITING)]
    waits = submit_all(api, stuck)
    wait_until(api, "pending", len(waits))
    took, gone = 0.0, 0
    for _ in range(ROUNDS):
        after = _newest_decision(api)
        begun = time.monotonic()
        ids = submit_all(api, [workload(number) for number in range(COUNT)])
        wait_until(api, "admitted", len(runs) + COUNT)
        for first in range(0, COUNT, BULK):
            api.post("/workloads/finish", {"ids": ids[first : first + BULK]})
        wait_until(api, "admitted", len(runs))
        took += time.monotonic() - begun
        gone += COUNT
        _check_round(api, after, ids)
    counts = api.get("")["counts"]
    assert counts == {
        "pending": len(waits),
        "admitted": len(runs),
        "preempting": 0,
        "finished": past.get("finished", 0) + gone,
        "rejected": 0,
        "withdrawn": past.get("withdrawn", 0),
    }, counts
    reader = Reader(product, person)
    paths = _pages(api, reader) if past else _MAIN
    pages = {path: reader.measured(path, f"/o/main{path}", MOST_MS).value for path in paths}
    return _Results(ROUNDS * COUNT / took, pages), (runs, waits)


def _newest_decision(api: Api) -> int:
    """Return a number after the last decision, found by bisection."""

    def is_behind(number: int) -> bool:
        return not api.get(f"/decisions?after={number}&limit=1")["results"]

    low, high = 0, 1
    while not is_behind(high):
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_behind(middle) else (middle + 1, high)
    return high


def _check_round(api: Api, after: int, ids: list[str]) -> None:
    """Check that each workload of a round was admitted once, and that nothing else was decided."""
    outcomes: list[tuple[str, str]] = []
    while rows := api.get(f"/decisions?after={after}&limit=1000")["results"]:
        outcomes += [(row["workload"]["id"], row["outcome"]) for row in rows]
        after = rows[-1]["seq"]
    mine = set(ids)
    assert sorted(each for each in outcomes if each[0] in mine) == sorted(
        (uid, "admitted") for uid in ids
    )


def _end(api: Api, live: tuple[list[str], list[str]]) -> None:
    """Withdraw the pending workloads and finish the running ones."""
    runs, waits = live
    for ids, verb in ((waits, "withdraw"), (runs, "finish")):
        for first in range(0, len(ids), BULK):
            api.post(f"/workloads/{verb}", {"ids": ids[first : first + BULK]})
    wait_until(api, "admitted", 0)
    wait_until(api, "pending", 0)


def _pages(api: Api, reader: Reader) -> Iterator[str]:
    """Yield the pages that are opened most, and those that reach far back."""
    yield from _MAIN
    yield from ("/queues/team-7", "/usage", "/config")
    yield from ("/settings/retention", "/workloads?group_by=user", "/events?type=REQUEST_FULFILLED")
    for query in (
        *("state=pending", "state=admitted", "state=finished", "queue=team-3&state=finished"),
        *("user=user-7", "project=project-3&state=finished", "label.team=team-3", "type=job"),
        *("label.stage=stage-3&state=admitted", "q=train-0000", "q=nothing-like-it"),
        "user=user-7&queue=team-7&state=pending",
    ):
        yield f"/workloads?{query}"
    yield far_down(reader)
    for state in ("pending", "admitted", "finished"):
        (one,) = api.get(f"/workloads?state={state}&limit=1")["results"]
        yield f"/workloads/{one['id']}"
    # One of the first workloads.
    (one,) = api.get("/workloads?cursor=1000&limit=1")["results"]
    yield f"/workloads/{one['id']}"


def _compared(place: str, young: _Results, old: _Results) -> Iterator[Measured]:
    name = f"{place}: submit, admit and finish"
    yield Measured(name=f"{name}, no past", value=young.rate, unit="per s")
    yield Measured(
        name=f"{name}, {PAST:,} finished",
        value=old.rate,
        unit="per s",
        at_least=LEAST_SHARE * young.rate,
    )
    for path, value in young.pages.items():
        yield Measured(name=f"{place}: page {path}, no past", value=value, unit="ms")
    for path, value in old.pages.items():
        yield Measured(name=f"{place}: page {path}", value=value, unit="ms", at_most=MOST_MS)
