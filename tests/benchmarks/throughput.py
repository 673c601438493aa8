"""Workloads per second through HTTP, database and worker, in bulk requests of 500."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.product import Api, running

COUNT = 20_000
BULK = 500

CONFIG = f"""
resource_flavors:
  - name: any
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: any
            resources:
              - {{ name: gpu, nominal_quota: {COUNT} }}
              - {{ name: cpu, nominal_quota: {8 * COUNT} }}
scheduling_rules:
  - resource_queue: train
    priority_policy: {{ default: 50, min: 0, max: 100, on_violation: force_update }}
"""


def run() -> Iterator[Measured]:
    """Start a product, submit, admit and finish COUNT workloads, and check the results."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        api = product.api()
        version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
        api.post("/config/versions", version, expect=201)
        ids: list[str] = []
        start = time.perf_counter()
        for first in range(0, COUNT, BULK):
            answer = api.post(
                "/workloads", {"workloads": [_workload(first + i) for i in range(BULK)]}
            )
            ids += _ids(answer)
        submitted = time.perf_counter() - start
        _wait(lambda: _usage(api) == COUNT)
        admitted = time.perf_counter() - start
        start = time.perf_counter()
        for first in range(0, COUNT, BULK):
            api.post("/workloads/finish", {"ids": ids[first : first + BULK]})
        _wait(lambda: _usage(api) == 0)
        finished = time.perf_counter() - start
        _check(api, ids)
    for verb, took in (("submit", submitted), ("admit", admitted), ("finish", finished)):
        name = f"HTTP + SQLite + worker: {verb}"
        yield Measured(name=name, value=COUNT / took, unit="per s", at_least=1_000)


def _workload(number: int) -> dict[str, Any]:
    return {
        "name": f"train-{number}",
        "type": "job",
        "tags": {"team": f"team-{number % 20}"},
        "instance_type": "p4d.24xlarge",
        "priority": number % 100,
        "requests": {"gpu": 1, "cpu": 8},
        "user": f"user-{number % 50}",
    }


def _ids(answer: Any) -> list[str]:
    return [each if isinstance(each, str) else each["id"] for each in answer["ids"]]


def _usage(api: Api) -> float:
    for row in api.get("/queues/train")["usage"]:
        if row["resource"] == "gpu":
            used: float = row["used"]
            return used
    return 0


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "not done within 300 s"
        time.sleep(0.05)


def _check(api: Api, ids: list[str]) -> None:
    """Check that each workload was admitted exactly once and then finished."""
    outcomes: dict[str, list[str]] = {}
    after = 0
    while rows := api.get(f"/decisions?after={after}&limit=1000")["results"]:
        for row in rows:
            outcomes.setdefault(row["workload"]["id"], []).append(row["outcome"])
        after = rows[-1]["seq"]
    admissions = {uid: made.count("admitted") for uid, made in outcomes.items()}
    assert admissions == dict.fromkeys(ids, 1)
    finished = 0
    cursor = ""
    while True:
        page = api.get(f"/workloads?state=finished&limit=1000{cursor}")
        finished += len(page["results"])
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert finished == len(ids), finished
