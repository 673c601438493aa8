"""Eligibility of workloads for a queue, found once for all that share route and pod sets."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.disciplines.quota.spec import QueueSpec, Undeclared, spec_of
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.workload import PodSet
from console.engine.pending.pending_class import Pending, class_key
from console.engine.routing.flavor_matching import Matcher, Obstacles
from console.engine.routing.router import Route, flavor_rejection

#: Cached results. Labels may be unique to each workload, in which case they never match.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Eligibility of workloads that share route and pod sets, in the queue of that route."""

    route: Route
    pod_sets: tuple[PodSet, ...]
    #: Why the queue rejects them; None when it does not.
    rejection: Reason | None
    obstacles: tuple[Obstacles, ...]
    #: Name of their class, unless they yield to another workload.
    key: str


class EligibilityCache:
    """Evaluates routed workloads under one policy."""

    def __init__(self, policy: Policy, matcher: Matcher) -> None:
        self._rejects = spec_of(policy).settings.undeclared is Undeclared.IGNORE
        self._matcher = matcher
        #: By the identity of route and pod sets, which each entry keeps alive.
        self._judged: dict[tuple[int, int], Eligibility] = {}

    def judge(self, pending: Pending, queue: QueueSpec) -> Eligibility:
        """Return the eligibility of *pending* for *queue*, to which its route leads."""
        route, workload = pending.route, pending.workload
        identity = (id(route), id(workload.pod_sets))
        known = self._judged.get(identity)
        if known is not None:
            return known
        rejection = flavor_rejection(route, queue, workload.total()) if self._rejects else None
        obstacles = self._matcher.obstacles(workload, queue)
        if len(self._judged) >= _REMEMBERED:
            self._judged.clear()
        eligibility = self._judged[identity] = Eligibility(
            route=route,
            pod_sets=workload.pod_sets,
            rejection=rejection,
            obstacles=obstacles,
            key=class_key(Pending(workload, route, obstacles)),
        )
        return eligibility
