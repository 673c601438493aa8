"""What people look at of a cohort: its pools, its members, who goes short, and what waits."""

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
    A queue whose work waits for quota of its own while others use it.

    In one flavor-resource; amounts in thousandths.
    """

    queue: str
    flavor: str
    resource: str
    #: How much of its nominal quota it does not use.
    unused: int
    #: What its pending workloads that are short of it ask for.
    wanted: int
    #: Who uses it.
    loans: tuple[Loan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortSummary:
    """One cohort: its place in its tree, its counts and its pools."""

    name: str
    #: The cohorts around it, the root first.
    path: tuple[str, ...]
    #: None when queues name it and nothing describes it.
    origin: Origin | None
    #: What it holds itself.
    queues: tuple[str, ...]
    cohorts: tuple[str, ...]
    #: Of all queues below it.
    queue_count: int
    running: int
    pending: int
    #: How many of the pending can never run under the active config.
    cannot_run: int
    #: How many queues below it use quota of others.
    borrowers: int
    starved: tuple[Starved, ...]
    pools: tuple[CapacityNode, ...]
    #: Of the cohort around it; None where shares decide nothing.
    share: FairShare | None

    @property
    def contention(self) -> float:
        """How much of its tightest pool is used and wanted, as `CapacityNode.pressure`."""
        return max((pool.pressure for pool in self.pools), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberView:
    """A queue or cohort below a cohort, with what it uses."""

    name: str
    is_cohort: bool
    #: The cohort that holds it, and how deep below the one looked at, from 1.
    parent: str
    depth: int
    running: int
    pending: int
    #: How many of the pending can never run under the active config.
    cannot_run: int
    usages: tuple[CapacityNode, ...]
    share: FairShare | None
    #: How the queue admits and preempts; None for a cohort.
    queue: Queue | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingView:
    """How many workloads of a cohort wait for one reason, and in which queues."""

    reason: str
    count: int
    #: (queue, count), most first.
    queues: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortView:
    """One cohort with everything below it."""

    summary: CohortSummary
    #: In the order of the text, each cohort before what it holds.
    members: tuple[MemberView, ...]
    #: Who below it uses whose quota, by flavor-resource and then the largest first.
    #: Lenders may be elsewhere in the tree, and so may borrowers.
    loans: tuple[Loan, ...]
    #: Since when borrowers use more than they own.
    over_quota_since: OverQuotaSince
    waiting: tuple[WaitingView, ...]
    policy: Policy
