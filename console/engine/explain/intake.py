"""The intake stage of explanations: labels, namespace, requests and pod sets."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.trace import PodSetStep
from console.engine.wording.words import amounts, plural


def intake(context: ExplainContext) -> StageText:
    """Return the sentences about labels, namespace, requests and pod sets."""
    sentences = [Sentence(text=text) for text in _texts(context)]
    return stage_text("intake", Verdict.INFO, sentences)


def _texts(context: ExplainContext) -> Iterator[str]:
    trace = context.trace
    labels = ", ".join(f"{key}={value}" for key, value in sorted(trace.labels.items()))
    yield f"Labels: {labels or 'none'}."
    if trace.namespace:
        yield f"Namespace: {trace.namespace}."
    requests = amounts(trace.requests) or "nothing"
    wish = "no priority"
    if trace.requested_priority is not None:
        wish = f"priority {trace.requested_priority}"
    yield f"Requests {requests}{' in total' if trace.pod_sets else ''}, with {wish}."
    for pod_set in trace.pod_sets:
        yield _pod_set(pod_set)


def _pod_set(step: PodSetStep) -> str:
    each = amounts({name: value for name, value in step.requests.items() if value}) or "nothing"
    each += " each" if step.count > 1 else ""
    least = f"; may start with {step.min_count}" if step.min_count is not None else ""
    return f"Pod set {step.name}: {plural(step.count, 'pod')} of {each}{least}."
