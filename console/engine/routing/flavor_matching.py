"""Flavor matching: which flavors of a queue a pod set may use, and what excludes the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from console.engine.disciplines.quota.spec import Flavor, QueueSpec, spec_of
from console.engine.model.nodes import NodeTerm, Taint, Toleration, mismatch, untolerated
from console.engine.model.policy import Policy
from console.engine.model.selectors import Selector
from console.engine.model.trace import FailedExpression, FlavorVerdict
from console.engine.model.workload import PodSet, Workload

#: Cached results, over all queues. Constraints may be unique to each workload.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """
    What excludes a pod set from a flavor, whatever the quota.

    *verdict* is FLAVOR_MISSING, SELECTOR_FALSE, TAINT_NOT_TOLERATED or
    LABELS_DO_NOT_MATCH.
    """

    verdict: FlavorVerdict
    #: For SELECTOR_FALSE the flavor's expression on the workload's labels, for LABELS_DO_NOT_MATCH
    #: the pod set's expression on the flavor's node labels.
    failed: FailedExpression | None = None
    #: The taint that is not tolerated, as "key=value:Effect".
    taint: str | None = None


#: By resource group and flavor of the queue, in the order of its policy; None: no obstacle.
Obstacles: TypeAlias = tuple[tuple[Obstacle | None, ...], ...]

#: All node constraints of a pod set.
_Constraints: TypeAlias = tuple[
    tuple[tuple[str, str], ...], tuple[NodeTerm, ...], tuple[Toleration, ...]
]

_UNCONSTRAINED: _Constraints = ((), (), ())


class Matcher:
    """
    Evaluates pod sets under one policy, each distinct set of constraints once per queue.

    Equal results of one queue and constraint set are the same object.
    """

    def __init__(self, policy: Policy) -> None:
        self._flavors = spec_of(policy).flavors
        self._label_keys = {
            queue.name: tuple(sorted(_keys_read(queue, spec_of(policy).flavors)))
            for queue in spec_of(policy).queues.values()
        }
        self._judged: dict[tuple[str, tuple[str | None, ...], _Constraints], Obstacles] = {}

    def obstacles(self, workload: Workload, queue: QueueSpec) -> tuple[Obstacles, ...]:
        """
        Return for every pod set of *workload* its obstacles to the flavors of *queue*.

        A flavor is checked in this order: it is declared, its selector holds on the
        workload's labels, the pods or the flavor itself tolerate its taints, its node
        labels meet the pods' affinity (Kueue, spec 6.2, 6.3).
        """
        labels = workload.labels
        actual = tuple(labels.get(key) for key in self._label_keys[queue.name])
        return tuple(
            self._remembered(queue, labels, actual, constraints_of(pod_set))
            for pod_set in workload.pod_sets
        )

    def _remembered(
        self,
        queue: QueueSpec,
        labels: Mapping[str, str],
        actual: tuple[str | None, ...],
        constraints: _Constraints,
    ) -> Obstacles:
        key = (queue.name, actual, constraints)
        found = self._judged.get(key)
        if found is None:
            if len(self._judged) >= _REMEMBERED:
                self._judged.clear()
            found = self._judged[key] = tuple(
                tuple(
                    _obstacle(self._flavors.get(entry.flavor), labels, constraints)
                    for entry in group.flavors
                )
                for group in queue.groups
            )
        return found


def constraints_of(pod_set: PodSet) -> _Constraints:
    """Return the node constraints of *pod_set*; equal where the same flavors may be used."""
    if not (pod_set.node_selector or pod_set.affinity or pod_set.tolerations):
        return _UNCONSTRAINED
    selector = tuple(sorted(pod_set.node_selector.items()))
    return (selector, pod_set.affinity, pod_set.tolerations)


def first_false(selector: Selector, labels: Mapping[str, str]) -> FailedExpression | None:
    """Return the first expression of *selector* that does not hold, with the label's value."""
    expression = selector.first_false(labels)
    if expression is None:
        return None
    return FailedExpression(
        key=expression.key,
        operator=expression.operator.value,
        values=expression.values,
        actual=labels.get(expression.key),
        origin=expression.origin,
    )


def _obstacle(
    flavor: Flavor | None, labels: Mapping[str, str], constraints: _Constraints
) -> Obstacle | None:
    if flavor is None:
        return Obstacle(verdict=FlavorVerdict.FLAVOR_MISSING)
    failed = first_false(flavor.selector, labels)
    if failed is not None:
        return Obstacle(verdict=FlavorVerdict.SELECTOR_FALSE, failed=failed)
    selector, affinity, tolerations = constraints
    taint = untolerated(flavor.taints, tolerations + flavor.tolerations)
    if taint is not None:
        return Obstacle(verdict=FlavorVerdict.TAINT_NOT_TOLERATED, taint=_written(taint))
    unmet = mismatch(flavor.node_labels, dict(selector), affinity)
    if unmet is not None:
        failed = FailedExpression(
            key=unmet.key,
            operator=unmet.operator.value,
            values=unmet.values,
            actual=flavor.node_labels.get(unmet.key),
        )
        return Obstacle(verdict=FlavorVerdict.LABELS_DO_NOT_MATCH, failed=failed)
    return None


def _keys_read(queue: QueueSpec, flavors: Mapping[str, Flavor]) -> set[str]:
    described = [
        flavors[entry.flavor]
        for group in queue.groups
        for entry in group.flavors
        if entry.flavor in flavors
    ]
    return {expr.key for flavor in described for expr in flavor.selector.expressions}


def _written(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect.value}"
