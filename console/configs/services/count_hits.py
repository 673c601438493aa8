"""Count the recorded workloads that each rule and queue of a policy would match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.engine.model.policy import Policy
from console.engine.routing.router import Router
from console.orgs.permissions import Actor, Permission
from console.workloads.queries.recent_history import recent_history

#: Number of days of history that are counted.
WINDOW = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Recorded workloads of the last days by queue and rule; entries without any are absent."""

    window_days: int
    #: Number of recorded workloads.
    runs: int
    queues: Mapping[str, int]
    #: By index of the rule, from 0.
    rules: Mapping[int, int]
    #: Number of workloads that are routed to no queue.
    nowhere: int
    #: Whether all recorded workloads were counted.
    is_complete: bool

    @property
    def by_kind(self) -> Mapping[str, Mapping[Any, int]]:
        """Counts by kind of object: of queues by name, of rules by index from 0."""
        return {"queue": self.queues, "rule": self.rules}


def count_hits(actor: Actor, policy: Policy) -> Hits:
    """
    Return the hits of *policy* on the workloads recorded in the last `WINDOW` days.

    The editor requests them at every pause in typing, so the history can be a minute old. Raises
    NotAllowed.
    """
    actor.require(Permission.READ)
    history = recent_history(actor.org, WINDOW)
    router = Router(policy)
    queues: Counter[str] = Counter()
    rules: Counter[int] = Counter()
    nowhere = 0
    for shape in history.shapes:
        route = router.route(shape.workload)
        if route.queue is None:
            nowhere += shape.runs
        else:
            queues[route.queue] += shape.runs
        if route.rule is not None:
            rules[route.rule] += shape.runs
    return Hits(
        window_days=history.window_days,
        runs=history.runs,
        queues=queues,
        rules=rules,
        nowhere=nowhere,
        is_complete=history.is_complete,
    )
