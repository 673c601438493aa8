"""Whether the routing of a policy lets a workload have another priority."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from console.engine.model.route import Route
from console.engine.model.workload import Workload
from console.engine.wording.words import out_of_range


def priority_obstacle(
    find: Callable[[Workload], Route], workload: Workload, priority: int
) -> str | None:
    """
    Return a sentence that says why *workload* cannot have *priority*; None: it can.

    A change of priority never moves a workload to another queue, and never rejects it. *find*
    returns the route of a workload under the policy.
    """
    before, after = find(workload), find(replace(workload, priority=priority))
    if after.queue is None and after.problem is None and after.rejection is None:
        return "It needs no queue under the active config, so a priority has no effect."
    refusing = next((step for step in after.priorities if step.effective is None), None)
    if (before.queue, before.rule, before.rejection) != (after.queue, after.rule, after.rejection):
        if refusing is not None:
            return f"The active config does not allow this priority: {out_of_range(refusing)}."
        return "With this priority, the active config would route it to another queue."
    if after.priority == priority:
        return None
    chosen = after.local_queue
    if chosen is not None and chosen.priority_class is not None:
        return (
            f"Its priority comes from its priority class {chosen.priority_class}; change the value "
            "of the class in the config, or submit it with another class."
        )
    forced = next((step for step in after.priorities if step.effective is not None), None)
    if forced is not None:
        return f"The active config does not allow this priority: {out_of_range(forced)}."
    return "The scheduler of the active config gives all workloads the same priority."
