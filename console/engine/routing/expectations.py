"""Expectations: the queues that given workloads have to reach, checked against a config."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.model.policy import Policy
from console.engine.model.route_result import RouteResult
from console.engine.model.workload import Workload
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRoute:
    """The required routing of one workload."""

    name: str
    workload: Workload
    #: The required queue; None: the workload must reach no queue.
    queue: str | None
    #: The required effective priority; None: any.
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """An expectation and the actual route result of its workload under a config."""

    expected: ExpectedRoute
    route_result: RouteResult

    @property
    def is_met(self) -> bool:
        """Whether the actual result is the expected one."""
        expected, route_result = self.expected, self.route_result
        if expected.queue is None:
            return route_result.is_refused
        wanted = expected.priority
        return route_result.queue == expected.queue and wanted in (None, route_result.priority)


def check_expected_routes(
    policy: Policy, expectations: Iterable[ExpectedRoute]
) -> tuple[CheckedExpectation, ...]:
    """Return every expectation with its result under *policy*, in order."""
    router = Router(policy)
    return tuple(
        CheckedExpectation(each, find_route_result(policy, each.workload, router))
        for each in expectations
    )
