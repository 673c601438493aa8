"""The preemption stage: the preemptor, and the preemption policy that allowed it."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.trace import PreemptedStep
from console.engine.wording.words import amounts

#: The workloads that a preemption policy covers, as words after "workloads"; "any" needs no words,
#: and "never" covers none.
COVERED = {
    "lower_priority": " of lower priority",
    "lower_or_newer_equal_priority": (
        " of lower priority, or of the same priority and submitted later"
    ),
    "any": "",
}


def preempted(context: ExplainContext) -> StageText:
    """Return the sentences about the preemption of the workload."""
    step = context.trace.preempted
    sentences = _stopped(context, step) if step is not None else ()
    return stage_text("preemption", Verdict.FAIL, sentences)


def preemption_policy(context: ExplainContext, step: PreemptedStep) -> str:
    """Return the preemption policy that allowed the preemption, without a period."""
    grant = context.trace.outcome.reason.preemption_grant
    if grant is not None:
        return grant.words.format(queue=step.queue, whom=workloads(step.rule))
    return f"{step.queue} may preempt {own_workloads(step.rule)}"


def workloads(rule: str) -> str:
    """Return the workloads of other queues that *rule* lets a queue preempt."""
    return f"workloads{COVERED[rule]}" if COVERED.get(rule) else "any workload"


def own_workloads(rule: str) -> str:
    """Return the workloads of the same queue that *rule* lets a queue preempt."""
    return f"its own workloads{COVERED[rule]}" if COVERED.get(rule) else "any of its own workloads"


def _stopped(context: ExplainContext, step: PreemptedStep) -> Iterator[Sentence]:
    text = (
        f"{context.name(step.preemptor)} requests {amounts(step.preemptor_requests) or 'nothing'} "
        f"in {step.queue} with priority {step.preemptor_priority}."
    )
    yield Sentence(text=text, verdict=Verdict.FAIL, workloads=(step.preemptor,))
    policy = preemption_policy(context, step)
    yield Sentence(text=f"{policy}.", verdict=Verdict.FAIL, origin=step.origin)
    shared = next((name for name in step.own_path if name in step.path), None)
    if shared is not None and step.queue != context.queue:
        yield Sentence(text=f"{step.queue} and {context.queue} share the quota of cohort {shared}.")
