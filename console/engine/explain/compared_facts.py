"""The facts of the common stages that a comparison of two workloads shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from console.engine.explain.headline import headline
from console.engine.explain.order import turn
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import ExplainContext
from console.engine.model.trace import RuleVerdict, Trace
from console.engine.wording.words import plural, quantity, resource_name, sentence_case

#: Maximum number of labels, or of objects of one kind, in a comparison.
MOST_ROWS: Final = 60


def intake(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the labels and the requests."""
    for key, value in sorted(context.trace.labels.items())[:MOST_ROWS]:
        yield f"Label {key}", value
    for resource, requested in sorted(context.trace.requests.items()):
        yield f"Requested {resource_name(resource)}", quantity(requested, resource)


def route(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the matching rule or the local queue."""
    yield "Routed by", _route(context.trace)


def _route(trace: Trace) -> str:
    took = next((rule for rule in trace.rules if rule.verdict is RuleVerdict.TOOK), None)
    if took is not None:
        return f"rule {took.index + 1}, to {took.queue}"
    if trace.local_queue is not None:
        step = trace.local_queue
        if step.queue is not None:
            default = " (default)" if step.default else ""
            return (
                f"local queue {step.name}{default} of namespace {step.namespace}, to {step.queue}"
            )
        return local_queue_problem(step)
    return "no rule"


def priority(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the requested and the effective priority."""
    trace = context.trace
    requested = "none" if trace.requested_priority is None else str(trace.requested_priority)
    yield "Requested", requested
    got = [step for step in trace.priorities if step.effective is not None]
    if got:
        yield "Effective", str(got[-1].effective)


def queue(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the queue, and whether it is held or stopped."""
    step = context.trace.queue
    if step is not None:
        stops = ", on hold" if step.held else ", stopped by its config" if step.stopped else ""
        yield "Queue", f"{step.name}{stops}"


def preemption(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the number of victims."""
    yield "Preempted workloads", preempted_workloads(context)


def preempted_workloads(context: ExplainContext) -> str:
    """Return the number of victims in words."""
    victims = context.trace.outcome.victims
    return plural(len(victims), "workload") if victims else "no search"


def order(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the position in the queue and the result of the turn."""
    trace = context.trace
    if trace.order is not None:
        place = trace.order.position
        text = "none: it can never run" if place is None else f"{place} of {trace.order.pending}"
        yield "Position", text
    if trace.turn is not None:
        yield "Its turn", sentence_case(turn(context, trace.turn))


def outcome(context: ExplainContext) -> Iterator[tuple[str, str]]:
    """Yield the headline."""
    yield "Outcome", headline(context)
