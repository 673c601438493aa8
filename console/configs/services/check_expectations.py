"""Check expectations: the expectations of an organization that a config breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from console.configs.models import Expectation
from console.configs.queries import expectations_of
from console.configs.read_expectations import MOST_EXPECTATIONS
from console.engine.explain.route_result import met_sentence
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.expectations import Expected, Met, meet
from console.orgs.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One expectation that a config does not meet."""

    name: str
    #: What was expected; a queue of None: none, a priority of None: any.
    queue: str | None
    priority: int | None
    #: What comes of it instead.
    found_queue: str | None
    found_priority: int | None
    #: Both in words: the expectation, and the actual result.
    message: str


def check_expectations(org: Organization, policy: Policy) -> tuple[Broken, ...]:
    """Return the expectations of *org* that *policy* does not meet, by name."""
    return tuple(broken(met) for met in meet_expectations(org, policy) if not met.is_met)


def meet_expectations(org: Organization, policy: Policy) -> tuple[Met, ...]:
    """Return what *policy* makes of every expectation of *org*, met or not, by name."""
    return meet(policy, saved_expectations(org))


def as_expected(row: Expectation) -> Expected:
    """Return a row as the engine reads it."""
    return Expected(
        name=row.name,
        workload=Workload(
            id=row.name,
            sequence=0,
            labels=row.labels,
            namespace=row.namespace,
            priority=row.priority,
            pod_sets=(PodSet(requests=row.requests),),
        ),
        queue=row.queue,
        priority=row.effective_priority,
    )


def broken(met: Met) -> Broken:
    """Return an expectation that is not met, in words."""
    return Broken(
        name=met.expected.name,
        queue=met.expected.queue,
        priority=met.expected.priority,
        found_queue=met.route_result.queue,
        found_priority=met.route_result.priority,
        message=met_sentence(met),
    )


def saved_expectations(org: Organization) -> Iterator[Expected]:
    """Return what is expected of every config of *org*, by name."""
    return map(as_expected, expectations_of(org)[:MOST_EXPECTATIONS])
