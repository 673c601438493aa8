"""The outcome stage of explanations: the headline, and the assignment of each pod set."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.disciplines import explain_sections_of
from console.engine.explain.headline import headline
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.decision import Outcome, PodSetAssignment
from console.engine.model.trace import Trace
from console.engine.wording.words import listed, plural, resource_name

_VERDICTS = {
    Outcome.ADMITTED: Verdict.PASS,
    Outcome.PENDING: Verdict.INFO,
    Outcome.PREEMPTED: Verdict.FAIL,
    Outcome.REJECTED: Verdict.FAIL,
    Outcome.WITHDRAWN: Verdict.INFO,
    Outcome.RESIZED: Verdict.INFO,
}


def outcome(context: ExplainContext) -> StageText:
    """Return the sentences about the outcome and the assignment."""
    ended = context.trace.outcome
    verdict = _VERDICTS[ended.outcome]
    text = headline(context)
    sentences = [Sentence(text=text, verdict=verdict, workloads=_spoken_of(context, text))]
    pod_sets = ended.assignment
    for each in pod_sets:
        sentences += [Sentence(text=text) for text in _flavors(each, alone=len(pod_sets) == 1)]
    return stage_text("outcome", verdict, sentences)


def mentioned(trace: Trace) -> set[str]:
    """Return the ids of all other workloads in the explanation of a trace."""
    by_discipline = explain_sections_of(trace).mentioned(trace)
    return {*trace.outcome.victims, *_in_the_way(trace), *by_discipline}


def _in_the_way(trace: Trace) -> Iterator[str]:
    if trace.preempted is not None:
        yield trace.preempted.preemptor
    if trace.turn is not None:
        yield from trace.turn.others
    if trace.order is not None and trace.order.blocked_by is not None:
        yield trace.order.blocked_by


def _spoken_of(context: ExplainContext, text: str) -> tuple[str, ...]:
    """Return the ids of the workloads in the headline, and of the victims."""
    named = [each for each in _in_the_way(context.trace) if context.name(each) in text]
    return tuple(dict.fromkeys([*named, *context.trace.outcome.victims]))


def _flavors(each: PodSetAssignment, *, alone: bool) -> Iterator[str]:
    if alone:
        for resource, flavor in sorted(each.flavors.items()):
            yield f"Flavor {flavor} provides {resource_name(resource)}."
    elif each.flavors:
        gives = listed(
            f"{resource_name(resource)} from {f}" for resource, f in sorted(each.flavors.items())
        )
        yield f"Pod set {each.name} starts {plural(each.count, 'pod')}: {gives}."
    else:
        yield f"Pod set {each.name} starts {plural(each.count, 'pod')} without quota."
