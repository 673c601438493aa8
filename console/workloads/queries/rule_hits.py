"""Rule hits: recently recorded workloads by the rule or local queue that routes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.model.policy import Policy
from console.engine.routing.local_queues import local_queue_name, local_routing_of
from console.engine.routing.router import Router
from console.orgs.models import Organization
from console.workloads.queries.history import WINDOW
from console.workloads.queries.recent_history import recent_history

#: Maximum number of shapes that are routed, the last seen; each takes some microseconds.
MOST_SHAPES: Final = 5_000


@dataclass(slots=True)
class Hit:
    """The number of workloads of a rule or local queue, and the last day with any, in ISO 8601."""

    runs: int = 0
    last_seen: str = ""

    def add(self, runs: int, day: str) -> None:
        """Add *runs*, last seen on *day*."""
        self.runs += runs
        self.last_seen = max(self.last_seen, day)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleHits:
    """Hits of all rules and local queues of one policy in the last days."""

    window_days: int
    #: Whether all recorded workloads were counted.
    is_complete: bool
    #: By rule index, and by namespace and name; those without hits are absent.
    rules: Mapping[int, Hit] = field(default_factory=dict)
    local_queues: Mapping[tuple[str, str], Hit] = field(default_factory=dict)


def rule_hits(org: Organization, policy: Policy, days: int = WINDOW) -> RuleHits:
    """Return the hits of *policy* for workloads of the last *days* days, at most a minute old."""
    history = recent_history(org, days)
    router, routing = Router(policy), local_routing_of(policy)
    rules: dict[int, Hit] = {}
    local_queues: dict[tuple[str, str], Hit] = {}
    for shape in history.shapes[:MOST_SHAPES]:
        workload = shape.workload
        if routing is not None:
            namespace = workload.namespace
            local_queue = (namespace, local_queue_name(routing, workload.labels, namespace))
            if local_queue in routing.local_queues:
                local_queues.setdefault(local_queue, Hit()).add(shape.runs, shape.last_seen)
            continue
        rule = router.route(workload).rule
        if rule is not None:
            rules.setdefault(rule, Hit()).add(shape.runs, shape.last_seen)
    return RuleHits(
        window_days=history.window_days,
        is_complete=history.is_complete and len(history.shapes) <= MOST_SHAPES,
        rules=rules,
        local_queues=local_queues,
    )
