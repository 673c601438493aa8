"""Workload: a request for admission, with its pod sets and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from console.engine.model.nodes import NodeTerm, Toleration
from console.engine.model.reasons import Reason

#: The resource that counts the pods themselves; workloads do not request it (Kueue, spec 1.8).
PODS = "pods"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSet:
    """Identical pods of a workload: their count, and the requests per pod in thousandths."""

    name: str = "main"
    count: int = 1
    #: The fewest pods that it may start with; None: *count*.
    min_count: int | None = None
    requests: Mapping[str, int] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    #: Required node affinity: one of the terms has to hold. Empty: no requirement.
    affinity: tuple[NodeTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    #: Pod sets with the same group get the same flavors.
    group: str | None = None

    @property
    def minimum(self) -> int:
        """The fewest pods that it may start with."""
        return self.count if self.min_count is None else self.min_count

    def total(self) -> dict[str, int]:
        """Return the total requests of all pods, by resource, without zeros."""
        return {name: amount * self.count for name, amount in self.requests.items() if amount}


#: All node constraints of a pod set.
NodeConstraints: TypeAlias = tuple[
    tuple[tuple[str, str], ...], tuple[NodeTerm, ...], tuple[Toleration, ...]
]

_UNCONSTRAINED: NodeConstraints = ((), (), ())


def constraints_of(pod_set: PodSet) -> NodeConstraints:
    """Return the node constraints of *pod_set*, in a form in which equal ones compare equal."""
    if not (pod_set.node_selector or pod_set.affinity or pod_set.tolerations):
        return _UNCONSTRAINED
    selector = tuple(sorted(pod_set.node_selector.items()))
    return (selector, pod_set.affinity, pod_set.tolerations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """
    The unit of admission: it is admitted as a whole or not at all.

    Fields with a default are optional: a discipline may ignore them. The
    number of replicas is the count of the pod sets.
    """

    id: str
    #: Position in the order of submission, unique in the organization; smaller is earlier.
    sequence: int
    labels: Mapping[str, str] = field(default_factory=dict)
    namespace: str = ""
    #: Requested priority; None: the rule or the priority class decides.
    priority: int | None = None
    pod_sets: tuple[PodSet, ...] = ()
    #: Name of the user for whom it is submitted; empty: not known.
    user: str = ""
    #: Groups of that user, in the order of the submission.
    groups: tuple[str, ...] = ()
    #: Whether it may be preempted; None: the discipline decides.
    is_preemptible: bool | None = None
    #: Preferred and required places, in the terms of the config language; None: no requirement.
    #: Values are JSON values with whole numbers. Shared between workloads: never changed.
    placement: Mapping[str, object] | None = None
    #: When it became pending, in milliseconds since 1970 in UTC: it was submitted, released after
    #: its last preemption, or activated.
    pending_since: int = 0
    #: Whether it had further pods that have finished.
    has_finished_pods: bool = False
    #: Why it is deactivated: it gets no turn until it is activated again. None: it is active.
    inactive: Reason | None = None
    #: How long it may run altogether, in milliseconds, before it is stopped and deactivated; None:
    #: its labels decide.
    max_run_time: int | None = None
    #: How long it has run before the present or next run, in milliseconds. Its time of running
    #: under `max_run_time` begins anew when it was deactivated.
    past_run_time: int = 0

    def total(self) -> dict[str, int]:
        """Return the total requests of all pod sets, by resource, in thousandths."""
        return total_of(self.pod_sets)


def total_of(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    """Return the total requests of *pod_sets*, by resource, in thousandths."""
    total: dict[str, int] = {}
    for pod_set in pod_sets:
        for resource, amount in pod_set.total().items():
            total[resource] = total.get(resource, 0) + amount
    return total
