"""Result of a rule test: rules, local queues, flavors, and changes that lead to other routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from console.configs.compiled_configs import CompiledConfig
from console.configs.services.try_route import RouteTest
from console.engine.explain.disciplines import candidates_of
from console.engine.explain.route_result import route_sentence
from console.engine.explain.workload_tests import (
    actual_words,
    branch_words,
    expression_words,
    fit_sentences,
    local_queue_sentence,
    near_sentence,
    obstacle_words,
    rule_priority,
    rule_sentence,
    values_words,
)
from console.engine.model.decision import Outcome
from console.engine.routing.flavor_evaluation import FlavorEvaluation
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.nearest_rule import NearMiss
from console.engine.routing.rule_evaluation import (
    LocalQueueEvaluation,
    RuleEvaluation,
    RuleStanding,
)
from console.engine.routing.rule_routing import routes_by_rules
from console.engine.routing.selector_evaluation import ExpressionResult
from console.engine.simulation.fitting import Fit
from console.pages.presenters.tester.lines import (
    Alternative,
    ExpressionLine,
    FlavorLine,
    LocalQueueLine,
    RuleLine,
    TestResult,
)
from console.pages.tester_query import TesterQuery

#: Sample values for a label that may have any other value.
_ANY = ("any", "other", "another", "something")

_VERDICTS = {
    RuleStanding.TOOK: "pass",
    RuleStanding.SELECTOR_FALSE: "fail",
    RuleStanding.PRIORITY_OUT_OF_RANGE: "fail",
    RuleStanding.TOO_LATE: "skip",
}


def result_of(tried: RouteTest, query: TesterQuery, path: str, start: int) -> TestResult:
    """Return the result of *tried* for the page at *path*, with rules from index *start*."""
    route_result, subject = tried.route_result, tried.config
    took = route_result.route.rule
    shown = start + len(tried.rules)
    return TestResult(
        title=subject_title(subject),
        subject=subject,
        state=_state(tried.fit),
        sentence=route_sentence(route_result),
        fit=_fit(tried.fit) if not route_result.is_refused else [],
        queue=route_result.queue or "",
        priority=route_result.priority if route_result.queue else None,
        rules=[
            _rule(rule, took, _alternative(tried.misses.get(rule.index), query, path))
            for rule in tried.rules
        ],
        rule_count=tried.rule_count,
        next_url=path + query.to_query_string(rules=str(shown)) if shown < tried.rule_count else "",
        first_url=path + query.to_query_string() if start else "",
        local_queues=[_local_queue(local_queue) for local_queue in tried.local_queues],
        more_local_queues=tried.local_queue_count - len(tried.local_queues),
        others=[
            (miss.queue, alternative)
            for miss in tried.local_queue_misses
            if (alternative := _alternative(miss, query, path)) is not None
        ],
        missing=[
            (
                label.key,
                [
                    (
                        values_words(branch),
                        branch_words(branch),
                        _url(query, path, label.key, branch.values),
                    )
                    for branch in label.branches
                ],
                label.more,
            )
            for label in tried.missing
        ],
        flavors=[_flavor(flavor) for flavor in tried.fit.flavors],
        routes_by_rules=routes_by_rules(subject.policy),
        routes_by_local_queues=local_routing_of(subject.policy) is not None,
        candidates=list(candidates_of(tried.fit.now or tried.fit.ever)),
        is_empty_state=tried.fit.now is None,
        expect_query=query.to_query_string(
            queue=route_result.queue or "",
            effective_priority="" if route_result.queue is None else str(route_result.priority),
        ),
    )


def subject_title(subject: CompiledConfig) -> str:
    """Return the title of a config."""
    if subject.draft is not None:
        return f"Draft {subject.draft}"
    if subject.name == "active":
        return f"Active, version {subject.version}" if subject.version else "No config yet"
    return f"Version {subject.version}"


def starts_now(fit: Fit) -> bool:
    """Return whether the workload would start now, beside the running workloads."""
    return fit.now is not None and fit.now.outcome.outcome is Outcome.ADMITTED


def _state(fit: Fit) -> str:
    """Return the state of such a workload, for the color of the headline."""
    if starts_now(fit):
        return "admitted"
    return "rejected" if fit.ever.outcome.outcome is Outcome.REJECTED else "pending"


def _fit(fit: Fit) -> list[tuple[str, str]]:
    sentences = list(fit_sentences(fit))
    if fit.now is None:
        return [("fail", sentences[0])]
    return [("pass", sentences[0]), ("pass" if starts_now(fit) else "fail", sentences[1])]


def _rule(rule: RuleEvaluation, took: int | None, nearest: Alternative | None) -> RuleLine:
    return RuleLine(
        number=rule.index + 1,
        label=f"Expressions of rule {rule.index + 1}",
        queue=rule.queue,
        verdict=_VERDICTS[rule.standing],
        sentence=rule_sentence(rule, took),
        priority=rule_priority(rule),
        expressions=_expressions(rule.expressions),
        nearest=nearest,
        origin=rule.origin,
    )


def _expressions(expressions: Iterable[ExpressionResult]) -> list[ExpressionLine]:
    return [
        ExpressionLine(
            expression=expression_words(each),
            actual=actual_words(each),
            holds=each.holds,
            origin=each.expression.origin,
        )
        for each in expressions
    ]


def _local_queue(local_queue: LocalQueueEvaluation) -> LocalQueueLine:
    is_open = local_queue.leads and local_queue.is_allowed
    return LocalQueueLine(
        name=local_queue.local_queue.name,
        label=f"Namespace conditions of the queue of {local_queue.local_queue.name}",
        queue=local_queue.local_queue.queue,
        verdict="pass" if is_open and local_queue.is_taken else "skip" if is_open else "fail",
        sentence=local_queue_sentence(local_queue),
        expressions=_expressions(local_queue.expressions),
        origin=local_queue.local_queue.origin,
    )


def _flavor(flavor: FlavorEvaluation) -> FlavorLine:
    return FlavorLine(
        flavor=flavor.flavor,
        label=f"Label conditions of {flavor.flavor}",
        verdict="fail" if flavor.obstacle is not None else "pass" if flavor.shares else "skip",
        sentence=obstacle_words(flavor),
        expressions=_expressions(flavor.expressions),
        shares=[(s.resource, s.requested, s.maximum, s.available) for s in flavor.shares],
        origin=flavor.origin,
    )


def _alternative(miss: NearMiss | None, query: TesterQuery, path: str) -> Alternative | None:
    if miss is None:
        return None
    if miss.is_cut or not miss.is_possible:
        return Alternative(text=near_sentence(miss), url="")
    labels: dict[str, str | None] = dict(query.labels)
    for change in miss.labels:
        labels[change.key] = _other(change.but_not) if change.is_any else change.after
    changes: dict[str, Any] = {
        "labels": tuple((key, value) for key, value in labels.items() if value is not None)
    }
    if miss.namespace is not None:
        changes["namespace"] = miss.namespace
    if miss.changes_priority:
        changes["priority"] = "" if miss.priority is None else str(miss.priority)
    return Alternative(
        text=near_sentence(miss), url=path + replace(query, **changes).to_query_string()
    )


def _url(query: TesterQuery, path: str, key: str, values: tuple[str, ...]) -> str:
    if not values:
        return ""
    return path + replace(query, labels=(*query.labels, (key, values[0]))).to_query_string()


def _other(taken: tuple[str, ...]) -> str:
    """Return a value that is not in *taken*."""
    plain = next((value for value in _ANY if value not in taken), None)
    return plain or f"{max(taken, key=len)}-"
