"""An organization with hierarchical queues: limits, placement rules, and workloads of users."""

from __future__ import annotations

from typing import Any, Final

from console.capacity.services.report_cluster import report_cluster
from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import settled

CONFIG: Final = """\
partitions:
  - name: default
    placementrules:
      - name: provided
      - name: tag
        value: namespace
        create: true
        parent: {name: fixed, value: root.spaces}
      - name: user
        create: true
        filter: {type: deny, users: [bot]}
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: dev
            parent: true
            properties: {preemption.delay: 10s, application.sort.policy: fifo}
            resources:
              guaranteed: {vcore: 4}
              max: {vcore: 12}
            limits:
              - limit: small teams
                users: [sue, "*"]
                groups: [staff]
                maxapplications: 2
                maxresources: {vcore: 4}
            queues:
              - name: tools
                adminacl: "ann ops"
                properties: {preemption.delay: 20s}
              - name: web
                maxapplications: 5
          - name: spaces
            parent: true
            childtemplate:
              maxapplications: 3
              properties: {preemption.delay: 5s}
              resources:
                max: {vcore: 4}
"""


def fill_hierarchy(owner: Actor) -> None:
    """Apply the config, report a node of 16 cores, and submit workloads of three users."""
    apply_config(owner, "yunikorn", CONFIG, "The first one", 0)
    nodes = [{"name": "n0", "allocatable": {"cpu": 16, "memory": 64_000_000}}]
    report_cluster(owner, "east", {"nodes": nodes})
    settled(owner.org)
    submit(owner, "api", "root.dev.tools", user="sue", cpu=3)
    submit(owner, "late", "root.dev.web", user="sue", cpu=2)
    submit(owner, "build", "root.dev.web", user="bob", groups=["staff"], cpu=1)
    submit(owner, "shop", namespace="shop", user="bob", cpu=1)
    submit(owner, "lost", "root.nowhere", user="bot", cpu=1)


def submit(owner: Actor, name: str, queue: str = "", *, cpu: int, **fields: Any) -> None:
    """Submit one workload and run the engine."""
    value = {
        "name": name,
        "requests": {"cpu": cpu, "memory": 1000},
        "tags": {"queue": queue} if queue else {},
        **fields,
    }
    submit_workloads(owner, read_submissions([value]))
    settled(owner.org)
