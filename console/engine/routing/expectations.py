"""Expectations: workloads and the queues they have to reach, and which of them a config breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.model.workload import Workload
from console.engine.routing.route_result import land
from console.engine.routing.router import Router


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The required result of a config for one workload."""

    name: str
    workload: Workload
    #: The queue it has to reach; None: no queue may take it.
    queue: str | None
    #: The priority it has to have there; None: any.
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Met:
    """An expectation and the actual result of a config for its workload."""

    expected: Expected
    route_result: RouteResult

    @property
    def is_met(self) -> bool:
        """Whether the config gives the expected result."""
        expected, route_result = self.expected, self.route_result
        if expected.queue is None:
            return route_result.is_refused
        wanted = expected.priority
        return route_result.queue == expected.queue and wanted in (None, route_result.priority)


def meet(policy: Policy, expectations: Iterable[Expected]) -> tuple[Met, ...]:
    """Return the result of *policy* for the workload of every expectation, in their order."""
    router = Router(policy)
    return tuple(Met(each, land(policy, each.workload, router)) for each in expectations)
