"""Fixtures of page tests: one active config and a workload in every state that pages show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import pytest
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.configs.services.find_impact import find_impact
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled

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
    """An organization and its workloads, named by their outcome."""

    org: Organization
    admitted: Workload
    waiting: Workload
    never: Workload
    rejected: Workload
    finished: Workload
    passed: Workload
    #: Primary key of a completed impact run.
    impact: int


@pytest.fixture
def submit(owner: Actor) -> Callable[..., Workload]:
    """Return a function that submits one workload and runs the engine."""
    return partial(submit_one, owner)


def submit_one(
    owner: Actor, name: str, gpu: int = 0, team: str | None = "research", **fields: object
) -> Workload:
    """Submit one workload and run the engine."""
    value = {"name": name, "requests": {"gpu": gpu}, "tags": {"team": team} if team else {}}
    made = submit_workloads(owner, read_submissions([value | fields]))
    settled(owner.org)
    made[0].refresh_from_db()
    return made[0]


@pytest.fixture
def config(owner: Actor) -> None:
    """Apply the config."""
    apply_first(owner)


def apply_first(owner: Actor) -> None:
    """Apply the config to an organization without one."""
    apply_config(owner, "native", CONFIG, "The first one", 0)
    settled(owner.org)


@pytest.fixture
def world(config: None, owner: Actor) -> World:
    """Submit a workload in every state and return them."""
    return fill(owner)


#: A cluster with two nodes, of which one is not ready.
CLUSTER: Final = {
    "manager": "kubernetes",
    "labels": {"region": "eu"},
    "nodes": [
        {
            "name": "gpu-1",
            "labels": {"zone": "a", "rack": "r1", "arch": "amd64", "gpu": "a100"},
            "taints": [{"key": "gpu", "effect": "NoSchedule"}],
            "allocatable": {"cpu": 64, "gpu": 8},
        },
        {
            "name": "cpu-1",
            "labels": {"zone": "b", "0": "zero"},
            "allocatable": {"cpu": 16},
            "ready": False,
        },
    ],
}


def fill(owner: Actor) -> World:
    """Submit a workload in every state, and report a cluster; the config has to be active."""
    report_cluster(owner, "east", CLUSTER)
    finished = submit_one(owner, "done", gpu=1)
    finish_workloads(owner, [finished.uid])
    settled(owner.org)
    return World(
        org=owner.org,
        finished=finished,
        admitted=submit_one(owner, "train", gpu=6),
        waiting=submit_one(owner, "eval", gpu=4, user="nightly"),
        never=submit_one(owner, "huge", gpu=80),
        rejected=submit_one(owner, "lost", team=None),
        passed=submit_one(owner, "web", team="web"),
        impact=find_impact(owner, "native", CONFIG + "#\n").pk,
    )


@pytest.fixture
def browser(owner: Actor, client_for: Callable[[Actor], Client]) -> Client:
    """Return a browser in which the owner is signed in."""
    return client_for(owner)


@pytest.fixture
def people(
    owner: Actor,
    editor: Actor,
    operator: Actor,
    submitter: Actor,
    viewer: Actor,
    client_for: Callable[[Actor], Client],
) -> dict[str, Client]:
    """Return a signed-in browser for each role."""
    cast = (owner, editor, operator, submitter, viewer)
    return {actor.role: client_for(actor) for actor in cast}
