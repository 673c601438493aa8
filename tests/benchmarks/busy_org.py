"""A busy organization: its config, its present workloads, and those submitted continuously."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.crowd import submit_all, wait_until
from tests.product import Api

QUEUES, COHORTS = 36, 6
#: Nominal quota of each queue in each of the two flavors, in GPUs.
OWNED = 300
#: Running workloads of one GPU in each queue; those of every third queue borrow.
RUNNING, BORROWING = 240, 660
#: Pending workloads of every third queue; each requests more than is free.
WAITING, TOO_MANY = 40, 1_500
#: Workloads finished earlier, for a history as long as that of other organizations.
FINISHED = 80_000
BULK = 500

_QUEUE = """\
  - name: team-{n}
    cohort_name: lab-{cohort}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
"""
_FLAVOR = """\
          - name: {name}
            resources: [{{ name: gpu, nominal_quota: 300 }}, {{ name: cpu, nominal_quota: 2400 }}]
"""
_RULE = """\
  - selector: [{{ key: team, operator: in, values: [team-{n}] }}]
    resource_queue: team-{n}
    priority_policy: {{ default: 50, min: 0, max: 100, on_violation: force_update }}
"""

CONFIG = "".join(
    [
        "resource_flavors: [{ name: spot }, { name: on-demand }]\nresource_queues:\n",
        *(
            _QUEUE.format(n=n, cohort=n // (QUEUES // COHORTS))
            + "".join(_FLAVOR.format(name=name) for name in ("spot", "on-demand"))
            for n in range(QUEUES)
        ),
        "scheduling_rules:\n",
        *(_RULE.format(n=n) for n in range(QUEUES)),
    ]
)


def fill(api: Api, finished: int = FINISHED) -> None:
    """Apply CONFIG and create the running, the pending and *finished* finished workloads."""
    version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
    api.post("/config/versions", version, expect=201)
    for _ in range(0, finished, 10 * BULK):
        ids = submit_all(api, [workload(n) for n in range(10 * BULK)])
        wait_until(api, "admitted", len(ids))
        for first in range(0, len(ids), BULK):
            api.post("/workloads/finish", {"ids": ids[first : first + BULK]})
        wait_until(api, "admitted", 0)
    running = [
        workload(queue)
        for queue in range(QUEUES)
        for _ in range(RUNNING if queue % 3 else BORROWING)
    ]
    submit_all(api, running)
    wait_until(api, "admitted", len(running))
    waiting = [workload(queue, TOO_MANY) for queue in range(0, QUEUES, 3) for _ in range(WAITING)]
    submit_all(api, waiting)
    wait_until(api, "pending", len(waiting))


def workload(number: int, gpu: int = 1) -> dict[str, Any]:
    """Return submission *number*; the number determines its queue."""
    return {
        "name": f"train-{number:06}",
        "type": "job",
        "tags": {"team": f"team-{number % QUEUES}", "stage": f"stage-{number % 7}"},
        "requests": {"gpu": gpu, "cpu": 1},
        "priority": number % 5 * 10,
        "user": f"user-{number % 50}",
        "project": f"project-{number % 11}",
    }
