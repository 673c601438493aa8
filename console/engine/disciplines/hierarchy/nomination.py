"""Nominations: what would happen to one workload now, and every fact on which that depends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.disciplines.hierarchy.resources import Resources
from console.engine.model.amounts import FlavorResource
from console.engine.model.decision import Assignment
from console.engine.model.exceeded import Exceeded
from console.engine.model.reasons import Reason
from console.engine.model.trace import TurnStep


class Stage(StrEnum):
    """What the scheduler checks before a pod starts, in its order."""

    APPLICATION_LIMIT_QUEUE = "application_limit_queue"
    APPLICATION_LIMIT_USER = "application_limit_user"
    APPLICATION_LIMIT_GROUP = "application_limit_group"
    #: The application pauses, because many of its asks had no node.
    BACKOFF = "backoff"
    USER_QUOTA = "user_quota"
    GROUP_QUOTA = "group_quota"
    QUEUE_QUOTA = "queue_quota"
    NO_NODE = "no_node"


#: The stages that count applications instead of resources.
OF_APPLICATIONS = frozenset(
    {
        Stage.APPLICATION_LIMIT_QUEUE,
        Stage.APPLICATION_LIMIT_USER,
        Stage.APPLICATION_LIMIT_GROUP,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """
    The comparison of a request with one limit.

    Amounts are in the units of `Resources`; of applications, they are numbers.
    """

    stage: Stage
    #: The full name of the queue whose limit it is; empty for nodes.
    queue: str = ""
    #: The user or group; ``*`` for a group of all others. Empty: the limit is that of the queue.
    holder: str = ""
    #: Empty: applications are counted.
    resource: str = ""
    requested: int = 1
    limit: int = 0
    used: int = 0

    @property
    def available(self) -> int:
        """What the limit leaves; 0 if more is used."""
        return max(0, self.limit - self.used)

    @property
    def passes(self) -> bool:
        """Whether the request fits."""
        return self.requested <= self.available


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeShortage:
    """On how many nodes one pod lacks a resource, or is excluded for another reason."""

    #: A resource, or ``constraints`` for labels and taints, ``not_ready`` or ``reserved``.
    cause: str
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionVerdict:
    """Why preemption makes no room."""

    #: YuniKorn's message, one of `Message`.
    text: str
    #: The full name of the queue below which victims are searched; empty: there was no search.
    fence: str = ""
    #: The number of pods that may be stopped; None: not counted.
    candidates: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyNomination:
    """What would happen to one workload now."""

    fits: bool
    #: Why it waits; meaningless if it fits.
    pending_reason: Reason
    #: What one pod of the unit requests.
    request: Resources = field(default_factory=dict)
    #: The number of pods that start together, by pod set.
    counts: Mapping[str, int] = field(default_factory=dict)
    assignment: Assignment = ()
    #: The user of the application, and the group whose limits count for it; empty: none.
    user: str = ""
    group: str = ""
    #: What refuses the start: the first check that fails. None: it fits, or waits for something
    #: else.
    refusal: Check | None = None
    #: All checks for one pod, in the order of the scheduler. Only in a report.
    checks: tuple[Check, ...] = ()
    #: Pods for which a node was found; all of them if it fits.
    placed: int = 0
    shortages: tuple[NodeShortage, ...] = ()
    #: YuniKorn's messages about its asks, each one once.
    messages: tuple[str, ...] = ()
    #: None: preemption was not tried.
    preemption: PreemptionVerdict | None = None
    #: Only in a report: which workloads prevent its start.
    turn: TurnStep | None = None
    usage: Mapping[FlavorResource, int] = field(default_factory=dict)
    #: The bounds that it exceeds even if nothing else runs; empty: it can start some time.
    exceeded: tuple[Exceeded, ...] = ()

    @property
    def is_lasting(self) -> bool:
        """Whether the result stays the same as long as capacity is short: not known."""
        return False
