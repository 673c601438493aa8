"""Eligibility of workloads: requests that a queue can never serve as they are are rejected."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass

from console.engine.disciplines.hierarchy.inheritance import maximum_of, settings_of_queue
from console.engine.disciplines.hierarchy.properties import SortPolicy
from console.engine.disciplines.hierarchy.reasons import GANG_TOO_LARGE, UNSUPPORTED_REQUEST
from console.engine.disciplines.hierarchy.requests import GANG, of_pod
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.disciplines.hierarchy.spec import POOL, HierarchySpec, hierarchy_of
from console.engine.model.policy import Policy, Queue
from console.engine.model.reasons import Reason
from console.engine.model.workload import Workload, constraints_of
from console.engine.pending.eligibility import Eligibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a queue rejects a workload."""

    reason: Reason
    #: One sentence; empty if *resource* says it.
    sentence: str = ""
    #: For a gang: the resource of which its pods request more than *maximum*, as queues count it.
    resource: str = ""
    requested: int = 0
    maximum: int = 0
    #: YuniKorn's message.
    original: str = ""


class HierarchyJudge:
    """Evaluates requests, and pods that start together, under one policy."""

    def __init__(self, spec: HierarchySpec) -> None:
        self._spec = spec

    def under(self, policy: Policy) -> HierarchyJudge:
        """Return a judge for the queues of *policy*."""
        return HierarchyJudge(hierarchy_of(policy))

    def label_values(self, workload: Workload, queue: Queue) -> Hashable:
        """Return what matters besides the pod sets: the user, groups and the gang."""
        return workload.user, workload.groups, workload.is_preemptible, _placement(workload)

    def judge(self, workload: Workload, queue: Queue) -> Eligibility:
        """Return whether the request is supported, and what sets its class apart."""
        problem = problem_of(self._spec, workload, queue.name)
        constraints = tuple(constraints_of(each) for each in workload.pod_sets)
        return Eligibility(
            rejection=None if problem is None else problem.reason,
            alike=(
                workload.user,
                workload.groups,
                workload.is_preemptible,
                _placement(workload),
                constraints,
            ),
        )

    def rejection(self, workload: Workload, queue: Queue) -> Reason | None:
        """Return why *queue* rejects the workload, if it does."""
        problem = problem_of(self._spec, workload, queue.name)
        return None if problem is None else problem.reason

    def obstacles(self, workload: Workload, queue: Queue) -> tuple[()]:
        """Return nothing: the pool accepts every workload that is not rejected."""
        return ()

    def allowed(self, workload: Workload, queue: Queue) -> Hashable:
        """Return what `label_values` returns."""
        return self.label_values(workload, queue)

    def accepted(self, workload: Workload, queue: Queue) -> tuple[str, ...]:
        """Return the pool, the only capacity."""
        return (POOL,)


def problem_of(spec: HierarchySpec, workload: Workload, queue: str) -> Problem | None:
    """Return why *queue* rejects a workload; None if it does not."""
    sentence = _unsupported(workload)
    if sentence:
        return Problem(reason=UNSUPPORTED_REQUEST, sentence=sentence)
    if all(each.min_count is None for each in workload.pod_sets):
        return None
    return _problem_of_gang(spec, workload, queue)


def gang_total(workload: Workload) -> Resources:
    """Return what the pods that start together request, as queues count it."""
    total: Resources = NOTHING
    for each in workload.pod_sets:
        total = plus(total, times(of_pod(each.requests, counts_pods=True), each.minimum))
    return total


def go_map(amounts: Resources) -> str:
    """
    Return amounts as YuniKorn prints them.

    >>> go_map({"vcore": 500, "memory": 10})
    'map[memory:10 vcore:500]'
    """
    return "map[" + " ".join(f"{name}:{value}" for name, value in sorted(amounts.items())) + "]"


def _unsupported(workload: Workload) -> str:
    others = sorted((workload.placement or {}).keys() - {GANG})
    if not others:
        return ""
    return (
        f"Its placement states {others[0]}, which has no meaning here: remove it, or use node "
        "selectors of its pods."
    )


def _problem_of_gang(spec: HierarchySpec, workload: Workload, queue: str) -> Problem | None:
    if settings_of_queue(spec, queue).sort is not SortPolicy.FIFO:
        return Problem(
            reason=UNSUPPORTED_REQUEST,
            sentence=(
                f"Pods that start together need a queue in the order of submission, and {queue} "
                "has application.sort.policy fair: remove the minimum, or name another queue."
            ),
            original=(
                f"queue {queue} cannot run application {workload.id} with task group request: "
                "unsupported sort type"
            ),
        )
    maximum, total = maximum_of(spec, queue), gang_total(workload)
    for resource, requested in total.items():
        if maximum is not None and resource in maximum and requested > maximum[resource]:
            return Problem(
                reason=GANG_TOO_LARGE,
                resource=resource,
                requested=requested,
                maximum=maximum[resource],
                original=(
                    f"queue {queue} cannot fit application {workload.id}: task group request "
                    f"{go_map(total)} larger than max queue allocation {go_map(maximum)}"
                ),
            )
    return None


def _placement(workload: Workload) -> str:
    """Return the placement as a text, which is the same in every process."""
    return "" if workload.placement is None else json.dumps(workload.placement, sort_keys=True)
