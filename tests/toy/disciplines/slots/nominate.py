"""Nomination of a workload: whether its request fits the rest of the line's limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from console.engine.disciplines.slots.ledger import LineState, limit_of
from console.engine.disciplines.slots.reasons import LIMIT_REACHED
from console.engine.disciplines.slots.spec import SLOTS
from console.engine.disciplines.slots.trace import LimitCheck
from console.engine.model.amounts import FlavorResource
from console.engine.model.common_reasons import BEHIND_OTHERS
from console.engine.model.decision import Assignment, PodSetAssignment
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload
from console.engine.routing.flavor_evaluation import FlavorEvaluation, Share


@dataclass(frozen=True, slots=True)
class LineNomination:
    """The nomination of one workload at one moment."""

    checks: tuple[LimitCheck, ...]
    #: The assignment on admission.
    assignment: Assignment

    #: The result does not depend on other events.
    is_lasting = True
    #: Only earlier workloads of the line can block a workload that fits.
    turn = None

    @property
    def fits(self) -> bool:
        """Whether the workload fits now."""
        return not any(each.missing for each in self.checks)

    @property
    def usage(self) -> Mapping[FlavorResource, int]:
        """The requested amounts of limited resources."""
        return {(SLOTS, each.resource): each.requested for each in self.checks}

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pods of each pod set."""
        return {each.name: each.count for each in self.assignment}

    @property
    def pending_reason(self) -> Reason:
        """The reason to be pending: earlier workloads, or the limit."""
        return BEHIND_OTHERS if self.fits else LIMIT_REACHED


def nominate(queue: LineState, workload: Workload) -> LineNomination:
    """Return the nomination of *workload* in *queue* now."""
    limit = limit_of(queue)
    used = {resource: queue.account.used((SLOTS, resource)) for resource in limit}
    assignment = tuple(
        PodSetAssignment(
            name=each.name,
            count=each.count,
            flavors={resource: SLOTS for resource in sorted(each.requests) if resource in limit},
        )
        for each in workload.pod_sets
    )
    return LineNomination(tuple(checks(workload, limit, used)), assignment)


def checks(
    workload: Workload, limit: Mapping[str, int], used: Mapping[str, int]
) -> Iterator[LimitCheck]:
    """Yield a check for every resource in *limit* that *workload* requests."""
    for resource, amount in sorted(workload.total().items()):
        if resource in limit and amount:
            yield LimitCheck(
                resource=resource,
                requested=amount,
                used=used.get(resource, 0),
                limit=limit[resource],
            )


def evaluations(queue: LineState, workload: Workload) -> tuple[FlavorEvaluation, ...]:
    """Return the evaluation of the only capacity for *workload*; empty without a limit."""
    limit = limit_of(queue)
    shares = tuple(
        Share(
            resource=resource,
            requested=amount,
            nominal=limit[resource],
            maximum=limit[resource],
            available=queue.account.available((SLOTS, resource)),
        )
        for resource, amount in sorted(workload.total().items())
        if resource in limit
    )
    origin = queue.policy.origin if queue.policy is not None else None
    found = FlavorEvaluation(
        flavor=SLOTS, expressions=(), obstacle=None, shares=shares, origin=origin
    )
    return (found,) if limit else ()
