"""Response bodies of the rule tester and of expectations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from console.api.answers.configs import range_answer
from console.api.answers.times import time_answer
from console.api.answers.workloads import amounts_answer
from console.configs.models import Expectation
from console.configs.services.try_route import RouteTest
from console.engine.explain.candidates import Candidate
from console.engine.explain.disciplines import candidates_of
from console.engine.explain.route_result import checked_expectation_sentence, route_sentence
from console.engine.explain.workload_tests import (
    branch_words,
    fit_sentences,
    near_sentence,
    obstacle_words,
    rule_sentence,
)
from console.engine.model.amounts import amount_to_number
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Reason
from console.engine.routing.expectations import CheckedExpectation
from console.engine.routing.flavor_evaluation import FlavorEvaluation
from console.engine.routing.missing_labels import Branch
from console.engine.routing.nearest_rule import NearMiss
from console.engine.routing.rule_evaluation import LocalQueueEvaluation, RuleEvaluation
from console.engine.routing.selector_evaluation import ExpressionResult
from console.engine.simulation.fitting import Fit
from console.engine.wording.reasons import reason_title


def route_answer(tried: RouteTest) -> dict[str, Any]:
    """Return the result of the rule tester for one workload in one config."""
    route_result = tried.route_result
    return {
        "version": tried.config.version,
        "draft": tried.config.draft,
        "verdict": route_sentence(route_result),
        "queue": route_result.queue,
        "priority": route_result.priority,
        "rule_index": route_result.route.rule,
        "reason": _reason(route_result.reason),
        "rule_count": tried.rule_count,
        "rules": [_rule(tried, rule) for rule in tried.rules],
        "local_queues": [_local_queue(local_queue) for local_queue in tried.local_queues],
        "other_queues": [{"queue": miss.queue, **_miss(miss)} for miss in tried.local_queue_misses],
        "missing_labels": [
            {
                "key": label.key,
                "branches": [_branch(branch) for branch in label.branches],
                "more": label.more,
            }
            for label in tried.missing
        ],
        "fit": _fit(tried.fit),
    }


def expectation_answer(row: Expectation) -> dict[str, Any]:
    """Return a saved expectation."""
    return {
        "name": row.name,
        "labels": row.labels,
        "namespace": row.namespace,
        "user": row.user,
        "groups": row.groups or [],
        "priority": row.priority,
        "requests": amounts_answer(row.requests),
        "queue": row.queue,
        "effective_priority": row.effective_priority,
        "author": row.author,
        "created_at": time_answer(row.created_at),
    }


def met_answer(met: Sequence[CheckedExpectation]) -> dict[str, Any]:
    """Return the results of expectations in a config."""
    broken = sum(not each.is_met for each in met)
    return {
        "ok": not broken,
        "broken": broken,
        "results": [
            {
                "name": each.expected.name,
                "met": each.is_met,
                "text": checked_expectation_sentence(each),
                "queue": each.route_result.queue,
                "priority": each.route_result.priority,
            }
            for each in met
        ],
    }


def _reason(reason: Reason | None) -> dict[str, str] | None:
    return {"code": reason, "message": reason_title(reason)} if reason else None


def _rule(tried: RouteTest, rule: RuleEvaluation) -> dict[str, Any]:
    miss = tried.misses.get(rule.index)
    return {
        "index": rule.index,
        "queue": rule.queue,
        "standing": rule.standing.value,
        "text": rule_sentence(rule, tried.route_result.route.rule),
        "priority": rule.priority.effective if rule.priority else None,
        "expressions": _expressions(rule.expressions),
        "range": range_answer(rule.origin),
        "nearest": _miss(miss) if miss else None,
    }


def _expressions(expressions: Iterable[ExpressionResult]) -> list[dict[str, Any]]:
    return [
        {
            "key": each.expression.key,
            "operator": each.expression.operator.value,
            "values": list(each.expression.values),
            "actual": each.actual,
            "holds": each.holds,
            "range": range_answer(each.expression.origin),
        }
        for each in expressions
    ]


def _miss(miss: NearMiss) -> dict[str, Any]:
    return {
        "text": near_sentence(miss),
        "possible": None if miss.is_cut else miss.is_possible,
        "labels": [
            {
                "key": each.key,
                "value": each.after,
                "any": each.is_any,
                "but_not": list(each.but_not),
            }
            for each in miss.labels
        ],
        "priority": {"value": miss.priority} if miss.changes_priority else None,
        "namespace": miss.namespace,
    }


def _local_queue(local_queue: LocalQueueEvaluation) -> dict[str, Any]:
    return {
        "name": local_queue.local_queue.name,
        "queue": local_queue.local_queue.queue,
        "named": local_queue.is_taken,
        "exists": local_queue.leads,
        "allowed": local_queue.is_allowed,
        "expressions": _expressions(local_queue.expressions),
        "range": range_answer(local_queue.local_queue.origin),
    }


def _branch(branch: Branch) -> dict[str, Any]:
    route_result = branch.route_result
    return {
        "values": list(branch.values),
        "queue": route_result.queue,
        "priority": route_result.priority if route_result.queue is not None else None,
        "rule_index": route_result.route.rule,
        "flavors": list(branch.flavors),
        "text": branch_words(branch),
    }


def _fit(fit: Fit) -> dict[str, Any]:
    return {
        "ever": fit.now is not None,
        "now": fit.now is not None and fit.now.outcome.outcome is Outcome.ADMITTED,
        "sentences": list(fit_sentences(fit)),
        "flavors": [_flavor(flavor) for flavor in fit.flavors],
        "clusters": [_cluster(each) for each in candidates_of(fit.now or fit.ever)],
    }


def _cluster(found: Candidate) -> dict[str, Any]:
    remains = found.order is not None
    return {
        "pod_set": found.pod_set,
        "cluster": found.cluster,
        "order": found.order,
        "stage": found.stage,
        "text": found.sentence,
        "capacity": amount_to_number(found.capacity) if remains else None,
        "weight": found.weight if remains else None,
        "largest_weight": found.largest_weight,
        "score": found.score if remains else None,
        "replicas": found.replicas,
    }


def _flavor(flavor: FlavorEvaluation) -> dict[str, Any]:
    return {
        "flavor": flavor.flavor,
        "accepts": flavor.obstacle is None,
        "text": obstacle_words(flavor),
        "expressions": _expressions(flavor.expressions),
        "resources": [
            {
                "resource": share.resource,
                "requested": amount_to_number(share.requested),
                "nominal": amount_to_number(share.nominal),
                "maximum": amount_to_number(share.maximum),
                "available": amount_to_number(share.available),
            }
            for share in flavor.shares
        ],
        "range": range_answer(flavor.origin),
    }
