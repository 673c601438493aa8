"""Flavor evaluations: every flavor of a queue, evaluated for one workload, with its quota."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.disciplines.quota.ledger import QuotaQueue
from console.engine.disciplines.quota.spec import QuotaSpec
from console.engine.model.amounts import SCALE
from console.engine.model.workload import PODS, Workload
from console.engine.pending.eligibility import Judge
from console.engine.routing.flavor_evaluation import FlavorEvaluation, Share
from console.engine.routing.selector_evaluation import evaluate_selector


def evaluations(
    spec: QuotaSpec, queue: QuotaQueue, workload: Workload, judge: Judge
) -> Iterator[FlavorEvaluation]:
    """Yield the flavors of *queue* in the order of trying, with current amounts."""
    settings, account = spec.queues[queue.name], queue.account
    requested = workload.total()
    pods = sum(pod_set.count for pod_set in workload.pod_sets) * SCALE
    obstacles = judge.obstacles(workload, settings)
    for index, group in enumerate(settings.groups):
        wanted = {
            resource: pods if resource == PODS else requested[resource]
            for resource in group.resources
            if resource in requested or resource == PODS
        }
        for place, entry in enumerate(group.flavors):
            of_pod_sets = (each[index][place] for each in obstacles)
            flavor = spec.flavors.get(entry.flavor)
            selector = flavor.selector if flavor is not None else None
            yield FlavorEvaluation(
                flavor=entry.flavor,
                expressions=evaluate_selector(selector, workload.labels) if selector else (),
                obstacle=next((each for each in of_pod_sets if each is not None), None),
                shares=tuple(
                    Share(
                        resource=resource,
                        requested=amount,
                        nominal=account.guaranteed((entry.flavor, resource)),
                        maximum=account.limit((entry.flavor, resource)),
                        available=account.available((entry.flavor, resource)),
                    )
                    for resource, amount in wanted.items()
                ),
                origin=entry.origin,
            )
