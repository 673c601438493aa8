"""Pods per second through HTTP, database and worker, on the nodes of a cluster."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.product import Api, running

COUNT, BULK, QUEUES, NODES = 20_000, 500, 50, 100
#: How long all pods may take, in seconds.
_PATIENCE = 300

CONFIG = "\n".join(
    (
        "partitions:",
        "  - name: default",
        "    placementrules: [{name: provided}]",
        "    queues:",
        "      - name: root",
        '        submitacl: "*"',
        "        queues:",
        *(
            f"          - {{name: q{number}, resources: {{guaranteed: {{vcore: 100}}}}}}"
            for number in range(QUEUES)
        ),
    )
)


def run() -> Iterator[Measured]:
    """Start a product with nodes, submit workloads of one pod, and check that each one starts."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        api = product.api()
        version = {"dialect": "yunikorn", "text": CONFIG, "message": "", "expected_version": 0}
        api.post("/config/versions", version, expect=201)
        nodes = [
            {"name": f"n{number}", "allocatable": {"cpu": 2 * COUNT // NODES}}
            for number in range(NODES)
        ]
        answer = api.request("PUT", "/capacity/clusters/east", {"nodes": nodes})
        assert answer.status == 201, answer
        start = time.perf_counter()
        for first in range(0, COUNT, BULK):
            api.post("/workloads", {"workloads": [_workload(first + i) for i in range(BULK)]})
        deadline = time.monotonic() + _PATIENCE
        while _running(api) < COUNT:
            assert time.monotonic() < deadline, f"not all pods run within {_PATIENCE} s"
            time.sleep(0.05)
        took = time.perf_counter() - start
        _check(api)
    yield Measured(
        name=f"HTTP + SQLite + worker: pods in {QUEUES} queues",
        value=COUNT / took,
        unit="per s",
        at_least=1_000,
    )


def _workload(number: int) -> dict[str, Any]:
    return {
        "name": f"w{number}",
        "user": f"u{number % 20}",
        "tags": {"queue": f"root.q{number % QUEUES}"},
        "requests": {"cpu": 1},
    }


def _queues(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get("/queues?limit=200")["results"]
    return found


def _running(api: Api) -> int:
    return sum(each["counts"]["running"] for each in _queues(api))


def _check(api: Api) -> None:
    """Check that each queue has its pods, and the nodes have all of them."""
    leaves = {each["name"]: each for each in _queues(api) if each["name"] != "root"}
    assert {name: each["counts"]["running"] for name, each in leaves.items()} == {
        f"root.q{number}": COUNT // QUEUES for number in range(QUEUES)
    }
    for each in leaves.values():
        (usage,) = [row for row in each["usage"] if row["resource"] == "vcore"]
        assert usage["used"] == COUNT // QUEUES
