"""Interface by which a discipline adds stages and sentences to explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from console.engine.explain.sentences import ExplainContext, Sentence, StageText
from console.engine.model.reasons import Reason
from console.engine.model.trace import Trace

if TYPE_CHECKING:
    from console.engine.counterfactual.change import Change
    from console.engine.explain.candidates import Candidate
    from console.engine.model.route_result import RouteResult


def _nothing(_: object) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """
    One stage of explanations.

    A stage with the code of a common stage replaces it; others are between queue and preemption.
    """

    #: Small letters and underscores; `stage_title` returns its title.
    code: str
    #: Returns the sentences; a stage without sentences is not shown.
    words: Callable[[ExplainContext], StageText]
    #: Returns the facts that comparisons show: their names and values.
    facts: Callable[[ExplainContext], Iterable[tuple[str, str]]] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainSections:
    """All sentences of a discipline, except for the headlines of its own reasons."""

    stages: tuple[Stage, ...] = ()
    #: Headlines of reasons that disciplines share.
    headlines: Mapping[Reason, Callable[[ExplainContext], str]] = field(default_factory=dict)
    #: Returns the clusters that were evaluated, for each pod set in order of rank.
    candidates: Callable[[Trace], Iterable[Candidate]] = _nothing
    #: Returns the ids of other workloads in the section.
    mentioned: Callable[[Trace], Iterable[str]] = _nothing
    #: Returns the text after "it would start on (flavors)", with its comma; "" for nothing.
    start: Callable[[Trace], str] = lambda _: ""
    #: Returns changes after which the queue of its route accepts a rejected workload.
    fixes: Callable[[RouteResult], Iterable[tuple[Change, Sentence]]] = _nothing


#: For traces without a section of an installed discipline.
NO_EXPLAIN_SECTIONS: Final = ExplainSections()
