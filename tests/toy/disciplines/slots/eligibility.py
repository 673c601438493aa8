"""Eligibility of workloads: a line rejects requests that exceed its limit."""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from console.engine.disciplines.slots.reasons import EXCEEDS_LIMIT
from console.engine.disciplines.slots.spec import SLOTS, Line
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload
from console.engine.pending.eligibility import Eligibility


class LineJudge:
    """Judges by limits only: labels select no capacity."""

    def under(self, policy: Policy) -> LineJudge:
        """Return the judge itself: limits are read from the queue."""
        return self

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return nothing: no label matters."""
        return None

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return whether the line accepts *workload*."""
        return Eligibility(rejection=self.rejection(workload, queue))

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return EXCEEDS_LIMIT for a request that the line can never admit."""
        limit, total = cast(Line, queue).limit, workload.total()
        exceeds = any(total.get(resource, 0) > amount for resource, amount in limit.items())
        return EXCEEDS_LIMIT if exceeds else None

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[None, ...]:
        """Return None for each pod set: none is excluded from the only capacity."""
        return tuple(None for _ in workload.pod_sets)

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return nothing: no label matters."""
        return None

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the only capacity if the line has a limit."""
        return (SLOTS,) if cast(Line, queue).limit else ()
