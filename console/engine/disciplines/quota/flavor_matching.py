"""Flavor matching: the flavors of a queue that accept a workload, and obstacles to the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, cast

from console.engine.disciplines.quota.spec import (
    Flavor,
    QueueSpec,
    ResourceGroup,
    Undeclared,
    spec_of,
)
from console.engine.disciplines.quota.trace import FlavorTried, GroupStep
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED
from console.engine.model.nodes import Taint, mismatch, untolerated
from console.engine.model.obstacles import Obstacle, Obstacles
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.trace import FailedExpression, FlavorVerdict
from console.engine.model.workload import NodeConstraints, Workload, constraints_of
from console.engine.pending.eligibility import Eligibility
from console.engine.routing.selector_evaluation import first_false

#: Cached results, over all queues. Constraints may be unique to each workload.
_REMEMBERED = 20_000

#: Per resource group and flavor of a queue: the expression of the flavor's selector that excludes
#: a workload, or None where its labels allow the flavor.
Failures: TypeAlias = tuple[tuple[FailedExpression | None, ...], ...]
#: Per resource group and flavor of a queue: whether the labels of a workload allow it.
Allowed: TypeAlias = tuple[tuple[bool, ...], ...]


class Matcher:
    """
    Evaluates pod sets under one policy, each distinct set of constraints once per queue.

    Equal results of one queue and constraint set are the same object.
    """

    def __init__(self, policy: Policy) -> None:
        self._flavors = spec_of(policy).flavors
        #: By queue, filled on the first request.
        self._label_keys: dict[str, tuple[str, ...]] = {}
        self._judged: dict[tuple[str, tuple[str | None, ...], NodeConstraints], Obstacles] = {}
        self._allowed: dict[tuple[str, tuple[str | None, ...]], Allowed] = {}
        self._accepted: dict[
            tuple[str, tuple[str | None, ...], tuple[NodeConstraints, ...]], Eligibility
        ] = {}

    def label_values(self, workload: Workload, queue: Queue) -> tuple[str | None, ...]:
        """Return the values of the labels that the flavors of *queue* refer to."""
        keys = self._label_keys.get(queue.name)
        if keys is None:
            keys = tuple(sorted(referenced_labels(self._flavors, (queue,))))
            self._label_keys[queue.name] = keys
        labels = workload.labels
        return tuple([labels.get(key) for key in keys]) if keys else ()

    def failures(self, workload: Workload, queue: Queue) -> Failures:
        """
        Return what excludes the labels of *workload* from the flavors of *queue*.

        An undeclared flavor excludes no workload by labels: its whole queue admits nothing.
        """
        flavors, labels = self._flavors, workload.labels
        return tuple(
            tuple(
                first_false(flavors[entry.flavor].selector, labels)
                if entry.flavor in flavors
                else None
                for entry in group.flavors
            )
            for group in _groups(queue)
        )

    def allowed(self, workload: Workload, queue: Queue) -> Allowed:
        """Return whether the labels of *workload* allow the flavors of *queue*."""
        key = (queue.name, self.label_values(workload, queue))
        found = self._allowed.get(key)
        if found is None:
            if len(self._allowed) >= _REMEMBERED:
                self._allowed.clear()
            found = self._allowed[key] = tuple(
                tuple(failed is None for failed in group)
                for group in self.failures(workload, queue)
            )
        return found

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[Obstacles, ...]:
        """
        Return the obstacles of every pod set of *workload* to the flavors of *queue*.

        A flavor is checked in this order: it is declared, its selector matches the
        workload's labels, the pods or the flavor itself tolerate its taints, its node
        labels meet the pods' affinity (Kueue, spec 6.2, 6.3).
        """
        actual = self.label_values(workload, queue)
        return tuple(
            self._remembered(queue, workload.labels, actual, constraints_of(pod_set))
            for pod_set in workload.pod_sets
        )

    def accepted(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return the eligibility of *workload* for *queue*, which does not reject it."""
        constraints = tuple([constraints_of(pod_set) for pod_set in workload.pod_sets])
        key = (queue.name, self.label_values(workload, queue), constraints)
        found = self._accepted.get(key)
        if found is None:
            if len(self._accepted) >= _REMEMBERED:
                self._accepted.clear()
            found = self._accepted[key] = _eligibility(self.obstacles(workload, queue))
        return found

    def _remembered(
        self,
        queue: Queue,
        labels: Mapping[str, str],
        actual: tuple[str | None, ...],
        constraints: NodeConstraints,
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
                for group in _groups(queue)
            )
        return found


class FlavorEligibility:
    """Judges whether queues of one policy accept workloads, by the flavors of the queues."""

    def __init__(self, policy: Policy, matcher: Matcher | None = None) -> None:
        self._matcher = matcher or Matcher(policy)
        #: Whether a workload that no flavor accepts is rejected; otherwise it waits.
        self._rejects = spec_of(policy).settings.undeclared is Undeclared.IGNORE

    def under(self, policy: Policy) -> FlavorEligibility:
        """Return the eligibility under *policy*, with the cached results for the same flavors."""
        return FlavorEligibility(policy, self._matcher)

    def label_values(self, workload: Workload, queue: Queue) -> tuple[str | None, ...]:
        """Return the values of the labels that the flavors of *queue* refer to."""
        return self._matcher.label_values(workload, queue)

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return whether *queue* accepts *workload*, and its obstacles there."""
        rejection = self.rejection(workload, queue)
        if rejection is None:
            return self._matcher.accepted(workload, queue)
        return _eligibility(self._matcher.obstacles(workload, queue), rejection)

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """
        Return NO_FLAVOR_MATCHED if the labels exclude *workload* from every flavor it could use.

        This is the case if no flavor of any group accepts it, whatever it requests, or if no
        flavor of a group that covers a requested resource does.
        """
        if queue.is_passthrough or not self._rejects:
            return None
        accepts = [any(group) for group in self.allowed(workload, queue)]
        if not any(accepts):
            return NO_FLAVOR_MATCHED
        if all(accepts):
            return None
        requests = workload.total()
        for group, accepted in zip(_groups(queue), accepts, strict=True):
            if not accepted and any(requests.get(resource) for resource in group.resources):
                return NO_FLAVOR_MATCHED
        return None

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[Obstacles, ...]:
        """Return the obstacles of every pod set of *workload* to the flavors of *queue*."""
        return self._matcher.obstacles(workload, queue)

    def allowed(self, workload: Workload, queue: Queue) -> Allowed:
        """Return whether the labels of *workload* allow each flavor, per resource group."""
        return self._matcher.allowed(workload, queue)

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the flavors that the labels of *workload* allow, in order of trying."""
        accepted = (
            entry.flavor
            for group, allowed in zip(_groups(queue), self.allowed(workload, queue), strict=True)
            for entry, is_allowed in zip(group.flavors, allowed, strict=True)
            if is_allowed
        )
        return tuple(dict.fromkeys(accepted))

    def excluded(self, workload: Workload, queue: Queue) -> tuple[GroupStep, ...]:
        """Return the flavors of *queue*, each with the expression that excludes *workload*."""
        return tuple(
            GroupStep(
                resources=group.resources,
                flavors=tuple(
                    FlavorTried(
                        flavor=entry.flavor,
                        verdict=(
                            FlavorVerdict.SELECTOR_FALSE if failed else FlavorVerdict.NOT_REACHED
                        ),
                        failed=failed,
                        origin=entry.origin,
                    )
                    for entry, failed in zip(group.flavors, failures, strict=True)
                ),
                origin=group.origin,
            )
            for group, failures in zip(
                _groups(queue), self._matcher.failures(workload, queue), strict=True
            )
        )


def referenced_labels(
    flavors: Mapping[str, Flavor], queues: Iterable[Queue] | None = None
) -> dict[str, dict[str, None]]:
    """
    Return the labels that the selectors of *flavors* refer to, each with the values they name.

    With *queues*, include only the flavors of these queues, in the order of their groups.
    """
    described: Iterable[Flavor] = flavors.values()
    if queues is not None:
        described = (
            flavors[entry.flavor]
            for queue in queues
            for group in _groups(queue)
            for entry in group.flavors
            if entry.flavor in flavors
        )
    found: dict[str, dict[str, None]] = {}
    for flavor in described:
        for each in flavor.selector.expressions:
            found.setdefault(each.key, {}).update(dict.fromkeys(each.values))
    return found


def _eligibility(obstacles: tuple[Obstacles, ...], rejection: Reason | None = None) -> Eligibility:
    return Eligibility(
        rejection=rejection,
        obstacles=obstacles,
        # Only whether a flavor is excluded matters, not the obstacle.
        alike=tuple(
            tuple(tuple(obstacle is None for obstacle in group) for group in pod_set)
            for pod_set in obstacles
        ),
    )


def _groups(queue: Queue) -> tuple[ResourceGroup, ...]:
    return cast(QueueSpec, queue).groups


def _obstacle(
    flavor: Flavor | None, labels: Mapping[str, str], constraints: NodeConstraints
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


def _written(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect.value}"
