"""A queue in which a workload of one user is preempted for a workload of another user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Decision, Workload
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

CONFIG = """\
resource_flavors:
  - name: spot
    selector: [{ key: team, operator: in, values: [research] }]
resource_queues:
  - name: research
    preemption: { within_resource_queue: lower_priority }
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 8 }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: research
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
"""

Settle = Callable[[Organization], int]


def submit(actor: Actor, settle: Settle, name: str, gpu: int, **fields: Any) -> Workload:
    """Submit one workload of the team as *actor*, run the engine, and return the workload."""
    value = {"name": name, "requests": {"gpu": gpu}, "tags": {"team": "research"}, **fields}
    (row,) = submit_workloads(actor, read_submissions([value]))
    settle(actor.org)
    row.refresh_from_db()
    return row


def preempt_for(
    owner: Actor, victim: Actor, beneficiary: Actor, settle: Settle
) -> tuple[Workload, Workload, Decision]:
    """Preempt a workload of *victim* for one of *beneficiary*; return the decision."""
    apply_config(owner, "native", CONFIG, "The first one", 0)
    settle(owner.org)
    old = submit(victim, settle, "batch", 6, priority=10)
    new = submit(beneficiary, settle, "urgent", 4, priority=90)
    old.refresh_from_db()
    return old, new, Decision.objects.get(workload=old, outcome="preempted")
