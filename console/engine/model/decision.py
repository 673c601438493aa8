"""Decisions: what the engine answers for one workload."""

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
    """What was decided."""

    ADMITTED = "admitted"
    PENDING = "pending"
    PREEMPTED = "preempted"
    REJECTED = "rejected"
    #: It ran and its submitter took it back: whoever runs it has to stop it.
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Some pods of one pod set, and where they run, as far as the discipline assigns it."""

    count: int
    cluster: str | None = None
    node: str | None = None
    flavor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetAssignment:
    """
    How many pods of a pod set start, and where: in flavors, and in places where it is split.

    Raises ValueError when the places have another number of pods than *count*.
    """

    name: str
    #: Fewer than asked for when the pod set may start with less.
    count: int
    #: By resource; those that no group of the queue covers are absent.
    flavors: Mapping[str, str]
    #: The pods by place, each pod in one of them; empty: all of them have *flavors*.
    places: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        if self.places and sum(each.count for each in self.places) != self.count:
            raise ValueError(f"the places of pod set {self.name} do not hold its {self.count} pods")


#: Flavors and counts by pod set, in the order of the workload; empty: nothing was assigned.
Assignment: TypeAlias = tuple[PodSetAssignment, ...]


def merged_flavors(assignment: Iterable[PodSetAssignment]) -> dict[str, str]:
    """
    Return the flavor of each resource on which all pod sets that have it agree.

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


class Facts(Protocol):
    """What knows the facts behind one decision."""

    def __call__(self, *, judged: bool = True) -> Trace:
        """Write them down; without the rules that were tried where *judged* is false."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """
    One answer of the engine about one workload.

    Its trace holds the facts that led to it; sentences come from `explain`.
    """

    workload: str
    outcome: Outcome
    reason: Reason
    queue: str | None = None
    #: Effective priority; None when no rule took the workload.
    priority: int | None = None
    #: Index of the rule that took it, from 0; None when none did.
    rule: int | None = None
    assignment: Assignment = ()
    #: Ids of the workloads that have to stop for this one.
    victims: tuple[str, ...] = ()
    #: When preempted: the workload that needs the room; when pending: the one it yields to.
    preemptor: str | None = None
    #: Only when preempted: every time it was told to stop for a workload that has not ended.
    stopped_for: Stops = field(default_factory=lambda: NEVER)
    #: Position in the order of reservations; only when admitted.
    reservation: int | None = None
    #: Name of the pending class it waits in; only when pending. See `PendingClass`.
    pending_class: str | None = None
    #: Writes the trace down, from facts that no longer change.
    facts: Facts

    @property
    def trace(self) -> Trace:
        """The facts that led to it; written down when somebody asks for them."""
        return self.facts()

    @property
    def brief(self) -> Trace:
        """The same without the rules that were tried: `routing.with_rules` finds them again."""
        return self.facts(judged=False)
