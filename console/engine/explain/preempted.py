"""The preemption stage: the preemptor, and the preemption policy that allowed it."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import Sentence, StageText, Telling, Verdict, stage_text
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


def preempted(telling: Telling) -> StageText:
    """Return the sentences about the preemption of the workload."""
    step = telling.trace.preempted
    sentences = _stopped(telling, step) if step is not None else ()
    return stage_text("preemption", Verdict.FAIL, sentences)


def right(telling: Telling, step: PreemptedStep) -> str:
    """Return the preemption policy that allowed the preemption, without a period."""
    found = telling.trace.outcome.reason.right
    if found is not None:
        return found.words.format(queue=step.queue, whom=workloads(step.rule))
    return f"{step.queue} may preempt {own_workloads(step.rule)}"


def workloads(rule: str) -> str:
    """Return the workloads of other queues that *rule* lets a queue preempt."""
    return f"workloads{COVERED[rule]}" if COVERED.get(rule) else "any workload"


def own_workloads(rule: str) -> str:
    """Return the workloads of the same queue that *rule* lets a queue preempt."""
    return f"its own workloads{COVERED[rule]}" if COVERED.get(rule) else "any of its own workloads"


def _stopped(telling: Telling, step: PreemptedStep) -> Iterator[Sentence]:
    text = (
        f"{telling.name(step.preemptor)} requests {amounts(step.preemptor_requests) or 'nothing'} "
        f"in {step.queue} with priority {step.preemptor_priority}."
    )
    yield Sentence(text=text, verdict=Verdict.FAIL, workloads=(step.preemptor,))
    by_right = right(telling, step)
    yield Sentence(text=f"{by_right}.", verdict=Verdict.FAIL, origin=step.origin)
    shared = next((name for name in step.own_path if name in step.path), None)
    if shared is not None and step.queue != telling.queue:
        yield Sentence(text=f"{step.queue} and {telling.queue} share the quota of cohort {shared}.")
