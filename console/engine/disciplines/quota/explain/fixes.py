"""Texts of fixes: the labels that the flavors of a queue require of a workload."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.disciplines.quota.flavor_matching import FlavorEligibility
from console.engine.disciplines.quota.spec import spec_of
from console.engine.explain.sentences import Sentence
from console.engine.model.route_result import RouteResult
from console.engine.wording.words import expression


def flavor_fixes(route_result: RouteResult) -> Iterator[tuple[Change, Sentence]]:
    """Yield the labels that each flavor of the queue requires, if none accepts the workload's."""
    policy, workload = route_result.policy, route_result.workload
    queue = spec_of(policy).queues.get(route_result.route.queue or "")
    if queue is None or route_result.reason is None:
        return
    for group in FlavorEligibility(policy).excluded(workload, queue):
        for tried in group.flavors:
            failed = tried.failed
            if failed is not None:
                labels = expression(failed.key, failed.operator, failed.values)
                text = (
                    f"In the request: set labels with {labels}, to match {tried.flavor} of "
                    f"{queue.name}."
                )
                change = Change(
                    kind=ChangeKind.REQUEST,
                    subject=failed.key,
                    queue=queue.name,
                    origin=failed.origin,
                )
                yield change, Sentence(text=text, origin=failed.origin)
