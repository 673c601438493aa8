"""The route: the queue and the effective priority of a workload, and what led there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from console.engine.model.reasons import Reason
from console.engine.model.trace import LocalQueueStep, PriorityStep, RuleTried

#: Rules that were tried, and the priority given by those whose selector holds.
RulesTried: TypeAlias = tuple[tuple[RuleTried, ...], tuple[PriorityStep, ...]]


def _without_rules() -> RulesTried:
    return (), ()


@dataclass(frozen=True, kw_only=True)
class Route:
    """
    The queue of a workload, and every rule that was tried.

    Where *queue* is None, *problem* or *rejection* says why. Without either, the
    workload is admitted without a queue and without quota.
    """

    rule: int | None = None
    queue: str | None = None
    priority: int | None = None
    #: The local queue that was followed; None where another strategy routes.
    local_queue: LocalQueueStep | None = None
    #: Why it waits whatever the quota; with or without a queue.
    problem: Reason | None = None
    #: Why it is rejected; only without a queue.
    rejection: Reason | None = None
    #: What routed it is stopped, and its running workloads are evicted too.
    drains: bool = False
    #: Evaluates the rules one by one, from facts that no longer change.
    judge: Callable[[], RulesTried] = field(default=_without_rules, repr=False, compare=False)

    @property
    def rules(self) -> tuple[RuleTried, ...]:
        """Every rule that was tried, in order; evaluated on request."""
        return self._judged[0]

    @property
    def priorities(self) -> tuple[PriorityStep, ...]:
        """The effect of rules whose selector holds on the requested priority, in order."""
        return self._judged[1]

    @cached_property
    def _judged(self) -> RulesTried:
        return self.judge()
