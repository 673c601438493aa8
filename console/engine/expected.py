"""Expectations: workloads and where they have to land, and which of them a config breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.landing import Landing, land
from console.engine.policy import Policy
from console.engine.routing import Router
from console.engine.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a config has to make of one workload."""

    name: str
    workload: Workload
    #: The queue it has to reach; None: nothing may take it.
    queue: str | None
    #: The priority it has to have there; None: any.
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Met:
    """An expectation beside what a config makes of its workload."""

    expected: Expected
    landing: Landing

    @property
    def is_met(self) -> bool:
        """Whether the config does what is expected."""
        expected, landing = self.expected, self.landing
        if expected.queue is None:
            return landing.is_refused
        wanted = expected.priority
        return landing.queue == expected.queue and wanted in (None, landing.priority)


def meet(policy: Policy, expectations: Iterable[Expected]) -> tuple[Met, ...]:
    """Return what *policy* makes of the workload of every expectation, in their order."""
    router = Router(policy)
    return tuple(Met(each, land(policy, each.workload, router)) for each in expectations)
