"""Decisions of the engine about workloads, and the assignments of flavors in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from console.engine.model.preemption_loops import NEVER, Stops
from console.engine.model.reasons import Reason

if TYPE_CHECKING:
    from console.engine.model.trace import Trace


class Outcome(StrEnum):
    """The result of a decision."""

    ADMITTED = "admitted"
    PENDING = "pending"
    PREEMPTED = "preempted"
    REJECTED = "rejected"
    #: A running workload got further pods, or some of its pods have to stop.
    RESIZED = "resized"
    #: The submitter withdrew it while it was running; the executor has to stop it.
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A number of pods of one pod set and their location, as far as the discipline assigns it."""

    count: int
    cluster: str | None = None
    node: str | None = None
    flavor: str | None = None
    #: The numbers of the accelerators of the node that each of the pods shares with others; empty:
    #: the pods share none.
    devices: tuple[int, ...] = ()

    @property
    def capacity(self) -> str | None:
        """The name under which its usage is counted: the flavor, or else the cluster."""
        return self.flavor or self.cluster


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetAssignment:
    """
    The number of pods of a pod set that run, with their flavors or, if it is split, places.

    Raises ValueError when the pods of the places do not add up to *count*.
    """

    name: str
    #: Fewer than requested when the pod set may start with fewer pods, or when some of its pods
    #: were released and wait for another place.
    count: int
    #: By resource; resources that no resource group of the queue covers are absent.
    flavors: Mapping[str, str]
    #: The places of the pods, each pod in one of them; empty: all pods have *flavors*.
    places: tuple[Place, ...] = ()
    #: Further pods that have to stop, and use their places until the executor releases them.
    stopping: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        if self.places and sum(each.count for each in self.places) != self.count:
            raise ValueError(f"the places of pod set {self.name} do not hold its {self.count} pods")


#: Flavors and counts of the pod sets, in the order of the workload; empty: nothing was assigned.
Assignment: TypeAlias = tuple[PodSetAssignment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPods:
    """Pods of one pod set in one place."""

    pod_set: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Resize:
    """The pods that a running workload gets, and those that have to stop."""

    granted: tuple[PlacedPods, ...] = ()
    taken: tuple[PlacedPods, ...] = ()


def merged_flavors(assignment: Iterable[PodSetAssignment]) -> dict[str, str]:
    """
    Return the flavor of each resource for which all pod sets have the same flavor.

    >>> driver = PodSetAssignment(name="driver", count=1, flavors={"cpu": "spot", "gpu": "a100"})
    >>> worker = PodSetAssignment(name="worker", count=8, flavors={"cpu": "fixed"})
    >>> merged_flavors([driver, worker])
    {'gpu': 'a100'}
    """
    merged: dict[str, str] = {}
    torn: set[str] = set()
    for each in assignment:
        for resource, flavor in each.flavors.items():
            if merged.setdefault(resource, flavor) != flavor:
                torn.add(resource)
    return {resource: flavor for resource, flavor in merged.items() if resource not in torn}


class TraceBuilder(Protocol):
    """Builds the trace of one decision."""

    def __call__(self, *, with_rules: bool = True) -> Trace:
        """Return the trace; without the rules that were tried unless *with_rules*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    One answer of the engine about one workload.

    The trace holds the facts behind the decision; `explain` writes sentences from it.
    """

    workload: str
    outcome: Outcome
    reason: Reason
    queue: str | None = None
    #: Effective priority; None when no rule matched the workload.
    priority: int | None = None
    #: Index of the rule that matched it, from 0; None when none did.
    rule: int | None = None
    assignment: Assignment = ()
    #: Ids of the workloads that have to stop for this one.
    victims: tuple[str, ...] = ()
    #: When preempted: the preempting workload; when pending: the workload that goes first.
    preemptor: str | None = None
    #: Only when preempted: its preemptions by workloads that have not ended.
    stopped_for: Stops = field(default_factory=lambda: NEVER)
    #: Only when preempted: why the workload was deactivated; None: it is active.
    inactive: Reason | None = None
    #: Position in the order of reservations; only when admitted.
    reservation: int | None = None
    #: When admitted or resized: the times of `Running`.
    started: int | None = None
    short_since: int | None = None
    #: Only when resized: the changes, which *assignment* contains already.
    resize: Resize | None = None
    #: Key of its pending class; only when pending. See `PendingClass`.
    pending_class: str | None = None
    #: Builds the trace, from facts that no longer change.
    facts: TraceBuilder

    @property
    def trace(self) -> Trace:
        """The facts behind the decision; built on each access."""
        return self.facts()

    @property
    def trace_without_rules(self) -> Trace:
        """The trace without the rules that were tried, which `with_rules` restores."""
        return self.facts(with_rules=False)
