"""When running workloads have used up their maximum run time."""

from __future__ import annotations

from datetime import datetime

from console.engine.model.policy import Policy
from console.engine.model.run_time import max_run_time
from console.engine.model.workload import Workload as EngineWorkload
from console.policies.queries import NO_POLICY
from console.time_formats import from_milliseconds
from console.workloads.models import State, Workload


def run_ends_at(workload: Workload, policy: Policy | None = None) -> datetime | None:
    """
    Return when *workload*, a row of `workload_rows`, has used up its maximum run time.

    None if it is not running, or may run without limit. *policy* is the active policy, which knows
    the label for a maximum run time; without it, labels do not count.
    """
    if workload.state != State.ADMITTED or workload.started is None:
        return None
    labels: dict[str, str] = workload.labels  # type: ignore[attr-defined]
    subject = EngineWorkload(
        id=workload.uid, sequence=workload.pk, labels=labels, max_run_time=workload.max_run_time
    )
    limit = max_run_time(policy or NO_POLICY, subject)
    if limit is None:
        return None
    return from_milliseconds(workload.started + max(limit - (workload.past_run_time or 0), 0))
