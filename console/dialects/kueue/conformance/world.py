"""The initial state of a case: its policy, running workloads and pending workloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.dialects.conformance.parts import MalformedCase
from console.dialects.kueue.conformance.objects import read_policy
from console.dialects.kueue.conformance.workloads import (
    PendingWorkload,
    RunningWorkload,
    read_local_queues,
    read_workloads,
)
from console.engine.model.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """
    The input of an engine for a case.

    Every workload is submitted to a local queue. For a workload that a case puts directly into a
    queue, a local queue is added. A local queue that the case names can be missing, or refer to a
    missing queue.
    """

    policy: Policy
    running: tuple[RunningWorkload, ...]
    pending: tuple[PendingWorkload, ...]


def read_world(case: Mapping[str, Any]) -> World:
    """
    Return the initial state of *case*.

    Raises MalformedCase if an object or a workload is invalid.
    """
    running, pending = read_workloads(case)
    return World(
        policy=read_policy(case, read_local_queues(case)), running=running, pending=pending
    )


def only_pending(world: World) -> PendingWorkload:
    """Return the only pending workload; raises MalformedCase if there is not exactly one."""
    if len(world.pending) != 1:
        raise MalformedCase(f"{len(world.pending)} workloads are pending where one has to be")
    return world.pending[0]
