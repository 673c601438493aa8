"""Check expectations: find the saved expectations that a config breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from console.configs.models import Expectation
from console.configs.queries import expectations_of
from console.configs.read_expectations import MOST_EXPECTATIONS
from console.dialects.objects import current_queue
from console.engine.explain.route_result import checked_expectation_sentence
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.expectations import (
    CheckedExpectation,
    ExpectedRoute,
    check_expected_routes,
)
from console.orgs.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenExpectation:
    """An expectation that a config does not meet."""

    name: str
    #: The expected queue, None if no queue may accept the workload; and the expected priority,
    #: None for any priority.
    queue: str | None
    priority: int | None
    #: The actual queue and priority.
    found_queue: str | None
    found_priority: int | None
    #: The expectation and the actual result, as a sentence.
    message: str


def check_expectations(org: Organization, policy: Policy) -> tuple[BrokenExpectation, ...]:
    """Return the expectations of *org* that *policy* does not meet, by name."""
    return tuple(
        describe_broken(met) for met in evaluate_expectations(org, policy) if not met.is_met
    )


def evaluate_expectations(org: Organization, policy: Policy) -> tuple[CheckedExpectation, ...]:
    """
    Return the results of all expectations of *org* under *policy*, by name.

    An expectation follows its queue to the name under which *policy* continues it.
    """
    expected = (
        replace(each, queue=current_queue(policy, each.queue)) if each.queue else each
        for each in saved_expectations(org)
    )
    return check_expected_routes(policy, expected)


def to_expected(row: Expectation) -> ExpectedRoute:
    """Return the expectation of *row* for the engine."""
    return ExpectedRoute(
        name=row.name,
        workload=Workload(
            id=row.name,
            sequence=0,
            labels=row.labels,
            namespace=row.namespace,
            user=row.user,
            groups=tuple(row.groups or ()),
            priority=row.priority,
            pod_sets=(PodSet(requests=row.requests),),
        ),
        queue=row.queue,
        priority=row.effective_priority,
    )


def describe_broken(met: CheckedExpectation) -> BrokenExpectation:
    """Return the description of an expectation that is not met."""
    return BrokenExpectation(
        name=met.expected.name,
        queue=met.expected.queue,
        priority=met.expected.priority,
        found_queue=met.route_result.queue,
        found_priority=met.route_result.priority,
        message=checked_expectation_sentence(met),
    )


def saved_expectations(org: Organization) -> Iterator[ExpectedRoute]:
    """Return the saved expectations of *org* for the engine, by name."""
    return map(to_expected, expectations_of(org)[:MOST_EXPECTATIONS])
