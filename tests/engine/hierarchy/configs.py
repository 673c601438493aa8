"""Policies of short configs, and their states, for tests of what pages show."""

from __future__ import annotations

from typing import Any

from console.dialects import dialects
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State

#: Two leaves below one parent, and namespaces that get queues of a template.
LAB = """\
partitions:
  - name: default
    placementrules:
      - name: provided
      - name: tag
        value: namespace
        create: true
        parent: {name: fixed, value: root.spaces}
    queues:
      - name: root
        queues:
          - name: lab
            submitacl: "ann,sue team,staff"
            resources:
              guaranteed: {vcore: 8}
              max: {vcore: 10, memory: 100}
            queues:
              - name: a
                resources:
                  guaranteed: {vcore: 2}
                  max: {vcore: 6}
              - name: b
                maxapplications: 2
          - name: spaces
            parent: true
            submitacl: "*"
            childtemplate:
              maxapplications: 3
              properties: {preemption.delay: 5s}
              resources:
                max: {vcore: 4}
"""


def compiled(text: str) -> Policy:
    """Return the policy of a config without errors."""
    reading = dialects()["yunikorn"].read(text, {})
    assert reading.policy is not None, reading.diagnostics
    return reading.policy


def inventory(*cpus: int) -> Inventory:
    """Return a cluster of nodes with *cpus* cores and 1,000 bytes each."""
    nodes = tuple(
        Node(name=f"n{number}", offered={"cpu": cores * SCALE, "memory": 1000 * SCALE})
        for number, cores in enumerate(cpus)
    )
    return Inventory(clusters={"c": Cluster(name="c", nodes=nodes)})


def workload(name: str, sequence: int, queue: str = "", **fields: Any) -> Workload:
    """Return a workload of *count* pods with *cpu* cores and 10 bytes each, of user sue."""
    cpu, count = fields.pop("cpu", 1), fields.pop("count", 1)
    pods = PodSet(
        count=count,
        min_count=fields.pop("min_count", None),
        requests={"cpu": round(cpu * SCALE), "memory": 10 * SCALE},
    )
    values = {"labels": {"queue": queue} if queue else {}, "user": "sue", "groups": ("team",)}
    return Workload(id=name, sequence=sequence, pod_sets=(pods,), **{**values, **fields})


def settled(policy: Policy, nodes: tuple[int, ...], *workloads: Workload, now: int = 1) -> State:
    """Return a state in which nothing more starts."""
    state = State(policy, now=now)
    state.change_inventory(inventory(*nodes))
    for each in workloads:
        state.submit(each)
    state.settle()
    return state
