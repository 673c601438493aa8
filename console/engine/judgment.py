"""Judgments: what a queue makes of workloads, found once for all that share route and pod sets."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.decision import Reason
from console.engine.matching import Matcher, Obstacles
from console.engine.pending import Pending, class_key
from console.engine.policy import Policy, Queue, Undeclared
from console.engine.routing import Route, flavor_rejection
from console.engine.workload import PodSet

#: Judgments kept in memory. Labels may be unique to each workload, and then they never help.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a queue makes of workloads that share their route and their pod sets."""

    route: Route
    pod_sets: tuple[PodSet, ...]
    #: Why they cannot be taken at all.
    rejection: Reason | None
    obstacles: tuple[Obstacles, ...]
    #: Name of their class, while they yield to nobody.
    key: str


class Judgments:
    """Judges routed workloads under one policy."""

    def __init__(self, policy: Policy, matcher: Matcher) -> None:
        self._rejects = policy.settings.undeclared is Undeclared.IGNORE
        self._matcher = matcher
        #: By the identity of route and pod sets, which each judgment keeps alive.
        self._judged: dict[tuple[int, int], Judgment] = {}

    def judge(self, pending: Pending, queue: Queue) -> Judgment:
        """Return what *queue*, to which the route of *pending* leads, makes of it."""
        route, workload = pending.route, pending.workload
        identity = (id(route), id(workload.pod_sets))
        known = self._judged.get(identity)
        if known is not None:
            return known
        rejection = flavor_rejection(route, queue, workload.total()) if self._rejects else None
        obstacles = self._matcher.obstacles(workload, queue)
        if len(self._judged) >= _REMEMBERED:
            self._judged.clear()
        judgment = self._judged[identity] = Judgment(
            route=route,
            pod_sets=workload.pod_sets,
            rejection=rejection,
            obstacles=obstacles,
            key=class_key(Pending(workload, route, obstacles)),
        )
        return judgment
