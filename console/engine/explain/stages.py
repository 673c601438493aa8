"""The order of the stages: common stages, and between them those of the discipline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from console.engine.explain import compared_facts
from console.engine.explain.explain_sections import Stage
from console.engine.explain.intake import intake
from console.engine.explain.order import order
from console.engine.explain.outcome import outcome
from console.engine.explain.preempted import preempted
from console.engine.explain.queue import queue
from console.engine.explain.route import priority, route

_FIRST: Final = {
    "intake": Stage(code="intake", words=intake, facts=compared_facts.intake),
    "route": Stage(code="route", words=route, facts=compared_facts.route),
    "priority": Stage(code="priority", words=priority, facts=compared_facts.priority),
    "queue": Stage(code="queue", words=queue, facts=compared_facts.queue),
}
_LAST: Final = {
    "preemption": Stage(code="preemption", words=preempted, facts=compared_facts.preemption),
    "order": Stage(code="order", words=order, facts=compared_facts.order),
    "outcome": Stage(code="outcome", words=outcome, facts=compared_facts.outcome),
}


def in_order(own: Mapping[str, Stage]) -> dict[str, Stage]:
    """Return all stages in order, by code; *own* are the stages of disciplines."""
    last = {code: stage for code, stage in _LAST.items() if code not in own}
    return {**_FIRST, **own, **last}
