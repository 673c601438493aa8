"""What the quota discipline finds for one workload, as facts of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar, Final

from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.origin import Origin
from console.engine.model.trace import FailedExpression, FlavorVerdict, Trace
from console.engine.model.trace_sections import TraceSection, register_section


class CandidateVerdict(StrEnum):
    """Why a running workload was or was not chosen to stop."""

    TARGET = "target"
    #: Would have been stopped, but the others free enough.
    NOT_NEEDED = "not_needed"
    PRIORITY_NOT_LOWER = "priority_not_lower"
    #: Holds nothing of the flavors and resources that are short.
    OTHER_CAPACITY = "other_capacity"
    #: Even with every candidate stopped there is not enough room.
    NOT_ENOUGH = "not_enough"
    #: Already on its way out.
    DEPARTING = "departing"
    #: Its queue does not use more than its nominal quota.
    QUEUE_WITHIN_NOMINAL = "queue_within_nominal"
    #: A cohort between its queue and the preemptor's uses no more than its own quota.
    COHORT_WITHIN_NOMINAL = "cohort_within_nominal"
    #: Could only be stopped by a workload that need not borrow.
    NOT_WHILE_BORROWING = "not_while_borrowing"
    #: Above the priority up to which a borrower may preempt.
    ABOVE_THRESHOLD = "above_threshold"
    #: The preemptor's share would be no smaller than that of its queue.
    SHARE_NOT_LARGER = "share_not_larger"
    #: Same priority and not submitted later.
    NOT_NEWER = "not_newer"
    #: Its queue is stopped or misconfigured: what runs there is left alone.
    QUEUE_INACTIVE = "queue_inactive"
    #: It was stopped for the same preemptor again and again, which ends here.
    STOPPED_BEFORE = "stopped_before"


class PreemptionVerdict(StrEnum):
    """How the search for room by preemption ended."""

    FOUND = "found"
    #: The queue's policy stops nobody.
    NOT_ALLOWED = "not_allowed"
    #: Where the policy lets somebody be stopped, nobody runs.
    NOBODY_RUNS = "nobody_runs"
    #: Stopping every candidate would still not make enough room.
    NOT_ENOUGH = "not_enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """What one node on the way up the quota tree has of a flavor-resource, in thousandths."""

    name: str
    #: Its own quota and what its children put in.
    quota: Amount
    used: int
    #: What it can still give, negative when it is over its quota.
    available: Amount
    borrowing_limit: Amount
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaCheck:
    """The arithmetic for one resource in one flavor; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: What the queue's running workloads hold.
    used: int
    #: What may be used now, never below zero.
    available: Amount
    #: What could be used if nothing ran.
    maximum: Amount
    #: requested - available, when positive.
    missing: int
    verdict: FlavorVerdict
    #: What earlier pod sets of the same workload take of it already.
    assumed: int = 0
    #: How far up the cohorts it would borrow; 0: it fits the queue's nominal quota.
    borrow_level: int = 0
    #: The nearest cohort that covers what it would borrow; None: not known, or it need not borrow.
    borrows_from: str | None = None
    #: How far above its nominal quota the queue may use.
    borrowing_limit: Amount = UNLIMITED
    #: The cohorts above, the nearest first; only when somebody asks for an explanation.
    path: tuple[NodeFact, ...] = ()
    #: Queue -> nominal quota it does not use itself, in thousandths; only in explanations.
    lenders: Mapping[str, int] = field(default_factory=dict)
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorTried:
    """One flavor of a resource group, in listed order."""

    flavor: str
    verdict: FlavorVerdict
    failed: FailedExpression | None = None
    #: The taint that is not tolerated, as "key=value:Effect".
    taint: str | None = None
    checks: tuple[QuotaCheck, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupStep:
    """The walk over one resource group's flavors."""

    resources: tuple[str, ...]
    #: Names of the pod sets that took part; empty: the workload has only one.
    pod_sets: tuple[str, ...] = ()
    flavors: tuple[FlavorTried, ...]
    #: The flavor taken, or the best one found when none fits; None when none can.
    chosen: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A running workload that the preemption search looked at."""

    workload: str
    priority: int
    verdict: CandidateVerdict
    #: What it holds of the flavor-resources that are short, in thousandths, as "flavor/resource".
    frees: Mapping[str, int]
    #: The queue it runs in; None: the one of the preemptor.
    queue: str | None = None
    #: For a target: by what right, as the code of the reason it will be told.
    right: str | None = None
    #: Fair sharing: dominant shares in thousandths of what the cohort can lend, of the preemptor's
    #: side with its request and of the candidate's side before and after it stops; None: without
    #: bound.
    share: int | None = None
    share_before: int | None = None
    share_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStep:
    """The search for running workloads to stop."""

    #: `within_queue` of the preemptor's queue.
    rule: str
    verdict: PreemptionVerdict
    #: `reclaim_within_cohort`; None: the queue has no cohort.
    reclaim: str | None = None
    #: `borrow_within_cohort`; None: the queue has no cohort, or shares are fair.
    borrow: str | None = None
    threshold: int | None = None
    #: Names of the fair sharing strategies; empty: classical preemption.
    strategies: tuple[str, ...] = ()
    #: What has to become free, in thousandths, as "flavor/resource".
    needs: Mapping[str, int] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()
    #: Candidates beyond those listed.
    more_candidates: int = 0
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaFacts(TraceSection):
    """The walks over flavors, and the search for workloads to preempt; empty if not reached."""

    in_version_1: ClassVar[bool] = True

    groups: tuple[GroupStep, ...] = ()
    #: Requested resources that no group of the queue covers: not limited.
    uncovered: tuple[str, ...] = ()
    #: The requested resource that no group covers, where that keeps a workload out.
    undeclared: str | None = None
    preemption: PreemptionStep | None = None

    def without_running(self) -> QuotaFacts:
        """Return the facts without the search among running workloads."""
        return replace(self, preemption=None)


#: The code of the section: the name of the folder.
QUOTA: Final = "quota"
NO_FACTS: Final = QuotaFacts()

register_section(QUOTA, QuotaFacts)


def quota_facts(trace: Trace) -> QuotaFacts:
    """Return what the quota discipline found; empty facts of a trace of another discipline."""
    found = trace.sections.get(QUOTA)
    return found if isinstance(found, QuotaFacts) else NO_FACTS
