"""Checks of a config of 2,000 lines, as the editor makes at every pause in typing."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from console.dialects import dialects
from console.dialects.lints import Facts, lint
from console.engine.model.history import History, Shape
from console.engine.model.workload import PodSet, Workload
from tests.benchmarks.configs import in_config_map, large_config, queue_tree
from tests.benchmarks.measured import Measured
from tests.dialects.kueue.dump import dump
from tests.product import Api, running

#: Number of checks over HTTP; one in twenty may exceed the bound.
SAMPLES = 60
MOST_MS = 150
#: Submissions for each team of the config, in 16 shapes.
GPUS, PRIORITIES, MARKETS = (1, 4, 8, 64), (10, 90), ("SPOT", "ON_DEMAND")
DAYS = 30
BULK = 500


def run() -> Iterator[Measured]:
    """Measure parsing in three dialects, then checks and lints with 30 days of history."""
    native = large_config(2_000)
    yield _read("native", native)
    yield _read("kueue", dump(every=2))
    tree = queue_tree(2_000)
    yield _read("yunikorn", tree)
    yield _read("yunikorn", in_config_map(tree))
    yield from _check(native)


def _read(dialect: str, text: str) -> Measured:
    read = dialects()[dialect].read
    times = []
    for _ in range(9):
        start = time.perf_counter()
        reading = read(text, {})
        times.append(time.perf_counter() - start)
        assert reading.policy is not None, reading.errors[:3]
    lines = text.count("\n")
    assert lines >= 2_000, lines
    median = sorted(times)[len(times) // 2] * 1000
    name = f"check a {dialect} config of {lines:,} lines"
    return Measured(name=name, value=median, unit="ms", at_most=100)


def _check(text: str) -> Iterator[Measured]:
    submissions = list(_submissions(text.count("\n  - name: team-")))
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        api = product.api()
        version = {"dialect": "native", "text": text, "message": "", "expected_version": 0}
        api.post("/config/versions", version, expect=201)
        for first in range(0, len(submissions), BULK):
            api.post("/workloads", {"workloads": submissions[first : first + BULK]})
        rows = _spread(Path(folder) / "sluice.sqlite3", len(submissions))
        expected = _expected(text, submissions)
        times = []
        for number in range(SAMPLES):
            # A different text each time, as while typing.
            start = time.perf_counter()
            body = _checked(api, f"{text}# {number}\n")
            times.append((time.perf_counter() - start) * 1000)
            found = Counter((each["code"], each["range"]["line"]) for each in body["lints"])
            assert found == expected, (found - expected, expected - found)
    shapes = f"{rows:,} rows of history"
    first = times[0]
    times.sort()
    yield Measured(name=f"the first check over HTTP, with {shapes}", value=first, unit="ms")
    yield Measured(
        name=f"check and lint over HTTP, with {shapes}",
        value=times[len(times) * 95 // 100 - 1],
        unit="ms, 95 %",
        at_most=MOST_MS,
    )


def _submissions(teams: int) -> Iterator[dict[str, Any]]:
    for team in range(teams):
        for market in MARKETS:
            for priority in PRIORITIES:
                for gpu in GPUS:
                    yield {
                        "name": f"{team}-{gpu}",
                        "tags": {"team": f"team-{team}"},
                        "market_type": market,
                        "accelerator_type": ("A100", "H100")[team % 2],
                        "priority": priority,
                        "requests": {"gpu": gpu, "cpu": gpu / 2},
                    }


def _spread(database: Path, count: int) -> int:
    """Wait until all rows are recorded, copy them to the days before, and return their number."""
    table = "workloads_recordedshape"
    columns = "org_id, label_set_id, digest, namespace, requested_priority, requests, pod_sets"
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(database, timeout=30)) as connection:
        while connection.execute(f"SELECT sum(runs) FROM {table}").fetchone() != (count,):  # noqa: S608
            assert time.monotonic() < deadline, "not recorded within 60 s"
            time.sleep(0.05)
        with connection:
            for day in range(1, DAYS):
                connection.execute(
                    f"INSERT INTO {table} (day, runs, {columns}) "  # noqa: S608
                    f"SELECT date(day, '-{day} days'), runs, {columns} FROM {table} "
                    "WHERE day = (SELECT max(day) FROM workloads_recordedshape)"
                )
        rows: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    assert rows == count * DAYS, rows
    return rows


def _expected(text: str, submissions: list[dict[str, Any]]) -> Counter[tuple[str, int]]:
    """Return code and line of the lints for the same history, computed without a product."""
    shapes = (
        Shape(
            workload=Workload(
                id=str(number),
                sequence=number,
                labels={
                    **each["tags"],
                    "market-type": each["market_type"],
                    "accelerator-type": each["accelerator_type"],
                },
                priority=each["priority"],
                pod_sets=(
                    PodSet(requests={k: int(v * 1000) for k, v in each["requests"].items()}),
                ),
            ),
            runs=DAYS,
            last_seen="2026-01-01",
        )
        for number, each in enumerate(submissions)
    )
    dialect = dialects()["native"]
    history = History(window_days=DAYS, shapes=tuple(shapes))
    checked = lint(dialect, dialect.read(text, {}), Facts(history=history))
    found = Counter((each.code, each.span.line) for each in checked.findings)
    assert {code for code, _ in found} >= {"LNT007", "LNT013"}, found
    return found


def _checked(api: Api, text: str) -> Any:
    body = api.post("/config/check", {"dialect": "native", "text": text}, expect=200)
    assert body["ok"], body["diagnostics"]
    return body
