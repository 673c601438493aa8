"""Cases of templates: created and configured queues with all that they inherit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from console.dialects.conformance.differences import named
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.yunikorn.conformance.history import History
from console.dialects.yunikorn.conformance.outcomes import application_differences
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner
from console.engine.disciplines.hierarchy.resources import Resources, is_positive
from console.engine.disciplines.hierarchy.runtime_queue import RuntimeQueue
from console.engine.disciplines.hierarchy.spec import Template


def _run(name: str, case: Mapping[str, Any], engine: object) -> Result:
    history = History(case)
    return judged(name, tuple(_differences(history, part(case, "expect", dict))))


def _differences(history: History, expect: Mapping[str, Any]) -> Iterator[str]:
    yield from application_differences(history, expect)
    found = {path: _queue(queue) for path, queue in history.world.tree.queues.items()}
    yield from named("resolved", part(expect, "queues", dict), found)


def _queue(queue: RuntimeQueue) -> dict[str, object]:
    settings = queue.settings
    found: dict[str, object] = {
        "leaf": queue.is_leaf,
        "managed": queue.is_managed,
        "status": queue.status.value,
        "guaranteed": queue.guaranteed,
        "max": queue.maximum,
        "max_applications": queue.applications,
        "properties": queue.properties,
        "sort": settings.sort.value,
        "priority_sort": settings.sorts_by_priority,
        "preemption_enabled": settings.preempts,
        "preemption_fence": settings.is_preemption_fence,
        "preemption_delay": _duration(settings.preemption_delay),
        "quota_preemption_delay": _duration(settings.quota_preemption_delay),
        "priority_fence": settings.is_priority_fence,
        "priority_offset": settings.priority_offset,
    }
    template = {} if queue.template is None else _template(queue.template)
    return found | ({"template": template} if template else {})


def _template(template: Template) -> dict[str, object]:
    """Return the parts of a template that have an effect."""
    amounts: dict[str, Resources | None] = {
        "maxResource": template.maximum,
        "guaranteedResource": template.guaranteed,
    }
    return {
        **({"maxApplications": template.applications} if template.applications else {}),
        **{name: value for name, value in amounts.items() if is_positive(value)},
        **({"properties": template.properties} if template.properties else {}),
    }


def _duration(milliseconds: int) -> str:
    """
    Return a duration as Go prints it.

    >>> _duration(30_000), _duration(60_000), _duration(5_400_500), _duration(5), _duration(0)
    ('30s', '1m0s', '1h30m0.5s', '5ms', '0s')
    """
    if 0 < milliseconds < 1000:
        return f"{milliseconds}ms"
    seconds, rest = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    larger = (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "")
    return f"{larger}{seconds}{fraction}s"


RUNNERS: Final[dict[str, Runner]] = {f"{PREFIX}templates": _run}
