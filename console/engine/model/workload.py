"""The workload: what asks for admission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from console.engine.model.nodes import NodeTerm, Toleration

#: The resource that counts the pods themselves: nobody requests it (Kueue, spec 1.8).
PODS = "pods"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSet:
    """Identical pods of a workload: a count, and the request of each in thousandths by resource."""

    name: str = "main"
    count: int = 1
    #: The fewest pods it would start with; None: all of them.
    min_count: int | None = None
    requests: Mapping[str, int] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    #: Required node affinity: one of the terms has to hold. Empty: no wish.
    affinity: tuple[NodeTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    #: Pod sets with the same group take their flavors together.
    group: str | None = None

    def total(self) -> dict[str, int]:
        """Return what all pods together ask for, by resource; zero requests are left out."""
        return {name: amount * self.count for name, amount in self.requests.items() if amount}


#: All node constraints of a pod set.
NodeConstraints: TypeAlias = tuple[
    tuple[tuple[str, str], ...], tuple[NodeTerm, ...], tuple[Toleration, ...]
]

_UNCONSTRAINED: NodeConstraints = ((), (), ())


def constraints_of(pod_set: PodSet) -> NodeConstraints:
    """Return the node constraints of *pod_set*; equal where the same nodes may be used."""
    if not (pod_set.node_selector or pod_set.affinity or pod_set.tolerations):
        return _UNCONSTRAINED
    selector = tuple(sorted(pod_set.node_selector.items()))
    return (selector, pod_set.affinity, pod_set.tolerations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """
    The unit that asks for admission, all or nothing.

    Facts with a default are optional: a discipline that has no use for them ignores them. The
    number of replicas is the count of the pod sets.
    """

    id: str
    #: Place in the order of submission, unique in the organization; smaller is earlier.
    sequence: int
    labels: Mapping[str, str] = field(default_factory=dict)
    namespace: str = ""
    #: Requested priority; None leaves the choice to the rule that routes it.
    priority: int | None = None
    pod_sets: tuple[PodSet, ...] = ()
    #: Name of the user it is submitted for; empty: not known.
    user: str = ""
    #: Groups of that user, in the order of the submission.
    groups: tuple[str, ...] = ()
    #: Whether it may be preempted; None: the discipline decides.
    is_preemptible: bool | None = None
    #: Preferred and required places, as the config language writes them; None: no wish. Its
    #: values are those of JSON with whole numbers. Shared between workloads: never changed.
    placement: Mapping[str, object] | None = None

    def total(self) -> dict[str, int]:
        """Return what all pod sets together ask for, by resource, in thousandths."""
        return total_of(self.pod_sets)


def total_of(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    """Return what *pod_sets* ask for together, by resource, in thousandths."""
    total: dict[str, int] = {}
    for pod_set in pod_sets:
        for resource, amount in pod_set.total().items():
            total[resource] = total.get(resource, 0) + amount
    return total
