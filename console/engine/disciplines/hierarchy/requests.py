"""Amounts of workloads and nodes in the units and under the names of queues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.disciplines.hierarchy.resources import VCORE, Resources
from console.engine.disciplines.hierarchy.spec import POOL
from console.engine.model.amounts import SCALE, FlavorResource

#: The name of CPU in workloads and nodes.
CPU: Final = "cpu"
#: The resource that counts pods themselves.
PODS: Final = "pods"
#: Values of `Workload.placement`: ``{"gang": {"style": "Hard", "timeout": seconds}}``.
GANG: Final = "gang"
HARD: Final = "Hard"


def queue_name_of(resource: str) -> str:
    """Return the name under which queues count a resource of a workload."""
    return VCORE if resource == CPU else resource


def in_queue_units(amounts: Mapping[str, int]) -> dict[str, int]:
    """
    Return amounts in thousandths as queues count them; parts of a unit count as a whole one.

    >>> in_queue_units({"cpu": 1500, "memory": 2_000_000, "gpu": 500})
    {'vcore': 1500, 'memory': 2000, 'gpu': 1}
    """
    found: dict[str, int] = {}
    for resource, amount in amounts.items():
        name = queue_name_of(resource)
        value = amount if name == VCORE else -(-amount // SCALE)
        found[name] = found.get(name, 0) + value
    return found


def of_pod(requests: Mapping[str, int], *, counts_pods: bool) -> Resources:
    """Return what one pod uses; with *counts_pods*, also itself."""
    found = in_queue_units(requests)
    if counts_pods:
        found[PODS] = found.get(PODS, 0) + 1
    return {name: value for name, value in found.items() if value}


def scaled(resource: str, value: int) -> int:
    """Return an amount of queues in thousandths, the unit of the engine."""
    return value if resource == VCORE else value * SCALE


def in_thousandths(amounts: Resources) -> dict[str, int]:
    """Return amounts of queues in thousandths, without zeros."""
    return {name: scaled(name, value) for name, value in amounts.items() if value}


def usage_of_amounts(amounts: Resources) -> dict[FlavorResource, int]:
    """Return amounts of queues as usage of the pool."""
    return {(POOL, name): value for name, value in in_thousandths(amounts).items()}
