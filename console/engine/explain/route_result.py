"""Sentences about route results and expectations."""

from __future__ import annotations

from console.engine.disciplines import load_discipline
from console.engine.explain.headline import headline
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import ExplainContext
from console.engine.live.decision_builder import DecisionBuilder
from console.engine.model.route_result import RouteResult
from console.engine.routing.expectations import CheckedExpectation, ExpectedRoute
from console.engine.routing.reasons import NAMESPACE_NOT_ALLOWED
from console.engine.wording.expectations import expected_place


def route_sentence(route_result: RouteResult) -> str:
    """
    Return one sentence about the queue to which a workload is routed.

    If the workload reaches no queue, return the headline of its decision.
    """
    step = route_result.route.local_queue
    if route_result.queue is None:
        assert route_result.reason is not None
        if route_result.reason is NAMESPACE_NOT_ALLOWED and step is not None:
            return f"It reaches no queue: {local_queue_problem(step)}."
        policy = route_result.policy
        build = DecisionBuilder(policy, load_discipline(policy.discipline))
        return headline(ExplainContext(build.route_trace(route_result), {}))
    if step is not None:
        default = "by default " if step.default else ""
        local_queue = f"Local queue {step.name} of namespace {step.namespace} {default}"
        return (
            f"{local_queue}routes it to {route_result.queue} with priority {route_result.priority}."
        )
    place = f"{route_result.queue} with priority {route_result.priority}"
    if route_result.route.rule is None:
        return f"It is routed to {place}."
    return f"Rule {route_result.route.rule + 1} routes it to {place}."


def expectation_sentence(expected: ExpectedRoute) -> str:
    """Return the expected queue and priority, without a period."""
    return expected_place(expected.queue, expected.priority)


def checked_expectation_sentence(met: CheckedExpectation) -> str:
    """Return the expected and the actual routing of a workload, with its name."""
    name = f"{met.expected.name} is {expectation_sentence(met.expected)}"
    return f"{name}. {route_sentence(met.route_result)}"
