"""Decisions: what the engine answers for one workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from console.engine.model.preemption_loops import NEVER, Stops

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


class Reason(StrEnum):
    """Why, as a stable code; `explain` has the sentence for each."""

    # admitted
    NO_RULES = "no_rules"
    PASSTHROUGH = "passthrough"
    QUOTA_RESERVED = "quota_reserved"
    # rejected
    NO_RULE_MATCHED = "no_rule_matched"
    NO_FLAVOR_MATCHED = "no_flavor_matched"
    # pending, the most lasting first
    LOCAL_QUEUE_MISSING = "local_queue_missing"
    PRIORITY_CLASS_MISSING = "priority_class_missing"
    NAMESPACE_NOT_ALLOWED = "namespace_not_allowed"
    QUEUE_MISCONFIGURED = "queue_misconfigured"
    #: Stopped by its config; `QUEUE_HELD` is held by a person.
    QUEUE_STOPPED = "queue_stopped"
    QUEUE_HELD = "queue_held"
    EXCEEDS_MAX_QUOTA = "exceeds_max_quota"
    WAITING_FOR_PREEMPTED = "waiting_for_preempted"
    WAITING_FOR_QUOTA = "waiting_for_quota"
    BEHIND_OTHERS = "behind_others"
    # pending as rows know it: submitted, and no worker has looked yet
    NOT_EVALUATED = "not_evaluated"
    # preempted
    PREEMPTED_IN_QUEUE = "preempted_in_queue"
    RECLAIMED_IN_COHORT = "reclaimed_in_cohort"
    RECLAIMED_WHILE_BORROWING = "reclaimed_while_borrowing"
    PREEMPTED_FOR_FAIR_SHARE = "preempted_for_fair_share"
    #: Its queue was stopped with the wish that what runs stops too.
    DRAINED = "drained"
    # withdrawn
    WITHDRAWN_WHILE_RUNNING = "withdrawn_while_running"


#: Why a pending workload can never run under the present config, whatever ends or is released.
#: Lists and sums count such workloads apart from the demand that quota could serve.
CANNOT_RUN: Final = frozenset(
    {
        Reason.NO_FLAVOR_MATCHED,
        Reason.LOCAL_QUEUE_MISSING,
        Reason.PRIORITY_CLASS_MISSING,
        Reason.NAMESPACE_NOT_ALLOWED,
        Reason.QUEUE_MISCONFIGURED,
        Reason.EXCEEDS_MAX_QUOTA,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetAssignment:
    """How many pods of a pod set start, and the flavor that gives each of its resources."""

    name: str
    #: Fewer than asked for when the pod set may start with less.
    count: int
    #: By resource; those that no group of the queue covers are absent.
    flavors: Mapping[str, str]


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
