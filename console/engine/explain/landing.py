"""A landing in words: which rule or local queue takes a workload, and what was expected of it."""

from __future__ import annotations

from console.engine.decision import Reason
from console.engine.expectation_words import expected_place
from console.engine.expected import Expected, Met
from console.engine.explain.headline import headline
from console.engine.explain.route import local_queue_problem
from console.engine.explain.sentences import Telling
from console.engine.landing import Landing
from console.engine.record import landing_trace


def landing_sentence(landing: Landing) -> str:
    """
    Return one sentence that says where a workload lands.

    When it reaches no queue, that is the headline of the decision about it.
    """
    step = landing.route.local_queue
    if landing.queue is None:
        assert landing.reason is not None
        if landing.reason is Reason.NAMESPACE_NOT_ALLOWED and step is not None:
            return f"It reaches no queue: {local_queue_problem(step)}."
        return headline(Telling(landing_trace(landing), {}))
    if step is not None:
        default = "by default " if step.default else ""
        door = f"Local queue {step.name} of namespace {step.namespace} {default}"
        return f"{door}leads it to {landing.queue} with priority {landing.priority}."
    assert landing.route.rule is not None, "a queue is reached by a rule or a local queue"
    rule = f"Rule {landing.route.rule + 1}"
    return f"{rule} takes it to {landing.queue} with priority {landing.priority}."


def expectation_sentence(expected: Expected) -> str:
    """Return what is expected, without a period."""
    return expected_place(expected.queue, expected.priority)


def met_sentence(met: Met) -> str:
    """Return what is expected of a named workload, and what becomes of it."""
    name = f"{met.expected.name} is {expectation_sentence(met.expected)}"
    return f"{name}. {landing_sentence(met.landing)}"
