"""Texts of fixes: the labels that the flavors of a queue require of a workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.disciplines.quota.flavor_matching import FlavorEligibility
from console.engine.disciplines.quota.spec import spec_of
from console.engine.explain.sentences import Sentence
from console.engine.model.route_result import RouteResult
from console.engine.model.selectors import Operator
from console.engine.model.trace import FailedExpression
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router
from console.engine.wording.suggest import edit_distance
from console.engine.wording.words import expression

#: Values whose spelling is compared with the present one.
_COMPARED = 100


def flavor_fixes(route_result: RouteResult) -> Iterator[tuple[Change, Sentence]]:
    """
    Yield the labels that each flavor of the queue requires, if none accepts the workload's.

    If another value of one label is enough, as routing the changed workload shows, the change has
    that value: of several the one whose spelling is closest to the present value.
    """
    policy, workload = route_result.policy, route_result.workload
    queue = spec_of(policy).queues.get(route_result.route.queue or "")
    if queue is None or route_result.reason is None:
        return
    router = Router(policy)
    for group in FlavorEligibility(policy).excluded(workload, queue):
        for tried in group.flavors:
            failed = tried.failed
            if failed is None:
                continue
            target = f"to match {tried.flavor} of {queue.name}"
            change = _other_value(route_result, failed, router)
            if change is None:
                required = expression(failed.key, failed.operator, failed.values)
                text = f"In the request: change labels {target}, which requires {required}."
                change = Change(
                    kind=ChangeKind.REQUEST,
                    subject=failed.key,
                    queue=queue.name,
                    origin=failed.origin,
                )
            elif change.to is None:
                text = f"In the request: remove {failed.key} (now {failed.actual}), {target}."
            else:
                now = "not set" if failed.actual is None else f"now {failed.actual}"
                text = f"In the request: set {failed.key} to {change.to} ({now}), {target}."
            yield change, Sentence(text=text, origin=failed.origin)


def _other_value(
    route_result: RouteResult, failed: FailedExpression, router: Router
) -> Change | None:
    """Return the change of the label of *failed* after which a queue accepts the workload."""
    policy, workload = route_result.policy, route_result.workload
    labels = workload.labels
    for value in _values(failed):
        others = {key: label for key, label in labels.items() if key != failed.key}
        changed = others if value is None else {**others, failed.key: value}
        after = find_route_result(policy, replace(workload, labels=changed), router)
        if after.queue is not None:
            return Change(
                kind=ChangeKind.LABEL,
                subject=failed.key,
                from_=failed.actual,
                to=value,
                queue=after.queue,
                origin=failed.origin,
            )
    return None


def _values(failed: FailedExpression) -> tuple[str | None, ...]:
    """Return at most two values with which the expression may hold, the most similar first."""
    match Operator(failed.operator):
        case Operator.IN:
            values = failed.values[:_COMPARED]
            before = failed.actual or ""
            return tuple(sorted(values, key=lambda each: edit_distance(before, each, 3)))[:2]
        case Operator.EXISTS:
            return ("true",)
        case Operator.NOT_IN | Operator.DOES_NOT_EXIST:
            return (None,)
