"""The enumerations of Kueue's API, in its spelling."""

from __future__ import annotations

from enum import StrEnum


class QueueingStrategy(StrEnum):
    """The words of ``queueingStrategy``."""

    BEST_EFFORT_FIFO = "BestEffortFIFO"
    STRICT_FIFO = "StrictFIFO"


class FlavorSearch(StrEnum):
    """The words of ``whenCanBorrow`` and ``whenCanPreempt``."""

    MAY_STOP_SEARCH = "MayStopSearch"
    TRY_NEXT_FLAVOR = "TryNextFlavor"


class OldBorrow(StrEnum):
    """The words of ``whenCanBorrow`` in v1beta1."""

    MAY_STOP_SEARCH = FlavorSearch.MAY_STOP_SEARCH.value
    TRY_NEXT_FLAVOR = FlavorSearch.TRY_NEXT_FLAVOR.value
    BORROW = "Borrow"


class OldPreempt(StrEnum):
    """The words of ``whenCanPreempt`` in v1beta1."""

    MAY_STOP_SEARCH = FlavorSearch.MAY_STOP_SEARCH.value
    TRY_NEXT_FLAVOR = FlavorSearch.TRY_NEXT_FLAVOR.value
    PREEMPT = "Preempt"


class FlavorPreference(StrEnum):
    """The words of ``preference``."""

    BORROWING_OVER_PREEMPTION = "BorrowingOverPreemption"
    PREEMPTION_OVER_BORROWING = "PreemptionOverBorrowing"


class WithinQueue(StrEnum):
    """The words of ``withinClusterQueue``."""

    NEVER = "Never"
    LOWER_PRIORITY = "LowerPriority"
    LOWER_OR_NEWER_EQUAL_PRIORITY = "LowerOrNewerEqualPriority"


class Reclaim(StrEnum):
    """The words of ``reclaimWithinCohort``."""

    NEVER = "Never"
    LOWER_PRIORITY = "LowerPriority"
    ANY = "Any"


class BorrowPolicy(StrEnum):
    """The words of ``borrowWithinCohort.policy``."""

    NEVER = "Never"
    LOWER_PRIORITY = "LowerPriority"


class Stop(StrEnum):
    """The words of ``stopPolicy``."""

    NONE = "None"
    HOLD = "Hold"
    HOLD_AND_DRAIN = "HoldAndDrain"


class TolerationOperator(StrEnum):
    """The words of a toleration's ``operator``."""

    EQUAL = "Equal"
    EXISTS = "Exists"


class SelectorOperator(StrEnum):
    """The words of a label selector's ``operator``."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"


class AdmissionMode(StrEnum):
    """The words of ``admissionScope.admissionMode``."""

    USAGE_BASED = "UsageBasedAdmissionFairSharing"
    NONE = "NoAdmissionFairSharing"


class MigrationMode(StrEnum):
    """The words of ``concurrentAdmissionPolicy.migration.mode``."""

    TRY_PREFERRED = "TryPreferredFlavors"
    RETAIN_FIRST = "RetainFirstAdmission"


class OperatorPreemption(StrEnum):
    """The words of ``preemption.preemptionPolicy`` of OpenShift's operator."""

    DEFAULT = ""
    CLASSICAL = "Classical"
    FAIR_SHARING = "FairSharing"


class GangScheduling(StrEnum):
    """The words of ``gangScheduling.policy`` of OpenShift's operator."""

    DEFAULT = ""
    BY_WORKLOAD = "ByWorkload"
    NONE = "None"


class SharingStrategy(StrEnum):
    """The words of ``fairSharing.preemptionStrategies``."""

    FINAL_SHARE = "LessThanOrEqualToFinalShare"
    INITIAL_SHARE = "LessThanInitialShare"


class QuotaCheck(StrEnum):
    """The words of ``resources.quotaCheckStrategy``."""

    BLOCK_UNDECLARED = "BlockUndeclared"
    IGNORE_UNDECLARED = "IgnoreUndeclared"
