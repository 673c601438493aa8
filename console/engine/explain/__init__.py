"""
From facts to sentences: the way from labels to outcome in words, stage by stage.

`explain` turns a trace into a headline and, stage by stage, the sentences that
lead to it. Every sentence that a line of the config caused carries its origin.
Each stage has a module of its own; the discipline that has a section in the trace
adds its stages.
"""

from __future__ import annotations

from collections.abc import Mapping

from console.engine.explain.disciplines import own_stages
from console.engine.explain.headline import headline
from console.engine.explain.outcome import mentioned
from console.engine.explain.sentences import Explanation, Sentence, StageText, Telling, Verdict
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
    Word a trace. *names* has display names of workloads by id; others show their id.

    *has_config* says whether any config had been applied when it was decided.

    Raises nothing: a trace of any known version has words.
    """
    telling = Telling(trace, names or {}, has_config)
    stages = in_order(own_stages(trace)).values()
    texts = [text for stage in stages if (text := stage.words(telling)).sentences]
    return Explanation(
        headline=headline(telling),
        reason=trace.outcome.reason,
        stages=tuple(with_unsupported(telling, text) for text in texts),
    )


def headline_of(trace: Trace, names: Mapping[str, str] | None = None) -> str:
    """Return the headline that `explain` gives to a trace, at a part of the cost."""
    return headline(Telling(trace, names or {}))
