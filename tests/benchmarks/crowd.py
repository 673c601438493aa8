"""An organization of 100,000 workloads, submitted over the HTTP API and decided by the worker."""

from __future__ import annotations

import time
from typing import Any

from tests.product import Api

QUEUES = 20
#: Running and pending workloads of each queue.
RUNNING = 450
PENDING = 250
#: Number of earlier generations of workloads that were finished in every queue.
ROUNDS = 9
#: Pending workloads that no flavor matches, and that request more than any limit.
REJECTED = 5_000
NEVER = 20

BULK = 500

FINISHED = QUEUES * RUNNING * ROUNDS
ADMITTED = QUEUES * RUNNING
WAITING = QUEUES * PENDING
TOTAL = FINISHED + ADMITTED + WAITING + REJECTED

_QUEUE = """\
  - name: team-{n}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: spot
            resources: [{{ name: gpu, nominal_quota: 200 }}, {{ name: cpu, nominal_quota: 1600 }}]
          - name: on-demand
            resources: [{{ name: gpu, nominal_quota: 250 }}, {{ name: cpu, nominal_quota: 2000 }}]
"""
_RULE = """\
  - selector: [{{ key: team, operator: in, values: [team-{n}] }}]
    resource_queue: team-{n}
    priority_policy: {{ default: 50, min: 0, max: 100, on_violation: force_update }}
"""

CONFIG = "".join(
    [
        "resource_flavors:\n",
        *(
            f"  - name: {name}\n    selector: "
            f"[{{ key: market-type, operator: in, values: [{value}, ON_DEMAND] }}]\n"
            for name, value in (("spot", "SPOT"), ("on-demand", "ON_DEMAND"))
        ),
        "resource_queues:\n",
        *(_QUEUE.format(n=n) for n in range(QUEUES)),
        "scheduling_rules:\n",
        *(_RULE.format(n=n) for n in range(QUEUES)),
    ]
)


def fill(api: Api) -> None:
    """Apply CONFIG and submit and finish TOTAL workloads until each state has its number."""
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    number = 0
    for done in range(1, ROUNDS + 1):
        ids = submit_all(api, [workload(number + i) for i in range(ADMITTED)])
        number += ADMITTED
        wait_until(api, "admitted", ADMITTED)
        for first in range(0, ADMITTED, BULK):
            api.post("/workloads/finish", {"ids": ids[first : first + BULK]})
        wait_until(api, "finished", done * ADMITTED)
    rejected = [workload(number + i) | {"market_type": None} for i in range(REJECTED)]
    submit_all(api, rejected)
    wait_until(api, "rejected", REJECTED)
    number += REJECTED
    submit_all(api, [workload(number + i) for i in range(ADMITTED)])
    wait_until(api, "admitted", ADMITTED)
    number += ADMITTED
    never = {"gpu": 300, "cpu": 8}
    waiting = [workload(number + i) for i in range(WAITING)]
    submit_all(api, [each | {"requests": never} for each in waiting[:NEVER]] + waiting[NEVER:])
    wait_until(api, "pending", WAITING)


def workload(number: int) -> dict[str, Any]:
    """Return submission *number*."""
    return {
        "name": f"train-{number:06}",
        "type": "job",
        "tags": {"team": f"team-{number % QUEUES}", "stage": f"stage-{number % 7}"},
        "instance_type": "p4d.24xlarge",
        "market_type": "ON_DEMAND",
        "priority": number // QUEUES % 5 * 10,
        "requests": {"gpu": 1, "cpu": 8},
        "user": f"user-{number % 50}",
        "project": f"project-{number % 11}",
    }


def submit_all(api: Api, workloads: list[dict[str, Any]]) -> list[str]:
    """Submit *workloads* in bulk and return their ids in order."""
    ids: list[str] = []
    for first in range(0, len(workloads), BULK):
        ids += api.post("/workloads", {"workloads": workloads[first : first + BULK]})["ids"]
    return ids


def wait_until(api: Api, state: str, count: int) -> None:
    """Wait until *count* workloads of the organization are in *state*."""
    deadline = time.monotonic() + 120
    while (found := api.get("")["counts"][state]) != count:
        assert time.monotonic() < deadline, f"{found} of {count} {state} within 120 s"
        time.sleep(0.1)
