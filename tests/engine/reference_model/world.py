"""The world: who runs and who waits under a policy, as two plain lists."""

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
#: Thousandths by flavor and resource.
Usage: TypeAlias = dict[Pair, int]

#: The resource that counts pods, for queues that limit it (spec 1.8).
PODS = "pods"
#: One pod, in thousandths.
POD = 1000
#: One ask for room: what would be held, all who have to stop with what they hold, and how often
#: the one that asks was told to stop itself, for each that has not ended (two and more are one).
Ask: TypeAlias = tuple[object, ...]
#: After as many stops for the same other one it counts as a circle, whatever was asked.
MOST_STOPS = 16
#: The label that every namespace has: its own name.
NAMESPACE_NAME = "kubernetes.io/metadata.name"


def goes_round(stopped_for: Mapping[str, list[Ask]], preemptor: str) -> bool:
    """Say whether *preemptor* has asked for the same stop twice."""
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
    """A workload that holds quota."""

    workload: Workload
    queue: str
    priority: int
    assignment: tuple[PodSetAssignment, ...]
    #: Place in the order of reservations; larger is later.
    reservation: int
    #: It was told to stop and holds its quota until it has stopped.
    is_evicted: bool = False
    #: Preemptor -> what it asked each time; kept with `World.ends_circles` alone.
    stopped_for: dict[str, list[Ask]] = field(default_factory=dict)
    #: For whom it was told to stop last.
    preemptor: str | None = None

    @property
    def id(self) -> str:
        """Id of the workload."""
        return self.workload.id

    @property
    def usage(self) -> Usage:
        """What it holds: the request of each pod that was started, times their number."""
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
    """Where the walks over flavors stopped in the last turn (spec 6.6)."""

    #: Pod set -> resource -> index of the last flavor looked at; -1: none is left.
    tried: Mapping[str, Mapping[str, int]]
    cycle: int
    #: The queue's generation in that turn.
    generation: int

    @property
    def has_more(self) -> bool:
        """Say whether some walk stopped before its last flavor."""
        return any(index != -1 for tried in self.tried.values() for index in tried.values())


@dataclass(frozen=True, kw_only=True)
class Complaint:
    """Why one flavor, or a resource at all, did not simply fit; the codes of the vector files."""

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
    """What was last said about a waiting workload; *code* and *reason* as in the vector files."""

    code: str
    reason: str
    #: Pod set -> complaints.
    complaints: Mapping[str, tuple[Complaint, ...]] = field(default_factory=dict)
    #: How many have to stop for it.
    victims: int = 0


NOT_EVALUATED = Verdict(code="NotEvaluated", reason="PendingEvaluation")


@dataclass(eq=False, kw_only=True)
class Waiting:
    """A workload that waits in a queue."""

    workload: Workload
    queue: str
    priority: int
    #: It gets no turn until something happens that may help.
    is_inadmissible: bool = False
    scan: Scan | None = None
    verdict: Verdict = NOT_EVALUATED
    #: As in `Running`.
    stopped_for: dict[str, list[Ask]] = field(default_factory=dict)
    #: It takes no turn before that one had its own, in the very next cycles.
    yields_to: str | None = None

    @property
    def id(self) -> str:
        """Id of the workload."""
        return self.workload.id

    @property
    def rank(self) -> tuple[int, int]:
        """Place in the order of its queue: higher priority, then earlier submission (spec 3.2)."""
        return (-self.priority, self.workload.sequence)


@dataclass(eq=False, kw_only=True)
class World:
    """All that is known, and the memory of the lines."""

    policy: Policy
    running: list[Running] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    #: Queue -> the preemptor that goes first there (spec 3.6).
    sticky: dict[str, str] = field(default_factory=dict)
    #: Queue -> how many admissions and releases it has seen (spec 6.6).
    generation: Counter[str] = field(default_factory=Counter)
    cycle: int = 0
    #: Queues that a person stopped.
    held: set[str] = field(default_factory=set)
    #: Admit only what also fits beside all victims that still hold their quota (not Kueue's rule).
    keeps_capacity: bool = False
    #: Come to rest where Kueue's rules would go round for ever (not Kueue's rule): one that was
    #: stopped twice for the same ask of the same workload is not stopped for that one again, and
    #: lets it go first.
    ends_circles: bool = False

    def is_active(self, queue: str) -> bool:
        """Say whether *queue* exists, is not stopped and has all its flavors (spec 2.4)."""
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

    def is_welcome(self, waiting: Waiting) -> bool:
        """Say whether its queue takes workloads of its namespace (spec 1.3, 1.5)."""
        routing = local_routing_of(self.policy)
        if routing is None:
            return True
        selector = self.policy.queues[waiting.queue].namespaces
        namespace = waiting.workload.namespace
        labels = {**routing.namespaces.get(namespace, {}), NAMESPACE_NAME: namespace}
        return selector is not None and selector.matches(labels)

    def may_ask(self, asker: Waiting, running: Running) -> bool:
        """Say whether *asker* may still tell *running* to stop."""
        return not goes_round(running.stopped_for, asker.id)

    def has_turns(self, waiting: Waiting) -> bool:
        """Say whether *waiting* is in line: not parked, and not behind its preemptor."""
        return not waiting.is_inadmissible and waiting.yields_to is None

    def let_pass(self, still_ahead: set[str]) -> None:
        """Let only those go on waiting for their preemptors whose preemptor is *still_ahead*."""
        for each in self.waiting:
            if each.yields_to not in still_ahead:
                each.yields_to = None
