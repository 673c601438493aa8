"""Sentences about a workload test: rules, local queues, near misses, flavors and the fit."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.disciplines import explain_sections_of
from console.engine.explain.headline import headline
from console.engine.explain.sentences import ExplainContext
from console.engine.model.common_reasons import PASSTHROUGH
from console.engine.model.obstacles import Obstacle
from console.engine.model.policy import StopPolicy
from console.engine.model.trace import FlavorVerdict, Trace
from console.engine.routing.flavor_evaluation import FlavorEvaluation
from console.engine.routing.missing_labels import Branch
from console.engine.routing.nearest_rule import LabelChange, NearMiss
from console.engine.routing.reasons import NO_RULES
from console.engine.routing.rule_evaluation import (
    LocalQueueEvaluation,
    RuleEvaluation,
    RuleStanding,
)
from console.engine.routing.selector_evaluation import ExpressionResult
from console.engine.simulation.fitting import Fit
from console.engine.wording.reasons import reason_title
from console.engine.wording.words import (
    cut,
    expression,
    failed_expression,
    listed,
    out_of_range,
    priority_range,
    sentence_case,
)


def expression_words(truth: ExpressionResult) -> str:
    """Return the requirement of an expression in words."""
    required = truth.expression
    return expression(required.key, required.operator.value, required.values)


def actual_words(truth: ExpressionResult) -> str:
    """Return the actual value of the label of an expression."""
    return "absent" if truth.actual is None else repr(truth.actual)


def rule_sentence(rule: RuleEvaluation, taken_by: int | None) -> str:
    """Return the effect of a rule on a workload that the rule with index *taken_by* matches."""
    match rule.standing:
        case RuleStanding.TOOK:
            return "Accepts it."
        case RuleStanding.TOO_LATE:
            assert taken_by is not None
            return f"Would accept it, but rule {taken_by + 1} comes first."
        case RuleStanding.PRIORITY_OUT_OF_RANGE:
            assert rule.priority is not None
            return f"Matches, but {out_of_range(rule.priority)}."
        case RuleStanding.SELECTOR_FALSE:
            false = sum(not each.holds for each in rule.expressions)
            if len(rule.expressions) == 1:
                return "Does not match."
            verb = "is" if false == 1 else "are"
            return (
                f"Does not match: {false} of its {len(rule.expressions)} expressions {verb} false."
            )


def rule_priority(rule: RuleEvaluation) -> str:
    """Return the effect of a rule on the priority, or "" when its selector is false."""
    step = rule.priority
    if step is None:
        return ""
    if step.effective is None:
        return f"accepts {priority_range(step)}"
    return f"priority {step.effective}"


def local_queue_sentence(local_queue: LocalQueueEvaluation) -> str:
    """Return whether a local queue routes workloads of its namespace to its queue."""
    queue = local_queue.local_queue.queue
    if not local_queue.leads:
        return f"Leads to {queue}, which does not exist."
    if not local_queue.is_allowed:
        return f"Leads to {queue}, which does not admit workloads of this namespace."
    if local_queue.local_queue.stop is not StopPolicy.NONE:
        return f"Leads to {queue}, and is stopped."
    return f"Leads to {queue}."


def near_sentence(miss: NearMiss) -> str:
    """Return the smallest change after which the workload reaches a rule or a queue."""
    if miss.is_cut:
        return "Too many conditions to compute the nearest match."
    if not miss.is_possible:
        return (
            "No local queue leads here from a namespace that this queue admits."
            if miss.rule is None
            else "No labels and priority can match it."
        )
    parts = [_label_words(each) for each in miss.labels]
    if miss.namespace is not None:
        parts.insert(0, f"be in namespace {miss.namespace}")
    if miss.changes_priority:
        requested = "no priority" if miss.priority is None else f"priority {miss.priority}"
        parts.append(f"request {requested}")
    return f"{sentence_case(listed(parts))}."


def branch_words(branch: Branch) -> str:
    """Return the route result of the workload with one of the values of *branch*."""
    route_result = branch.route_result
    if route_result.queue is None:
        assert route_result.reason is not None
        return f"no queue ({reason_title(route_result.reason)})"
    words = route_result.queue
    if route_result.route.rule is not None:
        words += f" by rule {route_result.route.rule + 1}"
    if route_result.priority is not None:
        words += f" with priority {route_result.priority}"
    return f"{words} on {listed(branch.flavors)}" if branch.flavors else words


def values_words(branch: Branch) -> str:
    """Return the values of the label in *branch*."""
    return cut(branch.values) if branch.values else "any other value"


def obstacle_words(flavor: FlavorEvaluation) -> str:
    """Return why a flavor does not accept the workload, or that it does."""
    obstacle = flavor.obstacle
    if obstacle is None:
        return "Accepts it." if flavor.shares else "Accepts it, but provides no requested resource."
    return f"{_against(obstacle)}."


def fit_sentences(fit: Fit) -> Iterator[str]:
    """Yield whether the workload fits if nothing else runs, and whether it fits now."""
    if fit.now is None:
        yield headline(ExplainContext(fit.ever, {}))
        return
    yield f"It can fit: if nothing else ran, it would {_start(fit.ever)}."
    if fit.now.outcome.reason is fit.ever.outcome.reason:
        yield f"It fits now: it would {_start(fit.now)}."
    else:
        yield headline(ExplainContext(fit.now, {}))


def _start(trace: Trace) -> str:
    if trace.outcome.reason is NO_RULES:
        return "be admitted without a queue"
    if trace.outcome.reason is PASSTHROUGH:
        return "be admitted without quota"
    flavors = {f for each in trace.outcome.assignment for f in each.flavors.values()}
    clusters = dict.fromkeys(
        place.cluster
        for each in trace.outcome.assignment
        for place in each.places
        if place.cluster is not None
    )
    if clusters:
        return f"start on {listed(clusters)}"
    if not flavors:
        return "start without quota, because it requests no resource that the queue limits"
    return f"start on {listed(sorted(flavors))}{explain_sections_of(trace).start(trace)}"


def _against(obstacle: Obstacle) -> str:
    failed = obstacle.failed
    match obstacle.verdict:
        case FlavorVerdict.FLAVOR_MISSING:
            return "The config does not define it"
        case FlavorVerdict.TAINT_NOT_TOLERATED:
            return f"Its taint {obstacle.taint} is not tolerated"
        case FlavorVerdict.LABELS_DO_NOT_MATCH if failed is not None:
            return f"Does not match: the pods require nodes with {failed_expression(failed)}"
    assert failed is not None, "what is left are selectors"
    return f"Does not match: it requires {failed_expression(failed)}"


def _label_words(change: LabelChange) -> str:
    if change.is_any:
        but = f" but {cut(change.but_not)}" if change.but_not else ""
        return f"set {change.key} to any value{but}"
    if change.after is None:
        return f"remove {change.key}"
    return f"set {change.key} to {change.after}"
