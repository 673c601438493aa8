"""Route: the queue and the effective priority of a workload, and the rules that were tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from console.engine.model.reasons import Reason
from console.engine.model.trace import LocalQueueStep, PriorityStep, RuleTried

#: The rules that were tried, and the priority steps of the rules whose selector holds.
RulesTried: TypeAlias = tuple[tuple[RuleTried, ...], tuple[PriorityStep, ...]]


def _without_rules() -> RulesTried:
    return (), ()


@dataclass(frozen=True, kw_only=True)
class Route:
    """
    The queue and priority of a workload, and every rule that was tried.

    If *queue* is None, *problem* or *rejection* has the reason. Without either, the
    workload is admitted without a queue and without quota.
    """

    rule: int | None = None
    queue: str | None = None
    priority: int | None = None
    #: The local queue of the workload; None under another routing strategy.
    local_queue: LocalQueueStep | None = None
    #: Why the workload stays pending whatever the quota; with or without a queue.
    problem: Reason | None = None
    #: Why the workload is rejected; only without a queue.
    rejection: Reason | None = None
    #: Whether the local queue is stopped with its running workloads.
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
