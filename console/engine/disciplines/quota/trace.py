"""The quota section of a trace: flavors tried, quota checks and the search for victims."""

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
    """Why a running workload was or was not chosen as a victim."""

    TARGET = "target"
    #: It may be preempted, but the other victims free enough.
    NOT_NEEDED = "not_needed"
    PRIORITY_NOT_LOWER = "priority_not_lower"
    #: It uses none of the flavors and resources that are short.
    OTHER_CAPACITY = "other_capacity"
    #: It may be preempted, but all candidates together do not free enough.
    NOT_ENOUGH = "not_enough"
    #: It is evicting already.
    DEPARTING = "departing"
    #: Its queue does not use more than its nominal quota.
    QUEUE_WITHIN_NOMINAL = "queue_within_nominal"
    #: A cohort between its queue and the preemptor's uses no more than its own quota.
    COHORT_WITHIN_NOMINAL = "cohort_within_nominal"
    #: Only a workload that does not borrow may preempt it.
    NOT_WHILE_BORROWING = "not_while_borrowing"
    #: Its priority is above the threshold up to which a borrower may preempt.
    ABOVE_THRESHOLD = "above_threshold"
    #: The preemptor's share would not be smaller than that of its queue.
    SHARE_NOT_LARGER = "share_not_larger"
    #: It has the same priority and was not submitted later.
    NOT_NEWER = "not_newer"
    #: Its queue is stopped or misconfigured, so its workloads are not preempted.
    QUEUE_INACTIVE = "queue_inactive"
    #: The same preemptor preempted it repeatedly, and may not preempt it again.
    STOPPED_BEFORE = "stopped_before"


class PreemptionVerdict(StrEnum):
    """The result of a search for victims."""

    FOUND = "found"
    #: The queue's policy allows no preemption.
    NOT_ALLOWED = "not_allowed"
    #: No workload runs in the queues in which the policy allows preemption.
    NOBODY_RUNS = "nobody_runs"
    #: All candidates together do not free enough.
    NOT_ENOUGH = "not_enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node on the path up the quota tree: its amounts of a flavor-resource, in thousandths."""

    name: str
    #: Its own quota and the deposits of its children.
    quota: Amount
    used: int
    #: The amount available from it, negative when it exceeds its quota.
    available: Amount
    borrowing_limit: Amount
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaCheck:
    """The arithmetic for one resource in one flavor; amounts in thousandths."""

    resource: str
    requested: int
    nominal: Amount
    #: Usage of the queue's running workloads.
    used: int
    #: The amount that may be used now, never below zero.
    available: Amount
    #: The amount that could be used if nothing ran.
    maximum: Amount
    #: requested - available, when positive.
    missing: int
    verdict: FlavorVerdict
    #: The amount that earlier pod sets of the same workload take.
    assumed: int = 0
    #: The height of the cohort from which it would borrow; 0: it fits the queue's nominal quota.
    borrow_level: int = 0
    #: The nearest cohort that covers the borrowed amount; None: unknown, or nothing is borrowed.
    borrows_from: str | None = None
    #: The amount that the queue may use beyond its nominal quota.
    borrowing_limit: Amount = UNLIMITED
    #: The cohorts above, the nearest first; only in explanations.
    path: tuple[NodeFact, ...] = ()
    #: Queue -> nominal quota that the queue itself does not use, in thousandths; only in
    #: explanations.
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
    #: Names of the pod sets of the walk; empty: the workload has only one.
    pod_sets: tuple[str, ...] = ()
    flavors: tuple[FlavorTried, ...]
    #: The flavor taken, or the best one if none fits; None if none can be used.
    chosen: str | None = None
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A running workload that the preemption search examined."""

    workload: str
    priority: int
    verdict: CandidateVerdict
    #: Its usage of the flavor-resources that are short, in thousandths, as "flavor/resource".
    frees: Mapping[str, int]
    #: The queue it runs in; None: the preemptor's queue.
    queue: str | None = None
    #: For a target: the code of the reason of its preemption, which names the policy.
    right: str | None = None
    #: Fair sharing: dominant shares in thousandths of what the cohort can lend, of the preemptor's
    #: branch with its request and of the candidate's branch before and after it stops; None:
    #: unbounded.
    share: int | None = None
    share_before: int | None = None
    share_after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStep:
    """The search for running workloads to preempt."""

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
    #: The amounts that have to become free, in thousandths, as "flavor/resource".
    needs: Mapping[str, int] = field(default_factory=dict)
    candidates: tuple[Candidate, ...] = ()
    #: The number of candidates that are not listed.
    more_candidates: int = 0
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaFacts(TraceSection):
    """The walks over flavors, and the search for workloads to preempt; empty if not reached."""

    in_version_1: ClassVar[bool] = True

    groups: tuple[GroupStep, ...] = ()
    #: Requested resources that no group of the queue covers: not limited.
    uncovered: tuple[str, ...] = ()
    #: The requested resource that no group covers, if that blocks the workload.
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
    """Return the quota section of *trace*; empty facts for a trace of another discipline."""
    found = trace.sections.get(QUOTA)
    return found if isinstance(found, QuotaFacts) else NO_FACTS
