"""Effect of retention on admission and pages while old rows are deleted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from statistics import quantiles
from typing import Final

from tests.benchmarks.busy_org import workload
from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import MOST_MS, Reader
from tests.product import Api

#: Retention settings that expire half of a history of 80 days.
SETTINGS: Final = {"WORKLOAD_RETENTION_DAYS": "40", "EVENT_RETENTION_DAYS": "40"}
#: Number of workloads, each submitted when the previous one is admitted.
PROBES: Final = 400
#: Most milliseconds until admission, for 95 of 100 workloads.
MOST_WAIT: Final = 1_000


def run(name: str, api: Api, reader: Reader, paths: Iterable[str]) -> Iterator[Measured]:
    """Measure a product with much to delete; check that it still has expired rows at the end."""
    before, begun = _remaining(api), time.monotonic()
    # The pages come first: the fresh connection of the reader would not outlast the probes.
    pages = [reader.measured(f"{name}: page {path}", f"/o/main{path}", MOST_MS) for path in paths]
    waits, ids = [], []
    for number in range(PROBES):
        submitted = time.monotonic()
        (uid,) = api.post("/workloads", {"workloads": [workload(number)]})["ids"]
        while api.get(f"/workloads/{uid}")["state"] != "admitted":
            assert time.monotonic() < submitted + 60, f"workload {uid} is not admitted within 60 s"
            time.sleep(0.005)
        waits.append(1000 * (time.monotonic() - submitted))
        ids.append(uid)
    after, took = _remaining(api), time.monotonic() - begun
    assert 0 < after < before, (before, after)
    yield Measured(name=f"{name}: forgotten", value=(before - after) / took, unit="per s")
    cuts = quantiles(waits, n=20)
    yield Measured(name=f"{name}: submitted to admitted, p50", value=cuts[9], unit="ms")
    yield Measured(
        name=f"{name}: submitted to admitted, p95", value=cuts[18], unit="ms", at_most=MOST_WAIT
    )
    yield from pages
    api.post("/workloads/finish", {"ids": ids})


def _remaining(api: Api) -> int:
    """Return the number of workloads of the history that still exist."""
    counts = api.get("")["counts"]
    return int(counts["finished"] + counts["withdrawn"])
