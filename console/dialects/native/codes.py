"""Diagnostic codes of the native dialect."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

UNKNOWN_QUEUE = Code(
    "NAT001",
    Severity.ERROR,
    "Queue is not defined",
    "A rule routes to a queue that resource_queues does not define. Correct the name or add "
    "the queue.",
)
UNKNOWN_FLAVOR = Code(
    "NAT002",
    Severity.ERROR,
    "Flavor is not defined",
    "A queue names a flavor that resource_flavors does not define. Correct the name or add "
    "the flavor.",
)
UNKNOWN_RESOURCE = Code(
    "NAT003",
    Severity.ERROR,
    "Unknown resource",
    "Quota exists for gpu, cpu, memory_gb and tpu. Memory is counted in GiB, under memory_gb.",
)
COVERED_TWICE = Code(
    "NAT004",
    Severity.ERROR,
    "Resource covered by two groups",
    "Within a queue a resource belongs to one resource group. Remove it from one of the groups.",
)
FLAVOR_TWICE = Code(
    "NAT005",
    Severity.ERROR,
    "Flavor used twice in a queue",
    "A flavor may appear only once in a queue, over all its groups. Remove one of the two, or "
    "define a second flavor.",
)
NOT_COVERED = Code(
    "NAT006",
    Severity.ERROR,
    "Resource not covered by the group",
    "A flavor has quota only for what its group lists in covered_resources. Add the resource "
    "there or remove it here.",
)
LIMIT_WITHOUT_COHORT = Code(
    "NAT007",
    Severity.ERROR,
    "Borrowing or lending limit without a cohort",
    "Only queues of one cohort share quota. Remove the limit, or give the queue a cohort_name.",
)
LENDS_TOO_MUCH = Code(
    "NAT008",
    Severity.ERROR,
    "Lending limit above the nominal quota",
    "A queue can lend at most its nominal quota. Lower lending_limit or raise nominal_quota.",
)
BORROW_NEEDS_RECLAIM = Code(
    "NAT009",
    Severity.ERROR,
    "borrow_within_cohort without reclaim_within_cohort",
    "Preempting in order to borrow requires that the queue may reclaim its own quota. Set "
    "reclaim_within_cohort to lower_priority or any.",
)
COHORT_WITHOUT_GROUPS = Code(
    "NAT010",
    Severity.ERROR,
    "Cohort on a queue without quota",
    "A queue without resource_groups admits every workload and has no quota to share. Remove "
    "cohort_name or add resource_groups.",
)
PRIORITY_ORDER = Code(
    "NAT011",
    Severity.ERROR,
    "Priorities out of order",
    "min <= default <= max must hold for the values that are set.",
)
VALUES_MISSING = Code(
    "NAT012",
    Severity.ERROR,
    "Values are missing",
    "The operators in and not_in compare with a list of values. Add values, or use exists or "
    "does_not_exist.",
)
VALUES_NOT_ALLOWED = Code(
    "NAT013",
    Severity.ERROR,
    "Values are not allowed",
    "The operators exists and does_not_exist check only the key. Remove values, or use in or "
    "not_in.",
)
SPEC_CHANGED = Code(
    "NAT015",
    Severity.ERROR,
    "Queue changed under the same name",
    "The first version that has a queue fixes its spec, so that usage and history keep their "
    "meaning. Give the changed queue a new name, and change the rules to route to it.",
    is_live=True,
)
PREEMPTION_WITHOUT_COHORT = Code(
    "NAT016",
    Severity.WARNING,
    "Cohort preemption without a cohort",
    "reclaim_within_cohort and borrow_within_cohort have no effect on a queue without cohort_name.",
)
NO_CATCH_ALL = Code(
    "NAT020",
    Severity.WARNING,
    "No rule matches every workload",
    "A workload that no rule matches is rejected. Add a last rule without a selector if this is "
    "not intended.",
)
RULE_NEVER_REACHED = Code(
    "NAT021",
    Severity.WARNING,
    "Rule is never reached",
    "Rules are tried in order, and an earlier rule matches every workload. Move this rule up or "
    "remove it.",
)
QUEUE_WITHOUT_RULE = Code(
    "NAT022",
    Severity.WARNING,
    "No rule routes to the queue",
    "Workloads reach a queue only by a rule. Add a rule, or remove the queue.",
)
FLAVOR_UNUSED = Code(
    "NAT023",
    Severity.WARNING,
    "No queue uses the flavor",
    "A flavor has an effect only if a queue has quota in it. Add it to a queue, or remove it.",
)
NEVER_HOLDS = Code(
    "NAT024",
    Severity.WARNING,
    "Selector that no workload can match",
    "All expressions of a selector must hold at once, and two of these exclude each other. Put "
    "alternatives into one list of values, or into two rules.",
)

COHORT_OF_ONE = Code(
    "NAT025",
    Severity.WARNING,
    "Cohort with one queue",
    "A queue that is alone in its cohort cannot borrow or lend. Check the spelling of "
    "cohort_name, add queues to the cohort, or remove it.",
)
NOTHING_SHARED = Code(
    "NAT026",
    Severity.WARNING,
    "Cohort that shares no quota",
    "Every queue of the cohort has a borrowing_limit of 0, or every one a lending_limit of 0, for "
    "all resources, so no quota is ever shared. Raise some limits, or remove the cohort.",
)
NOTHING_TO_USE = Code(
    "NAT027",
    Severity.WARNING,
    "Quota that can never be used",
    "The queue owns none of the resource in this flavor and may borrow none, although others of "
    "its cohort own some, so it never admits a workload there. Raise nominal_quota or the limits.",
)

NATIVE_CODES = declared(globals())
