"""Response times of cohort pages: 300 queues in 30 cohorts, and 300 in a single cohort."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measured import Measured
from tests.benchmarks.pages import Reader
from tests.product import Api, running

QUEUES = 300
#: Organization -> number of its cohorts.
ORGS = {"thirty": 30, "single": 1}
#: GPUs: the nominal quota of each queue per flavor, the requests of the queues with many workloads,
#: and those of the queues with few.
OWNED, MANY, FEW = 8, 24, 4
MOST_MS = 100

_FLAVORS = ("spot", "on-demand", "reserved")
_QUEUE = """\
  - name: team-{n}
    cohort_name: lab-{cohort}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
"""
_FLAVOR = """\
          - name: {name}
            resources: [{{ name: gpu, nominal_quota: 8 }}, {{ name: cpu, nominal_quota: 64 }}]
"""
_RULE = """\
  - selector: [{{ key: team, operator: in, values: [team-{n}] }}]
    resource_queue: team-{n}
"""


def run() -> Iterator[Measured]:
    """Let half of the queues borrow from the others and request more, check it, and measure."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product:
        for org, cohorts in ORGS.items():
            product.manage("create_org", org, "--owner", "owner@localhost")
            api = product.api(org)
            _fill(api, cohorts)
            _check(api, cohorts)
        reader = Reader(product)
        for path in (
            "/o/thirty/cohorts",
            "/o/thirty/cohorts?sort=contention",
            "/o/thirty/cohorts/lab-7",
            "/o/single/cohorts",
            "/o/single/cohorts/lab-0",
            "/o/single/cohorts/lab-0?sort=borrowed",
            "/o/single/queues/team-8",
            "/api/v1/orgs/thirty/cohorts",
            "/api/v1/orgs/thirty/cohorts/lab-7",
        ):
            yield reader.measured(f"cohorts {path}", path, MOST_MS)


def _config(cohorts: int) -> str:
    queues = (
        _QUEUE.format(n=n, cohort=n % cohorts)
        + "".join(_FLAVOR.format(name=name) for name in _FLAVORS)
        for n in range(QUEUES)
    )
    return "".join(
        [
            f"resource_flavors: [{', '.join(f'{{ name: {name} }}' for name in _FLAVORS)}]\n",
            "resource_queues:\n",
            *queues,
            "scheduling_rules:\n",
            *(_RULE.format(n=n) for n in range(QUEUES)),
        ]
    )


def _fill(api: Api, cohorts: int) -> None:
    version = {"dialect": "native", "text": _config(cohorts), "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    # A cohort contains every thirtieth queue or all queues, so half of the queues of each have many
    # workloads and half have few.
    asked = [MANY if n // ORGS["thirty"] % 2 else FEW for n in range(QUEUES)]
    for i in range(MANY):
        # One workload per queue at a time: otherwise the first queue would borrow all quota.
        some = [_workload(n, i) for n, count in enumerate(asked) if i < count]
        api.post("/workloads", {"workloads": some})
    deadline = time.monotonic() + 180
    while (
        api.get("")["counts"]["pending"] + api.get("")["counts"]["admitted"] < sum(asked)
        or (api.get("/workloads?reason=not_evaluated&limit=1")["results"])
    ):
        assert time.monotonic() < deadline, api.get("")["counts"]
        time.sleep(0.5)


def _workload(queue: int, number: int) -> dict[str, Any]:
    return {
        "name": f"train-{queue}-{number}",
        "type": "job",
        "tags": {"team": f"team-{queue}"},
        "requests": {"gpu": 2, "cpu": 8},
    }


def _check(api: Api, cohorts: int) -> None:
    listed = api.get("/cohorts?limit=1000")["results"]
    assert len(listed) == cohorts
    assert sum(cohort["counts"]["queues"] for cohort in listed) == QUEUES
    assert sum(cohort["counts"]["borrowers"] for cohort in listed) == QUEUES // 2
