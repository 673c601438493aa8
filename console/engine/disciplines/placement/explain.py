"""Explanation of a placement: the verdict on every cluster, and how replicas were spread."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from console.engine.disciplines.placement.spec import DEFAULT_PLUGIN, Rank
from console.engine.disciplines.placement.trace import (
    ClusterStage,
    ClusterStep,
    Overtaken,
    PlacementFacts,
    PluginScore,
    PluginWords,
    PodSetPlacement,
    facts_of,
    product,
)
from console.engine.explain.candidates import Candidate
from console.engine.explain.explain_sections import ExplainSections, Stage
from console.engine.explain.queue import queue
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.amounts import SCALE, format_amount
from console.engine.model.decision import Outcome
from console.engine.model.trace import Trace
from console.engine.wording.words import amounts, failed_expression, listed, plural


def _placement(context: ExplainContext) -> StageText:
    facts = facts_of(context.trace)
    if facts.problem:
        return stage_text("placement", Verdict.FAIL, [Sentence(text=facts.problem)])
    fails = any(each.placed < each.replicas for each in facts.pod_sets)
    verdict = Verdict.FAIL if fails else Verdict.PASS
    are_lost = context.trace.outcome.outcome is Outcome.RESIZED
    return stage_text("placement", verdict, _sentences(facts, are_lost=are_lost))


def _sentences(facts: PlacementFacts, *, are_lost: bool) -> Iterator[Sentence]:
    several = len(facts.pod_sets) > 1
    for pod_set in facts.pod_sets:
        opening = f"Pod set {pod_set.pod_set}: " if several else ""
        for place, step in enumerate(pod_set.kept, start=1):
            yield _kept(opening, place, step, pod_set, facts.rank)
        if pod_set.overtaken is not None:
            yield _overtaken(opening, pod_set.overtaken)
        yield from _said(opening, pod_set)
        for step in pod_set.clusters:
            if step.stage is not ClusterStage.KEPT:
                yield Sentence(text=opening + _removed(step), verdict=Verdict.FAIL)
        yield (
            _failed(opening, pod_set.failure)
            if pod_set.failure
            else _spread(opening, pod_set, are_lost=are_lost)
        )


def _kept(
    opening: str, place: int, step: ClusterStep, pod_set: PodSetPlacement, rank: str
) -> Sentence:
    verb = "takes" if pod_set.placed == pod_set.replicas else "could take"
    taken = f"{verb} {plural(step.replicas, 'replica')}" if step.replicas else f"{verb} none"
    facts = _factors(step, pod_set, rank)
    return Sentence(
        text=f"{opening}{place}. {step.cluster} {taken}: {', '.join(facts)}.",
        verdict=Verdict.PASS if step.replicas else Verdict.INFO,
        numbers={"score": step.score, "weight": step.weight, "replicas": step.replicas},
    )


def _factors(step: ClusterStep, pod_set: PodSetPlacement, rank: str) -> list[str]:
    """Return the numbers that rank a cluster, each with its meaning."""
    factor = pod_set.capacity_factor
    if not factor:
        # Only installed plugins rank.
        return [*map(_score, step.scores), f"the sum is {step.total}"]
    capacity = f"its free capacity counts {format_amount(step.score)}"
    facts = [capacity]
    if pod_set.largest_weight > 1:
        preference = (
            f"its best preference has weight {step.weight} of {pod_set.largest_weight}"
            if step.weight > 1
            else f"it matches no preference, which is weight 1 of {pod_set.largest_weight}"
        )
        facts = [preference, capacity]
    if rank == Rank.PRODUCT and (pod_set.largest_weight > 1 or step.scores):
        weight = Fraction(100 * step.weight, max(1, pod_set.largest_weight))
        score = format_amount(product(step, pod_set.largest_weight))
        facts.append(f"times {format_amount(int(weight * SCALE))} is a score of {score}")
    if factor > 1 and step.scores:
        facts.append(f"times {factor} for the weight of {DEFAULT_PLUGIN}")
    if step.scores:
        facts += [*map(_score, step.scores), f"the sum is {step.total}"]
    return facts


def _score(each: PluginScore) -> str:
    times = f", times its weight {each.factor}" if each.factor > 1 else ""
    return f"{each.plugin} scores {each.score}{times}"


def _said(opening: str, pod_set: PodSetPlacement) -> Iterator[Sentence]:
    """Yield what installed plugins said about clusters, except about those they removed."""
    for step in pod_set.clusters:
        for each in step.said:
            if step.stage is not ClusterStage.PLUGIN or each.plugin != step.plugin:
                yield Sentence(text=f"{opening}{each.plugin} about {step.cluster}: {each.sentence}")


def _failed(opening: str, failure: PluginWords) -> Sentence:
    return Sentence(
        text=f"{opening}The plugin {failure.plugin} failed, so the job is not placed: "
        f"{failure.sentence}",
        verdict=Verdict.FAIL,
    )


def _overtaken(opening: str, found: Overtaken) -> Sentence:
    return Sentence(
        text=f"{opening}The job prefers {found.cluster}, but {found.by} comes first: capacity "
        f"times weight is {format_amount(found.by_score)} for {found.by} and "
        f"{format_amount(found.score)} for {found.cluster}. With rank: lexicographic, preferences "
        "count before capacity.",
        numbers={"score": found.score, "by_score": found.by_score},
    )


def _removed(step: ClusterStep) -> str:
    match step.stage:
        case ClusterStage.NOT_READY:
            return f"{step.cluster} is not ready."
        case ClusterStage.AFFINITY:
            tried = listed(
                f"{each.name} ({failed_expression(each.failed)})" for each in step.failed
            )
            return f"{step.cluster} satisfies no filter: {tried}."
        case ClusterStage.FILTER_POLICY:
            return f"{step.cluster} is removed by the filter policy {step.policy}."
        case ClusterStage.PLUGIN:
            said = next((e.sentence for e in step.said if e.plugin == step.plugin), "")
            return f"{step.cluster} is removed by the plugin {step.plugin}{_colon(said)}"
        case _:
            also = " Its labels would remove it, too." if step.is_excluded else ""
            return _without_room(step) + also


def _without_room(step: ClusterStep) -> str:
    if step.node is None and step.could_fit:
        return f"{step.cluster} has no node with room for one replica."
    if step.node is None:
        return f"{step.cluster} has no node that accepts pods and could fit one replica."
    never = "" if step.could_fit else ", and no node of it would fit one even if empty"
    return (
        f"{step.cluster} has no node with room for one replica: {step.node} comes closest and "
        f"lacks {amounts(step.lacks)}{never}."
    )


def _colon(sentence: str) -> str:
    return f": {sentence}" if sentence else "."


def _spread(opening: str, pod_set: PodSetPlacement, *, are_lost: bool) -> Sentence:
    placed, wanted = pod_set.placed, pod_set.replicas
    is_asked = pod_set.spread_by and pod_set.kept
    by = f" by the plugin {pod_set.spread_by}" if is_asked else ""
    if placed == wanted:
        return Sentence(
            text=f"{opening}All {plural(wanted, 'replica')} are placed{by}."
            if wanted > 1
            else f"{opening}The replica is placed{by}.",
            verdict=Verdict.PASS,
        )
    return Sentence(
        text=f"{opening}{placed} of {plural(wanted, 'replica')} would fit{by}; "
        + ("lost replicas move together" if are_lost else "a job is placed as a whole")
        + " or not at all.",
        verdict=Verdict.FAIL,
    )


def _queue(context: ExplainContext) -> StageText:
    """Return the sentences of other disciplines if the queue admits nothing, or else the order."""
    step = context.trace.queue
    if step is None or step.held or step.stopped:
        return queue(context)
    text = (
        "Jobs are placed in the order of their arrival; one that has to wait does not delay others."
    )
    return stage_text("queue", Verdict.PASS, [Sentence(text=text, verdict=Verdict.PASS)])


def _facts(context: ExplainContext) -> Iterator[tuple[str, str]]:
    for pod_set in facts_of(context.trace).pod_sets:
        for step in pod_set.clusters:
            value = (
                plural(step.replicas, "replica")
                if step.stage is ClusterStage.KEPT
                else str(step.stage).replace("_", " ")
            )
            yield f"Cluster {step.cluster}", value


_STAGE_TITLES: Final = {
    ClusterStage.KEPT: "Remains",
    ClusterStage.NOT_READY: "Not ready",
    ClusterStage.CAPACITY: "No room on a node",
    ClusterStage.AFFINITY: "No filter satisfied",
    ClusterStage.FILTER_POLICY: "Filter policy",
    ClusterStage.PLUGIN: "Plugin",
}


def _candidates(trace: Trace) -> Iterator[Candidate]:
    facts = facts_of(trace)
    for pod_set in facts.pod_sets:
        order = {step.cluster: place for place, step in enumerate(pod_set.kept, start=1)}
        for step in pod_set.clusters:
            place = order.get(step.cluster)
            words = _removed(step)
            if place is not None:
                words = _kept("", place, step, pod_set, facts.rank).text.partition(". ")[2]
            yield Candidate(
                pod_set=pod_set.pod_set,
                cluster=step.cluster,
                order=place,
                stage=step.stage,
                stage_title=_STAGE_TITLES[step.stage],
                sentence=words,
                capacity=step.score,
                weight=step.weight if place is not None else 0,
                largest_weight=pod_set.largest_weight,
                score=_rank_words(step, pod_set, facts.rank) if place is not None else "",
                replicas=step.replicas,
                wanted=pod_set.replicas,
            )


def _rank_words(step: ClusterStep, pod_set: PodSetPlacement, rank: str) -> str:
    """Return the score of a cluster: the sum of plugins, the product, or weight and capacity."""
    if step.total:
        return step.total
    capacity = format_amount(step.score)
    if pod_set.largest_weight == 1:
        return capacity
    if rank == Rank.PRODUCT:
        weight = Fraction(100 * step.weight, max(1, pod_set.largest_weight))
        result = format_amount(product(step, pod_set.largest_weight))
        return f"{capacity} × {format_amount(int(weight * SCALE))} = {result}"
    return f"weight {step.weight}, then {capacity}"


EXPLAIN_SECTIONS: Final = ExplainSections(
    candidates=_candidates,
    stages=(
        Stage(code="queue", words=_queue),
        Stage(code="placement", words=_placement, facts=_facts),
    ),
)
