"""What may happen to a running workload under a policy: losses, and exposure to preemption."""

from __future__ import annotations

from enum import StrEnum


class Loss(StrEnum):
    """What a running workload loses under another policy."""

    #: The policy no longer has its queue.
    QUEUE = "queue"
    #: Its queue no longer lists the flavor for the resource, or nothing describes it.
    FLAVOR = "flavor"
    #: Its labels or node constraints exclude it from the flavor.
    ACCESS = "access"


class Exposure(StrEnum):
    """By which right a later workload may preempt a running one."""

    #: Workloads of its own queue may preempt it.
    IN_QUEUE = "in_queue"
    #: It uses more than its queue owns, and other queues of its cohort may reclaim their quota.
    BY_COHORT = "by_cohort"
