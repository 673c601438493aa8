"""Count what recently recorded work each rule and queue of a policy would have taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.engine.model.policy import Policy
from console.engine.routing.router import Router
from console.orgs.permissions import Actor, Permission
from console.workloads.queries.recent_history import recent_history

#: Days that are counted.
WINDOW = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """Runs of the last days by where a policy leads them; what has none is absent."""

    window_days: int
    #: All that was recorded.
    runs: int
    queues: Mapping[str, int]
    #: By index of the rule, from 0.
    rules: Mapping[int, int]
    #: What is led into no queue.
    nowhere: int
    #: Whether everything recorded was counted.
    is_complete: bool

    @property
    def by_kind(self) -> Mapping[str, Mapping[Any, int]]:
        """Runs by kind of object, of named ones by name, and of others by place from 0."""
        return {"queue": self.queues, "rule": self.rules}


def count_hits(actor: Actor, policy: Policy) -> Hits:
    """
    Route what was recorded in the last `WINDOW` days by *policy*; raises NotAllowed.

    The editor asks at every pause in typing, so what was recorded a minute ago will do.
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
