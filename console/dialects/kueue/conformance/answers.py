"""Answers of an engine to the cases, in the terms of the expectations."""

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
    How well a flavor fits a request, worst first (Kueue, spec 6.5).

    For a whole assignment and for a resource only NO_FIT, PREEMPT and FIT are used: NO_CANDIDATES
    and RECLAIM count as PREEMPT.
    """

    NO_FIT = "NoFit"
    NO_CANDIDATES = "NoCandidates"
    PREEMPT = "Preempt"
    RECLAIM = "Reclaim"
    FIT = "Fit"


class Condition(StrEnum):
    """Why a workload is pending, as the detailed reason of its condition (Kueue, spec 8.1)."""

    DEACTIVATED = "Deactivated"
    MISCONFIGURED = "Misconfigured"
    NO_MATCHING_FLAVOR = "NoMatchingFlavor"
    SUSPENDED = "Suspended"
    EXCEEDS_MAX_QUOTA = "ExceedsMaxQuota"
    WAITING_FOR_QUOTA = "WaitingForQuota"
    WAITING_FOR_PREEMPTED_WORKLOADS = "WaitingForPreemptedWorkloads"
    PENDING_EVALUATION = "PendingEvaluation"


class HeadCode(StrEnum):
    """The result of a cycle for one pending workload."""

    NO_ROOM = "NoRoom"
    #: It would fit with preemption, but there are no victims.
    NO_VICTIMS = "NoVictims"
    PREEMPTING = "Preempting"
    #: It fits when workloads that others preempt have stopped.
    WAITS_FOR_OTHERS = "WaitsForOthers"
    #: Other workloads got the quota earlier in the cycle.
    OVERTAKEN = "Overtaken"
    #: Other workloads already preempt its victims.
    VICTIMS_TAKEN = "VictimsTaken"
    WRONG_NAMESPACE = "WrongNamespace"
    #: Inadmissible without evaluation, because an equivalent workload is.
    SAME_AS_PARKED = "SameAsParked"
    NOT_EVALUATED = "NotEvaluated"
    INACTIVE = "Inactive"
    LOCAL_QUEUE_MISSING = "LocalQueueMissing"
    LOCAL_QUEUE_STOPPED = "LocalQueueStopped"
    CLUSTER_QUEUE_MISSING = "ClusterQueueMissing"
    CLUSTER_QUEUE_INACTIVE = "ClusterQueueInactive"


class ReasonCode(StrEnum):
    """Why a flavor does not fit a pod set, or why no flavor does."""

    #: *missing*: the request plus the requests of earlier pod sets, minus what is available.
    NOT_ENOUGH_FREE = "NotEnoughFree"
    #: *assumed* for earlier pod sets, *requested* now, *capacity* if nothing runs.
    ABOVE_CAPACITY = "AboveCapacity"
    #: Only *resource* is set.
    RESOURCE_NOT_COVERED = "ResourceNotCovered"
    FLAVOR_MISSING = "FlavorMissing"
    #: *taint*: the first one that is not tolerated.
    TAINT_NOT_TOLERATED = "TaintNotTolerated"
    LABELS_DO_NOT_MATCH = "LabelsDoNotMatch"
    #: In another evaluation, *resource* was already nominated with another flavor.
    OUTSIDE_NOMINATION = "OutsideNomination"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorReason:
    """One reason of a pod set; the fields that are set depend on its code."""

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
    """The result of a cycle for a workload that was not admitted."""

    reason: Condition
    code: HeadCode
    #: Number of victims, including workloads that are already evicting; only for PREEMPTING.
    victims: int | None = None
    #: Pod set -> its reasons, if flavors were evaluated and none fits without preemption.
    pod_sets: Mapping[str, tuple[FlavorReason, ...]] = field(default_factory=dict)


class VictimReason(StrEnum):
    """The preemption rule that allowed the preemption (Kueue, spec 7.1)."""

    IN_CLUSTER_QUEUE = "InClusterQueue"
    IN_COHORT_RECLAMATION = "InCohortReclamation"
    IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
    IN_COHORT_FAIR_SHARING = "InCohortFairSharing"


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleAnswer:
    """The state of all workloads after exactly one cycle, by name."""

    #: Admitted in this cycle.
    admitted: Mapping[str, Assignment]
    #: Preempted in this cycle; they still use their quota.
    preempted: Mapping[str, VictimReason]
    #: Still in their pending queue. Workloads whose local queue is missing are in none.
    requeued: frozenset[str]
    #: Inadmissible until an event.
    inadmissible: frozenset[str]
    #: Evaluated workloads that were not admitted.
    messages: Mapping[str, HeadVerdict]
    #: Queue -> preemptions found and not carried out; 0 need not be listed.
    skipped_preemptions: Mapping[str, int]


class Action(StrEnum):
    """The action of a cycle for a workload."""

    ADMIT = "admit"
    PREEMPT = "preempt"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleDecision:
    """One decision until the state is settled."""

    #: From 1; a cycle that decides nothing counts too.
    cycle: int
    action: Action
    workload: str
    #: Its victims, without workloads that are already evicting.
    victims: Mapping[str, VictimReason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleAnswer:
    """The state of all workloads when nothing changes anymore, by name."""

    #: All workloads that use quota, including those running at the start.
    admitted: Mapping[str, Assignment]
    #: All other workloads.
    pending: Mapping[str, Condition]
    decisions: tuple[SettleDecision, ...]
    #: False if a state occurred again, so that the rules alone would never settle.
    is_steady: bool = True
    #: Whether the final requeue of all workloads changed anything; None if not stated.
    did_resync_change: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceFlavor:
    """The flavor assigned to one resource of a pod set."""

    flavor: str
    mode: Mode
    #: Index of the flavor at which the walk ended; -1 for the last one of the group.
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The result of one flavor for a pod set, that is, of its worst resource."""

    outcome: Mode
    level: int
    #: Only for NO_FIT.
    why: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSetAnswer:
    """The flavors of one pod set; a pod set without flavors does not fit."""

    name: str
    count: int
    #: By resource.
    flavors: Mapping[str, ResourceFlavor]
    #: For all its pods, in thousandths, including ``pods`` if the queue covers them.
    requests: Mapping[str, Amount]
    #: Without the reasons of walks that found a fit.
    reasons: tuple[FlavorReason, ...] = ()
    #: By flavor; only the evaluated flavors.
    attempts: Mapping[str, Attempt] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorAnswer:
    """The flavors of one workload, and how well they fit."""

    mode: Mode
    #: The highest borrowing level of its flavors.
    borrowing: int
    #: Up to the first one that fails; later ones are not evaluated.
    pod_sets: tuple[PodSetAnswer, ...]
    usage: Amounts
    #: Only if *mode* is NO_FIT.
    no_fit_reason: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimsAnswer:
    """The victims of a workload."""

    #: Without workloads that are already evicting.
    victims: Mapping[str, VictimReason]
    #: Including workloads that are already evicting.
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaAnswer:
    """The maximum and the available quota of each queue, in the flavors of its groups."""

    #: Queue -> quota that it can have if nothing runs.
    potential: Mapping[str, Amounts]
    #: Queue -> available quota, at least zero.
    available: Mapping[str, Amounts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The dominant resource share of one node (Kueue, spec 7.6)."""

    #: Rounded up; None if unbounded.
    share: int | None
    #: The resource of the largest share; "" if nothing is borrowed, or nothing can be lent.
    resource: str
    is_borrowing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesAnswer:
    """The shares of all queues and all cohorts, including cohorts that are only referenced."""

    cluster_queues: Mapping[str, Share]
    cohorts: Mapping[str, Share]
