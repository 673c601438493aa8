"""Sentences about fixes for a rejected workload: changes of the request, then of the config."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.disciplines import load_discipline
from console.engine.explain.route_result import route_sentence
from console.engine.explain.sentences import Sentence, Verdict
from console.engine.explain.workload_tests import near_sentence, rule_sentence
from console.engine.model.route_result import RouteResult
from console.engine.routing.nearest_rule import NearMiss
from console.engine.routing.rule_evaluation import RuleEvaluation
from console.engine.wording.words import expression, lower_first


def fixes(
    route_result: RouteResult,
    misses: Sequence[NearMiss],
    rules: Sequence[RuleEvaluation],
    requested: int | None,
) -> Iterator[tuple[Change, Sentence]]:
    """
    Yield the changes after which a queue accepts the workload, with sentences, smallest first.

    *misses* are the nearest changes of the request; *rules* are the rules that come closest to
    matching; *requested* is the requested priority.
    """
    if not route_result.is_refused:
        text = f"Submit it again: {lower_first(route_sentence(route_result))}"
        change = Change(kind=ChangeKind.RESUBMIT, queue=route_result.route.queue)
        yield change, Sentence(text=text, verdict=Verdict.PASS)
        return
    possible = [miss for miss in misses if miss.is_possible and not miss.is_cut]
    for miss in sorted(possible, key=_effort):
        yield _request(miss, requested), Sentence(text=f"In the request: {_reach(miss)}")
    discipline = load_discipline(route_result.policy.discipline)
    yield from discipline.explain_sections().fixes(route_result)
    for rule in rules:
        text = (
            f"In the config: change rule {rule.index + 1} to accept it for {rule.queue}. "
            f"Currently: {lower_first(rule_sentence(rule, route_result.route.rule))}{_false(rule)}"
        )
        change = Change(kind=ChangeKind.RULE, to=rule.index, queue=rule.queue, origin=rule.origin)
        yield change, Sentence(text=text, origin=rule.origin)


def _request(miss: NearMiss, requested: int | None) -> Change:
    """Return the change of *miss*: of one label, of the priority, or of several properties."""
    if len(miss.labels) == 1 and not miss.changes_priority and miss.namespace is None:
        (label,) = miss.labels
        if not label.is_any:
            return Change(
                kind=ChangeKind.LABEL,
                subject=label.key,
                from_=label.before,
                to=label.after,
                queue=miss.queue,
            )
    if miss.changes_priority and not miss.labels and miss.namespace is None:
        return Change(kind=ChangeKind.PRIORITY, from_=requested, to=miss.priority, queue=miss.queue)
    return Change(kind=ChangeKind.REQUEST, queue=miss.queue)


def _effort(miss: NearMiss) -> tuple[int, int]:
    changes = len(miss.labels) + miss.changes_priority + (miss.namespace is not None)
    return changes, miss.rule or 0


def _reach(miss: NearMiss) -> str:
    way = f"rule {miss.rule + 1}, which routes to {miss.queue}" if miss.rule is not None else ""
    return f"{lower_first(near_sentence(miss))[:-1]}, to be accepted by {way or miss.queue}."


def _false(rule: RuleEvaluation) -> str:
    false = [each for each in rule.expressions if not each.holds]
    if not false:
        return ""
    required = false[0].expression
    return f" It requires {expression(required.key, required.operator.value, required.values)}."
