"""Read models of cohorts: pools, members, starved queues, loans and pending workloads."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.disciplines.read_model import FairShare, Loan
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Queue
from console.workloads.queries.over_quota import OverQuotaSince


@dataclass(frozen=True, slots=True, kw_only=True)
class Starved:
    """
    A queue with pending workloads while others use its nominal quota.

    For one flavor-resource; amounts in thousandths.
    """

    queue: str
    flavor: str
    resource: str
    #: Unused part of its nominal quota.
    unused: int
    #: Requested amount of its pending workloads that are short of it.
    wanted: int
    #: Loans to the queues that use it.
    loans: tuple[Loan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortSummary:
    """One cohort: its position in the tree, its counts and its pools."""

    name: str
    #: Its ancestors, the root first.
    path: tuple[str, ...]
    #: None if queues refer to it and no object defines it.
    origin: Origin | None
    #: Its direct members.
    queues: tuple[str, ...]
    cohorts: tuple[str, ...]
    #: Counts of all queues below it.
    queue_count: int
    running: int
    pending: int
    #: Number of pending workloads that can never run under the active config.
    cannot_run: int
    #: Number of queues below it that borrow.
    borrowers: int
    starved: tuple[Starved, ...]
    pools: tuple[CapacityNode, ...]
    #: Its share of its parent; None if fair sharing is not used.
    share: FairShare | None

    @property
    def contention(self) -> float:
        """Pressure on its tightest pool, as `CapacityNode.pressure`."""
        return max((pool.pressure for pool in self.pools), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """A queue or cohort below a cohort, with its usage."""

    name: str
    is_cohort: bool
    #: Its parent, and its depth below the displayed cohort, from 1.
    parent: str
    depth: int
    running: int
    pending: int
    #: Number of pending workloads that can never run under the active config.
    cannot_run: int
    usages: tuple[CapacityNode, ...]
    share: FairShare | None
    #: Its spec; None for a cohort.
    queue: Queue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingView:
    """Number of pending workloads of a cohort with one reason, and their queues."""

    reason: str
    count: int
    #: (queue, count), most first.
    queues: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortView:
    """One cohort with all its descendants."""

    summary: CohortSummary
    #: In the order of the config text, each cohort before its members.
    members: tuple[MemberView, ...]
    #: Loans of queues below it, by flavor-resource, largest first. Lenders and borrowers may be
    #: elsewhere in the tree.
    loans: tuple[Loan, ...]
    #: Since when borrowers use more than their nominal quota.
    over_quota_since: OverQuotaSince
    waiting: tuple[WaitingView, ...]
    policy: Policy
