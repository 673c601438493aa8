"""Route result: the queue and priority that a workload gets, or why it reaches no queue."""

from __future__ import annotations

from dataclasses import dataclass, field

from console.engine.model.decision import Outcome
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason
from console.engine.model.route import Route
from console.engine.model.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteResult:
    """
    The result of a config's routing for one workload.

    A queue counts as reached even if it is stopped or has too little quota. It does not if the
    local queue is stopped, because its workloads enter no pending queue, or if the discipline
    rejects the workload there.
    """

    policy: Policy = field(repr=False)
    workload: Workload
    route: Route
    #: None: the workload reaches no queue.
    queue: str | None
    #: Effective priority; None when it has none.
    priority: int | None
    #: Why the workload reaches no queue; None when it does.
    reason: Reason | None = None

    @property
    def is_refused(self) -> bool:
        """Whether no queue accepts the workload, and it is not admitted without a queue either."""
        return self.queue is None and self.outcome is not Outcome.ADMITTED

    @property
    def outcome(self) -> Outcome:
        """The outcome if the workload reaches no queue."""
        if self.route.problem is not None:
            return Outcome.PENDING
        if self.route.queue is None and self.route.rejection is None:
            return Outcome.ADMITTED
        return Outcome.REJECTED
