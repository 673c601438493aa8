"""Finds the explanation sections and stages of the discipline that has a section in a trace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from console.engine.disciplines import load_discipline
from console.engine.explain.candidates import Candidate
from console.engine.explain.explain_sections import NO_EXPLAIN_SECTIONS, ExplainSections, Stage
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import UnreadSection


def explain_sections_of(trace: Trace) -> ExplainSections:
    """Return the explain sections of the trace's discipline; empty when it is not installed."""
    for code, section in trace.sections.items():
        if not isinstance(section, UnreadSection):
            return load_discipline(code).explain_sections()
    return NO_EXPLAIN_SECTIONS


def candidates_of(trace: Trace) -> Iterator[Candidate]:
    """Yield the candidates in *trace*, in order; none if its discipline places on no clusters."""
    yield from explain_sections_of(trace).candidates(trace)


def own_stages(trace: Trace) -> dict[str, Stage]:
    """
    Return the stages that disciplines add to *trace*, by code.

    A section whose discipline is not installed has a stage with a sentence about this.
    """
    stages = {stage.code: stage for stage in explain_sections_of(trace).stages}
    for code, section in trace.sections.items():
        if isinstance(section, UnreadSection):
            stages[code] = Stage(code=code, words=partial(_unread, code))
    return stages


def _unread(code: str, _: ExplainContext) -> StageText:
    text = f"This version of Sluice cannot read what the scheduler {code} found."
    return stage_text(code, Verdict.INFO, [Sentence(text=text)])
