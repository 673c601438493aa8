"""Answers: what an engine says to a case, in the words that the expectations use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.amounts import Amount
from console.engine.model.decision import Assignment
from console.engine.model.nodes import Taint

#: Flavor -> resource -> amount in thousandths.
Amounts = Mapping[str, Mapping[str, Amount]]


class Mode(StrEnum):
    """
    How well a flavor serves a request, worst first (Kueue, spec 6.5).

    A whole assignment, and what a resource got, know NO_FIT, PREEMPT and FIT
    alone: NO_CANDIDATES and RECLAIM count as PREEMPT there.
    """

    NO_FIT = "NoFit"
    NO_CANDIDATES = "NoCandidates"
    PREEMPT = "Preempt"
    RECLAIM = "Reclaim"
    FIT = "Fit"


class Condition(StrEnum):
    """Why a workload waits, as the granular word of its condition (Kueue, spec 8.1)."""

    DEACTIVATED = "Deactivated"
    MISCONFIGURED = "Misconfigured"
    NO_MATCHING_FLAVOR = "NoMatchingFlavor"
    SUSPENDED = "Suspended"
    EXCEEDS_MAX_QUOTA = "ExceedsMaxQuota"
    WAITING_FOR_QUOTA = "WaitingForQuota"
    WAITING_FOR_PREEMPTED_WORKLOADS = "WaitingForPreemptedWorkloads"
    PENDING_EVALUATION = "PendingEvaluation"


class HeadCode(StrEnum):
    """What happened to a workload in its cycle."""

    NO_ROOM = "NoRoom"
    #: Fits with preemption, without possible victims.
    NO_VICTIMS = "NoVictims"
    PREEMPTING = "Preempting"
    #: Fits once workloads that others preempt have stopped.
    WAITS_FOR_OTHERS = "WaitsForOthers"
    #: Others took the room earlier in the cycle.
    OVERTAKEN = "Overtaken"
    #: Others preempt its victims already.
    VICTIMS_TAKEN = "VictimsTaken"
    WRONG_NAMESPACE = "WrongNamespace"
    #: Parked unseen, beside one that is alike.
    SAME_AS_PARKED = "SameAsParked"
    NOT_EVALUATED = "NotEvaluated"
    INACTIVE = "Inactive"
    LOCAL_QUEUE_MISSING = "LocalQueueMissing"
    LOCAL_QUEUE_STOPPED = "LocalQueueStopped"
    CLUSTER_QUEUE_MISSING = "ClusterQueueMissing"
    CLUSTER_QUEUE_INACTIVE = "ClusterQueueInactive"


class ReasonCode(StrEnum):
    """Why a flavor, or no flavor at all, serves a pod set."""

    #: *missing*: what is free, short of the request and what earlier pod sets take.
    NOT_ENOUGH_FREE = "NotEnoughFree"
    #: *assumed* by earlier pod sets, *requested* now, *capacity* if nothing ran.
    ABOVE_CAPACITY = "AboveCapacity"
    #: *resource* alone.
    RESOURCE_NOT_COVERED = "ResourceNotCovered"
    FLAVOR_MISSING = "FlavorMissing"
    #: *taint*: the first that is not tolerated.
    TAINT_NOT_TOLERATED = "TaintNotTolerated"
    LABELS_DO_NOT_MATCH = "LabelsDoNotMatch"
    #: Looked at again, and *resource* was nominated with another flavor.
    OUTSIDE_NOMINATION = "OutsideNomination"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorReason:
    """One reason inside a pod set; which fields it has depends on its code."""

    code: ReasonCode
    flavor: str | None = None
    resource: str | None = None
    missing: Amount | None = None
    assumed: Amount | None = None
    requested: Amount | None = None
    capacity: Amount | None = None
    taint: Taint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadVerdict:
    """What a cycle says about a workload that it did not admit."""

    reason: Condition
    code: HeadCode
    #: How many workloads it waits for, with those already on their way out; only for PREEMPTING.
    victims: int | None = None
    #: Pod set -> its reasons, where flavors were looked at and nothing fitted at once.
    pod_sets: Mapping[str, tuple[FlavorReason, ...]] = field(default_factory=dict)


class VictimReason(StrEnum):
    """By what right a workload is preempted (Kueue, spec 7.1)."""

    IN_CLUSTER_QUEUE = "InClusterQueue"
    IN_COHORT_RECLAMATION = "InCohortReclamation"
    IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
    IN_COHORT_FAIR_SHARING = "InCohortFairSharing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleAnswer:
    """The state of all workloads after exactly one cycle, by name."""

    #: Admitted in this cycle.
    admitted: Mapping[str, Assignment]
    #: Preempted in this cycle; they still hold their quota.
    preempted: Mapping[str, VictimReason]
    #: Still in line. Not those whose local queue is missing: they stand in no line.
    requeued: frozenset[str]
    #: Parked until an event.
    inadmissible: frozenset[str]
    #: Evaluated workloads that were not admitted.
    messages: Mapping[str, HeadVerdict]
    #: Queue -> preemptions found and not carried out; 0 need not be listed.
    skipped_preemptions: Mapping[str, int]


class Action(StrEnum):
    """What a cycle does for a workload."""

    ADMIT = "admit"
    PREEMPT = "preempt"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleDecision:
    """One thing that was done on the way to rest."""

    #: From 1; a cycle that decides nothing counts too.
    cycle: int
    action: Action
    workload: str
    #: Its victims, without workloads that are already evicting.
    victims: Mapping[str, VictimReason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAnswer:
    """The state of all workloads at rest, by name."""

    #: All workloads that hold quota, including those running at the start.
    admitted: Mapping[str, Assignment]
    #: All other workloads.
    pending: Mapping[str, Condition]
    decisions: tuple[SettleDecision, ...]
    #: False: a state came again, so the plain rules would never rest.
    is_steady: bool = True
    #: Whether a cycle without memory changed anything; None if not stated.
    did_resync_change: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFlavor:
    """What one resource of a pod set got."""

    flavor: str
    mode: Mode
    #: Index of the flavor that the walk ended at, -1: the last of the group.
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How one flavor did for a pod set: the worst of its resources."""

    outcome: Mode
    level: int
    #: Only for NO_FIT.
    why: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetAnswer:
    """What one pod set got; a pod set without any flavor does not fit."""

    name: str
    count: int
    #: By resource.
    flavors: Mapping[str, ResourceFlavor]
    #: Of all its pods, in thousandths, with ``pods`` where the queue covers them.
    requests: Mapping[str, Amount]
    #: Those of a walk that found a fit are dropped.
    reasons: tuple[FlavorReason, ...] = ()
    #: By flavor; only the flavors that were looked at.
    attempts: Mapping[str, Attempt] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorAnswer:
    """The flavors of one workload, and how well they serve it."""

    mode: Mode
    #: The highest borrowing level of all that it got.
    borrowing: int
    #: Up to the first that fails; what comes after it is not looked at.
    pod_sets: tuple[PodSetAnswer, ...]
    usage: Amounts
    #: Only when *mode* is NO_FIT.
    no_fit_reason: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimsAnswer:
    """The victims of a workload."""

    #: Without those already on their way out.
    victims: Mapping[str, VictimReason]
    #: With them.
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaAnswer:
    """What each queue could have and has left, in the flavors of its own groups."""

    #: Queue -> what it could have if nothing ran.
    potential: Mapping[str, Amounts]
    #: Queue -> what it may still use, never below zero.
    available: Mapping[str, Amounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The dominant resource share of one node (Kueue, spec 7.6)."""

    #: Rounded up; None: without bound.
    share: int | None
    #: The resource it is largest in; "" when nothing is borrowed, or nothing can be lent.
    resource: str
    is_borrowing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesAnswer:
    """The shares of all queues and of all cohorts, those that are only named too."""

    cluster_queues: Mapping[str, Share]
    cohorts: Mapping[str, Share]
