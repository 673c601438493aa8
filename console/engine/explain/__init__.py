"""
Explanations: writes the facts of a trace as a headline and sentences, stage by stage.

The stages lead from the labels of a workload to its outcome. A sentence about a line
of the config has its origin. Each common stage has a module of its own; the
discipline that has a section in the trace adds its stages.
"""

from __future__ import annotations

from collections.abc import Mapping

from console.engine.explain.disciplines import own_stages
from console.engine.explain.headline import headline
from console.engine.explain.outcome import mentioned
from console.engine.explain.sentences import (
    ExplainContext,
    Explanation,
    Sentence,
    StageText,
    Verdict,
)
from console.engine.explain.stages import in_order
from console.engine.explain.unsupported import with_unsupported
from console.engine.model.trace import Trace

__all__ = [
    "Explanation",
    "Sentence",
    "StageText",
    "Verdict",
    "explain",
    "headline_of",
    "mentioned",
]


def explain(
    trace: Trace, names: Mapping[str, str] | None = None, *, has_config: bool = True
) -> Explanation:
    """
    Return the explanation of *trace*. It shows workloads by their *names*, or else their ids.

    *has_config* is whether a config had been applied before the decision.

    Every trace of a known version has an explanation.
    """
    context = ExplainContext(trace, names or {}, has_config)
    stages = in_order(own_stages(trace)).values()
    texts = [text for stage in stages if (text := stage.words(context)).sentences]
    return Explanation(
        headline=headline(context),
        reason=trace.outcome.reason,
        stages=tuple(with_unsupported(context, text) for text in texts),
    )


def headline_of(trace: Trace, names: Mapping[str, str] | None = None) -> str:
    """Return only the headline of `explain`, which costs less."""
    return headline(ExplainContext(trace, names or {}))
