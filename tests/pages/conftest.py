"""A small world: one config in force, and a workload in every state that a page may show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.configs.services.find_impact import find_impact
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
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
  - name: default
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: research
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
  - selector: [{ key: team, operator: exists }]
    resource_queue: default
"""


@dataclass
class World:
    """Workloads by what became of them."""

    org: Organization
    admitted: Workload
    waiting: Workload
    never: Workload
    rejected: Workload
    finished: Workload
    passed: Workload
    #: Number of an impact run that is done.
    impact: int


@pytest.fixture
def submit(owner: Actor, settle: Callable[[Organization], int]) -> Callable[..., Workload]:
    """Return a function that submits one workload and has it decided."""

    def one(name: str, gpu: int = 0, team: str | None = "research", **fields: object) -> Workload:
        value = {"name": name, "requests": {"gpu": gpu}, "tags": {"team": team} if team else {}}
        made = submit_workloads(owner, read_submissions([value | fields]))
        settle(owner.org)
        made[0].refresh_from_db()
        return made[0]

    return one


@pytest.fixture
def config(owner: Actor, settle: Callable[[Organization], int]) -> None:
    """Apply the config."""
    apply_config(owner, "native", CONFIG, "The first one", 0)
    settle(owner.org)


@pytest.fixture
def world(
    config: None,
    owner: Actor,
    submit: Callable[..., Workload],
    settle: Callable[[Organization], int],
) -> World:
    """Fill the organization."""
    finished = submit("done", gpu=1)
    finish_workloads(owner, [finished.uid])
    settle(owner.org)
    return World(
        org=owner.org,
        finished=finished,
        admitted=submit("train", gpu=6),
        waiting=submit("eval", gpu=4, user="nightly"),
        never=submit("huge", gpu=80),
        rejected=submit("lost", team=None),
        passed=submit("web", team="web"),
        impact=find_impact(owner, "native", CONFIG + "#\n").pk,
    )


@pytest.fixture
def browser(owner: Actor, client_for: Callable[[Actor], Client]) -> Client:
    """Return a browser in which the owner is signed in."""
    return client_for(owner)
