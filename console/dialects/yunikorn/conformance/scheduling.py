"""Cases of scheduling: what runs and what waits, and every decision in its order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.dialects.conformance.differences import named
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.yunikorn.conformance.history import History
from console.dialects.yunikorn.conformance.outcomes import application_differences
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.resources import without_zeros
from console.engine.disciplines.hierarchy.runtime_queue import QueueStatus

_KINDS: Final = ("admission", "limits", "preemption", "worlds")


def _run(name: str, case: Mapping[str, Any], engine: object) -> Result:
    history = History(case)
    return judged(name, tuple(_differences(history, part(case, "expect", dict))))


def _differences(history: History, expect: Mapping[str, Any]) -> Iterator[str]:
    yield from application_differences(history, expect)
    wanted = {path: _normal(queue) for path, queue in part(expect, "queues", dict).items()}
    found = {path: _queue(usage) for path, usage in history.world.usages.items()}
    yield from named("used", wanted, found)


def _queue(usage: QueueUsage) -> dict[str, object]:
    return _normal(
        {
            "allocated": usage.allocated,
            "pending": usage.pending,
            "running_apps": usage.running,
            "status": usage.queue.status.value,
        }
    )


def _normal(queue: Mapping[str, Any]) -> dict[str, object]:
    """Return the outcome of a queue with all its parts."""
    return {
        "running_apps": 0,
        "status": QueueStatus.ACTIVE.value,
        **queue,
        "allocated": without_zeros(queue["allocated"]),
        "pending": without_zeros(queue["pending"]),
    }


RUNNERS: Final[dict[str, Runner]] = {f"{PREFIX}{kind}": _run for kind in _KINDS}
