"""The queue stage of explanations: whether the queue admits, and its cohorts."""

from __future__ import annotations

from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.common_reasons import DRAINED, QUEUE_MISCONFIGURED


def queue(context: ExplainContext) -> StageText:
    """Return the sentences about the queue of the workload."""
    step = context.trace.queue
    if step is None:
        return stage_text("queue", Verdict.INFO, [])
    texts: list[tuple[str, Verdict]] = []
    if step.held:
        texts.append((f"{step.name} is on hold: it admits nothing new.", Verdict.FAIL))
    if step.stopped:
        drains = context.trace.outcome.reason is DRAINED
        rest = ", and its running workloads are drained" if drains else ""
        texts.append(
            (f"{step.name} is stopped by its config: it admits nothing new{rest}.", Verdict.FAIL)
        )
    if step.missing_flavor is not None:
        text = (
            f"{step.name} admits nothing: it names the flavor {step.missing_flavor}, which the "
            "config does not define."
        )
        texts.append((text, Verdict.FAIL))
    if not texts and context.trace.outcome.reason is QUEUE_MISCONFIGURED:
        texts.append((f"{step.name} is misconfigured and admits nothing.", Verdict.FAIL))
    if not texts and step.passthrough:
        texts.append((f"{step.name} has no quota: it admits every workload.", Verdict.PASS))
    if not texts:
        texts.append((f"{step.name} admits within quota{_shared(step.path)}.", Verdict.PASS))
    sentences = [Sentence(text=t, verdict=verdict, origin=step.origin) for t, verdict in texts]
    return stage_text("queue", texts[0][1], sentences)


def _shared(path: tuple[str, ...]) -> str:
    return f" and shares unused quota in cohort {', part of '.join(path)}" if path else ""
