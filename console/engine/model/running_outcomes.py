"""Consequences for a running workload: losses under a new policy, and exposure to preemption."""

from __future__ import annotations

from enum import StrEnum


class Loss(StrEnum):
    """The capacity that a running workload loses under another policy."""

    #: The policy no longer has its queue.
    QUEUE = "queue"
    #: Its queue no longer has the flavor for the resource, or the policy does not define it.
    FLAVOR = "flavor"
    #: Its labels or node constraints exclude it from the flavor.
    ACCESS = "access"
    #: Its placement is not valid any more, or a filter removes a cluster where it runs.
    PLACEMENT = "placement"


class Exposure(StrEnum):
    """Why a later workload may preempt a running one."""

    #: Workloads of its own queue may preempt it.
    IN_QUEUE = "in_queue"
    #: Its queue borrows, and other queues of the cohort may reclaim their quota.
    BY_COHORT = "by_cohort"
