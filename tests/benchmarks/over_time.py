"""Duration of sampling with 300 queues, and of pages over 30 days."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import Reader
from tests.product import Api, running

QUEUES, COHORTS, DAYS = 300, 30, 30
QUIET = 1_000
TIMES = 20

_QUEUE = """\
  - name: team-{n}
    cohort_name: lab-{cohort}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: spot
            resources: [{{ name: gpu, nominal_quota: 8 }}, {{ name: cpu, nominal_quota: 64 }}]
          - name: on-demand
            resources: [{{ name: gpu, nominal_quota: 4 }}, {{ name: cpu, nominal_quota: 32 }}]
"""
_RULE = """\
  - selector: [{{ key: team, operator: in, values: [team-{n}] }}]
    resource_queue: team-{n}
"""

CONFIG = "".join(
    [
        "resource_flavors: [{ name: spot }, { name: on-demand }]\nresource_queues:\n",
        *(_QUEUE.format(n=n, cohort=n % COHORTS) for n in range(QUEUES)),
        "scheduling_rules:\n",
        *(_RULE.format(n=n) for n in range(QUEUES)),
    ]
)

#: Bounds of a page and of a list, as for all others.
MOST_MS = 100


def run() -> Iterator[Measured]:
    """Create a history, check the pages about it, and measure reading and sampling."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        api = product.api()
        _work(api)
        product.manage("shell", "-c", "from tests.benchmarks.past import fill; fill('main')")
        _check(api)
        reader = Reader(product)
        for path in (
            "/queues/team-7/usage?range=24h",
            "/queues/team-7/usage?range=7d",
            "/queues/team-7/usage?range=30d",
            "/cohorts/lab-7/usage?range=30d",
            "/usage?range=30d",
        ):
            yield reader.measured(f"page {path}", f"/o/main{path}", MOST_MS)
        path = "/usage?queue=team-7&step=hour&limit=1000&since=2020-01-01T00:00:00Z"
        name = "API /usage of 30 days by the hour"
        yield reader.measured(name, f"/api/v1/orgs/main{path}", 300)
        found = json.loads(
            product.manage(
                "shell", "-c", "from tests.benchmarks.past import measure; measure('main')"
            ).splitlines()[-1]
        )
    # Every queue, every cohort and the organization, in each minute.
    assert found["rows"] == TIMES * (QUEUES + COHORTS + 1), found
    yield Measured(
        name=f"sample {QUEUES} queues that all changed",
        value=found["changed"],
        unit="ms",
        at_most=500,
    )
    yield Measured(
        name=f"sample {QUIET:,} quiet organizations",
        value=found["quiet"],
        unit="ms",
        at_most=200,
    )
    yield Measured(
        name=f"roll up {TIMES} minutes in which {QUEUES} queues changed",
        value=found["rolled"],
        unit="ms",
        at_most=5_000,
    )


def _work(api: Api) -> None:
    """Create running and pending workloads in every queue."""
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    for gpus in (6, 300):
        wanted = [
            {"name": f"w-{n}", "tags": {"team": f"team-{n}"}, "requests": {"gpu": gpus}}
            for n in range(QUEUES)
        ]
        api.post("/workloads", {"workloads": wanted})
    deadline = time.monotonic() + 60
    while api.get("")["counts"] != _COUNTS:
        assert time.monotonic() < deadline, api.get("")["counts"]
        time.sleep(0.1)


_COUNTS = dict.fromkeys(("preempting", "finished", "rejected", "withdrawn"), 0) | {
    "admitted": QUEUES,
    "pending": QUEUES,
}


def _check(api: Api) -> None:
    """Check that the pages show the history as it was written."""
    page = api.get("/usage?queue=team-7&step=hour&limit=1000&since=2020-01-01T00:00:00Z")
    seen = [point for point in page["results"] if point["sampled_minutes"] == 60]
    assert len(seen) == DAYS * 24, len(seen)
    assert {point["happened"]["admitted"] for point in seen} == {12 * 9}
    assert {cell["flavor"] for cell in seen[0]["usage"]} == {"spot", "on-demand"}
