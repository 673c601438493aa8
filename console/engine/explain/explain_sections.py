"""How a discipline words its section of a trace: its own stages, beside the common ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from console.engine.explain.sentences import Sentence, StageText, Telling
from console.engine.model.reasons import Reason
from console.engine.model.trace import Trace

if TYPE_CHECKING:
    from console.engine.counterfactual.change import Change
    from console.engine.model.route_result import RouteResult


def _nothing(_: object) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """
    One stage of explanations.

    With the code of a common stage it takes its place; others are between queue and order.
    """

    #: Small letters and underscores; its title is made of it.
    code: str
    #: Says what happened; a stage without sentences is not shown.
    words: Callable[[Telling], StageText]
    #: What is compared of two workloads: each question with the answer.
    answers: Callable[[Telling], Iterable[tuple[str, str]]] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainSections:
    """Everything that a discipline says of a trace, beyond the headlines of its own reasons."""

    stages: tuple[Stage, ...] = ()
    #: Headlines of reasons that disciplines share.
    headlines: Mapping[Reason, Callable[[Telling], str]] = field(default_factory=dict)
    #: Returns the ids of other workloads that the section names.
    mentioned: Callable[[Trace], Iterable[str]] = _nothing
    #: Returns what follows "it would start on (flavors)", with its comma; "" for nothing.
    start: Callable[[Trace], str] = lambda _: ""
    #: Returns what would let a rejected workload into the queue of its route.
    fixes: Callable[[RouteResult], Iterable[tuple[Change, Sentence]]] = _nothing


#: Of traces in which no installed discipline has a section.
NO_EXPLAIN_SECTIONS: Final = ExplainSections()
