"""Lints of removed queues: those that still have workloads, and those that look renamed."""

from __future__ import annotations

from console.dialects.findings import Findings
from console.dialects.lints.codes import LOOKS_RENAMED, REMOVED_WITH_WORK
from console.dialects.lints.wording import quoted
from console.dialects.objects import continued_queues, renames_between
from console.dialects.place_finder import START, PlaceFinder
from console.engine.diff.objects import QUEUE
from console.engine.model.history import Live
from console.engine.model.policy import Policy


def lint_removed(
    policy: Policy, before: Policy, live: Live, places: PlaceFinder, findings: Findings
) -> None:
    """Report queues of *before* that are removed and have workloads, or look renamed."""
    gone = [name for name in before.queues if name not in policy.queues]
    if not gone:
        return
    old_names = renames_between(before, policy).old_names.get(QUEUE, {})
    renamed = {old: new for new, old in old_names.items()}
    continued = continued_queues(before, policy)
    for name in gone:
        if name in continued:
            continue
        workloads = _describe_workloads(name, live)
        if name in renamed:
            new = policy.queues[renamed[name]]
            findings.add(
                LOOKS_RENAMED,
                places.name(new.origin, new.name),
                f"This looks like queue {quoted(name)} under a new name. Queue {quoted(new.name)} "
                f"starts empty{f', while {workloads} under the old name' if workloads else ''}.",
                f"Keep the name {quoted(name)} if only the name was meant to change.",
            )
        elif workloads:
            findings.add(
                REMOVED_WITH_WORK,
                START,
                f"Queue {quoted(name)} is removed, and {workloads} there.",
                "Keep it until it is empty, or accept that running workloads drain and pending "
                "ones are routed again.",
            )


def _describe_workloads(name: str, live: Live) -> str:
    """Return the running and pending workloads of a queue in words; "" if there are none."""
    running, pending = live.running.get(name, 0), live.pending.get(name, 0)
    parts = [
        f"{count:,} {verb if count != 1 else verb + 's'}"
        for count, verb in ((running, "run"), (pending, "wait"))
        if count
    ]
    return " and ".join(parts)
