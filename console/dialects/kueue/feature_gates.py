"""Feature gates of Kueue that affect admission, and the behavior of this product for each."""

from __future__ import annotations

from typing import Final

#: Gate -> behavior here. The product behaves as if the gate were on.
ON: Final = {
    "PartialAdmission": "a pod set with a minimum count may start with fewer pods",
    "FlavorFungibility": "flavorFungibility of a queue decides when the next flavor is tried",
    "PrioritySortingWithinCohort": "priority orders the queues of a cohort, too",
    "LendingLimit": "lendingLimit counts",
    "HierarchicalCohorts": "cohorts nest",
    "QuotaCheckStrategy": "quotaCheckStrategy decides about resources that no group covers",
    "FlavorFungibilityPreserveScanProgress": (
        "a workload that was not admitted in a cycle continues with its next flavor"
    ),
    "SchedulingEquivalenceHashing": "equivalent workloads are evaluated together",
    "RecomputeAssignmentUponPreemptionTargetsOverlap": (
        "a workload whose victims are preempted for another one is evaluated again in the "
        "same cycle"
    ),
    "FairSharingPreemptWithinNominal": (
        "under fair sharing a workload within its nominal quota preempts regardless of the shares"
    ),
    "FairSharingPrioritizeNonBorrowing": (
        "under fair sharing workloads that need not borrow go first"
    ),
    "LocalQueueDefaulting": "a workload without a queue goes to the LocalQueue default",
    "WorkloadPriorityClassDefaulting": (
        "a workload without a priority takes the WorkloadPriorityClass default"
    ),
}
#: Gate -> behavior here. The product behaves as if the gate were off.
OFF: Final = {
    "AdmissionFairSharing": "past usage of LocalQueues does not count",
    "AdmissionGatedBy": "no annotation keeps a workload out of its queue",
    "ConcurrentAdmission": "a workload is tried in one flavor at a time",
    "ConfigurableResourceTransformations": "requests count as they were submitted",
    "DynamicResourceAllocation": "claimed devices do not count",
    "ElasticJobsViaWorkloadSlices": "a workload keeps the size that it was submitted with",
    "FlavorFungibilityImplicitPreferenceDefault": (
        "borrowing is preferred to preemption unless flavorFungibility.preference says otherwise"
    ),
    "MultiKueue": "workloads are not sent to other clusters",
    "MultiKueueOrchestratedPreemption": "workloads are not sent to other clusters",
    ("PrioritizePreemptorWorkloads"): (
        "a workload that waits for preempted workloads is not evaluated before others"
    ),
    "PriorityBoost": "no annotation changes the priority of a workload",
    "ReclaimablePods": "a workload keeps its whole quota until it ends",
    "TopologyAwareScheduling": "pods may run on any node of their flavor",
}


def unsupported_behavior(gate: str, value: bool) -> str | None:
    """
    Return the behavior of this product if it differs from *gate* being *value*, else None.

    Gates in neither table do not affect admission.
    """
    if value:
        return OFF.get(gate)
    return ON.get(gate)
