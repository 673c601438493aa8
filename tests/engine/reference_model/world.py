"""The world of the reference model: lists of running and pending workloads under a policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.decision import PodSetAssignment
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.workload import Workload
from console.engine.routing.local_queues import local_routing_of

#: (flavor, resource)
Pair: TypeAlias = tuple[str, str]
#: Amounts in thousandths by flavor-resource.
Usage: TypeAlias = dict[Pair, int]

#: The resource that counts pods, in queues that have quota for it (spec 1.8).
PODS = "pods"
#: One pod, in thousandths.
POD = 1000
#: A preemption request in comparable form: the usage after admission, all targets with their
#: usage, and how often the preemptor was itself preempted for each other workload that has not
#: ended (counts of two and more are equal).
PreemptionRequest: TypeAlias = tuple[object, ...]
#: Number of preemptions by the same preemptor that count as a loop, whatever was requested.
MOST_STOPS = 16
#: The label with its own name that every namespace has.
NAMESPACE_NAME = "kubernetes.io/metadata.name"


def is_preemption_loop(stopped_for: Mapping[str, list[PreemptionRequest]], preemptor: str) -> bool:
    """Return whether *preemptor* preempts a workload in a loop, that is, repeats a request."""
    asks = stopped_for.get(preemptor, [])
    return any(asks.count(each) > 1 for each in asks) or len(asks) >= MOST_STOPS


def total(usages: Iterable[Mapping[Pair, int]]) -> Usage:
    """Return the sum of *usages*."""
    summed: Usage = {}
    for usage in usages:
        for pair, amount in usage.items():
            summed[pair] = summed.get(pair, 0) + amount
    return summed


@dataclass(eq=False, kw_only=True)
class Running:
    """A workload that uses quota."""

    workload: Workload
    queue: str
    priority: int
    assignment: tuple[PodSetAssignment, ...]
    #: Position in the order of reservations; larger is later.
    reservation: int
    #: Whether the workload was preempted; it uses quota until it has stopped.
    is_evicted: bool = False
    #: Preemptor -> its preemption requests; recorded only with `World.ends_loops`.
    stopped_for: dict[str, list[PreemptionRequest]] = field(default_factory=dict)
    #: The workload that preempted this one last.
    preemptor: str | None = None

    @property
    def id(self) -> str:
        """Id of the workload."""
        return self.workload.id

    @property
    def usage(self) -> Usage:
        """Usage in total: the request of each started pod, times their number."""
        asked = {each.name: each.requests for each in self.workload.pod_sets}
        return total(
            {
                (flavor, resource): part.count
                * (POD if resource == PODS else asked[part.name].get(resource, 0))
            }
            for part in self.assignment
            for resource, flavor in part.flavors.items()
        )


@dataclass(frozen=True, kw_only=True)
class Scan:
    """The saved flavor positions of the last nomination (spec 6.6)."""

    #: Pod set -> resource -> index of the last flavor tried; -1 if no flavor is left.
    tried: Mapping[str, Mapping[str, int]]
    cycle: int
    #: The queue's generation at that nomination.
    generation: int

    @property
    def has_more(self) -> bool:
        """Return whether some pod set stopped before its last flavor."""
        return any(index != -1 for tried in self.tried.values() for index in tried.values())


@dataclass(frozen=True, kw_only=True)
class Complaint:
    """Why a flavor, or all flavors for a resource, did not fit; codes of the vector files."""

    code: str
    flavor: str = ""
    resource: str = ""
    missing: int | None = None
    assumed: int | None = None
    requested: int | None = None
    capacity: int | None = None
    taint: tuple[str, str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The last result for a pending workload; *code* and *reason* as in the vector files."""

    code: str
    reason: str
    #: Pod set -> complaints.
    complaints: Mapping[str, tuple[Complaint, ...]] = field(default_factory=dict)
    #: Number of preemption targets.
    victims: int = 0


NOT_EVALUATED = Verdict(code="NotEvaluated", reason="PendingEvaluation")


@dataclass(eq=False, kw_only=True)
class Waiting:
    """A workload that is pending in a queue."""

    workload: Workload
    queue: str
    priority: int
    #: Parked until an event may make it admissible.
    is_inadmissible: bool = False
    scan: Scan | None = None
    verdict: Verdict = NOT_EVALUATED
    #: As in `Running`.
    stopped_for: dict[str, list[PreemptionRequest]] = field(default_factory=dict)
    #: Preemptor that goes first: in the next cycles this workload is not nominated before it.
    yields_to: str | None = None

    @property
    def id(self) -> str:
        """Id of the workload."""
        return self.workload.id

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key in its queue: higher priority, then earlier submission (spec 3.2)."""
        return (-self.priority, self.workload.sequence)


@dataclass(eq=False, kw_only=True)
class World:
    """All workloads, and the memory of the queues."""

    policy: Policy
    running: list[Running] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    #: Queue -> its sticky preemptor, which goes first (spec 3.6).
    sticky: dict[str, str] = field(default_factory=dict)
    #: Queue -> number of admissions and releases so far (spec 6.6).
    generation: Counter[str] = field(default_factory=Counter)
    cycle: int = 0
    #: Queues on hold.
    held: set[str] = field(default_factory=set)
    #: Admit only what also fits beside preempted workloads that still run (not a rule of Kueue).
    reserves_victim_quota: bool = False
    #: End preemption loops, in which Kueue never settles (not a rule of Kueue): a workload that was
    #: preempted twice for the same request of the same preemptor is not preempted by it again, and
    #: lets it go first.
    ends_loops: bool = False

    def is_active(self, queue: str) -> bool:
        """Return whether *queue* exists, is not stopped and has all its flavors (spec 2.4)."""
        policy = self.policy
        if queue not in policy.queues or queue in self.held:
            return False
        node = policy.queues[queue]
        above: list[str] = []
        parent = node.parent
        while parent is not None and parent not in above:
            above.append(parent)
            parent = spec_of(policy).cohorts[parent].parent
        return (
            parent is None
            and node.stop is StopPolicy.NONE
            and all(
                each.flavor in spec_of(policy).flavors
                for group in node.groups
                for each in group.flavors
            )
        )

    def is_namespace_allowed(self, waiting: Waiting) -> bool:
        """Return whether the queue's namespace selector matches the workload (spec 1.3, 1.5)."""
        routing = local_routing_of(self.policy)
        if routing is None:
            return True
        selector = self.policy.queues[waiting.queue].namespaces
        namespace = waiting.workload.namespace
        labels = {**routing.namespaces.get(namespace, {}), NAMESPACE_NAME: namespace}
        return selector is not None and selector.matches(labels)

    def may_preempt_again(self, preemptor: Waiting, running: Running) -> bool:
        """Return whether *preemptor* may still preempt *running*."""
        return not is_preemption_loop(running.stopped_for, preemptor.id)

    def can_be_nominated(self, waiting: Waiting) -> bool:
        """Return whether *waiting* can be nominated: not parked, not yielding to a preemptor."""
        return not waiting.is_inadmissible and waiting.yields_to is None

    def release_yielding(self, still_ahead: set[str]) -> None:
        """Clear `yields_to` of all workloads whose preemptor is not in *still_ahead*."""
        for each in self.waiting:
            if each.yields_to not in still_ahead:
                each.yields_to = None
