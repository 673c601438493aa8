"""Diagnostic codes of lints, that is, of probable mistakes in a valid config of any language."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

RECORDED_WITHOUT_RULE = Code(
    "LNT001",
    Severity.WARNING,
    "Recorded workloads that reach no queue",
    "Workloads like some of the last 30 days would be rejected, or wait forever, because no rule "
    "or local queue routes them to a queue. Add a last rule without a selector, widen a rule, or "
    "accept it.",
    is_live=True,
)
RULE_SHADOWED = Code(
    "LNT002",
    Severity.WARNING,
    "Rule shadowed by earlier rules",
    "Rules are tried in order, and earlier rules match every workload that this rule would match. "
    "Move it up, narrow the earlier rules, or remove it.",
)
CONTRADICTION = Code(
    "LNT003",
    Severity.WARNING,
    "Selector that nothing can match",
    "All expressions of a selector must hold at once, and some of these exclude each other. Put "
    "alternatives into one list of values, or into two rules.",
)
QUEUE_UNREACHED = Code(
    "LNT004",
    Severity.WARNING,
    "Queue that no workload reaches",
    "Workloads reach a queue by a rule, and no rule to this queue ever matches one. Correct those "
    "rules, add one, or remove the queue.",
)
RULE_WITHOUT_FLAVOR = Code(
    "LNT005",
    Severity.WARNING,
    "Rule whose workloads no flavor accepts",
    "The selectors of the rule and of its queue's flavors exclude each other, so the workloads "
    "that it matches are rejected. Change the rule, its queue, or the selectors of the flavors.",
)
FLAVOR_NEVER_TRIED = Code(
    "LNT006",
    Severity.WARNING,
    "Flavor that is never tried",
    "Flavors are tried in order, and an earlier one has no limit and accepts every workload that "
    "this one would. Put this flavor first, or give the other a quota.",
)
UNLIMITED_QUOTA = Code(
    "LNT007",
    Severity.INFO,
    "Unlimited because no quota is set",
    "A missing quota is not 0: there is no limit. Set a number if this is not intended.",
)
BLOCKED_BY_ZERO = Code(
    "LNT008",
    Severity.INFO,
    "Blocked by a quota of 0",
    "A quota of 0 admits nothing unless quota can be borrowed, and none can be borrowed here in "
    "any flavor of the queue. Workloads that request the resource wait forever.",
)
LENDER_STARVED = Code(
    "LNT009",
    Severity.INFO,
    "Lenders that cannot reclaim",
    "Lent quota returns only when the borrowing workload ends, unless the lender may reclaim it "
    "by preemption or a lending limit keeps it.",
)
QUOTA_BELOW_USAGE = Code(
    "LNT010",
    Severity.WARNING,
    "Quota below current usage",
    "A smaller quota does not stop running workloads: they continue, and no other workload starts "
    "until enough of them have ended. Raise the quota, or accept the wait.",
    is_live=True,
)
REMOVED_WITH_WORK = Code(
    "LNT011",
    Severity.WARNING,
    "Removed queue that still has workloads",
    "Running workloads of a removed queue continue under its name until they end; pending "
    "workloads are routed again, and rejected where no rule matches. Keep the queue until it is "
    "empty, or accept it.",
    is_live=True,
)
LOOKS_RENAMED = Code(
    "LNT012",
    Severity.WARNING,
    "Removed queue that looks renamed",
    "A queue is identified by its name: a renamed queue is another queue and starts empty. Usage "
    "and statistics stay with the old name; a hold is carried over to the new one. Keep the old "
    "name if no new queue is intended.",
    is_live=True,
)
NEVER_FITS = Code(
    "LNT013",
    Severity.WARNING,
    "Recorded request that can never fit",
    "Workloads like some of the last 30 days would wait here forever: they request more than the "
    "queue can have in any flavor that accepts them, even when nothing else runs. Raise a quota "
    "or a borrowing limit, or route such workloads to another queue.",
    is_live=True,
)
KEY_NEVER_SEEN = Code(
    "LNT014",
    Severity.WARNING,
    "Label that no workload had",
    "No workload of the last 30 days had a label of this name. Correct its spelling, or ignore "
    "this if it is new.",
    is_live=True,
)
VALUE_NEVER_SEEN = Code(
    "LNT015",
    Severity.INFO,
    "Value that no label had",
    "The label was there in the last 30 days, and never with this value. Correct its spelling, or "
    "ignore this if it is new.",
    is_live=True,
)
RECORDED_WITHOUT_FLAVOR = Code(
    "LNT016",
    Severity.WARNING,
    "Recorded workloads that no flavor accepts",
    "Workloads like some of the last 30 days reach this queue and never start there: no flavor of "
    "the resources that they request accepts their labels or node requirements. Add a flavor, "
    "widen a selector, or route them to another queue.",
    is_live=True,
)
CLUSTER_KEY_UNKNOWN = Code(
    "LNT017",
    Severity.WARNING,
    "Label that no cluster has",
    "No cluster that the config declares or that reports has a label of this name. Correct its "
    "spelling, or ignore this if clusters will get it.",
    is_live=True,
)
CLUSTER_VALUE_UNKNOWN = Code(
    "LNT018",
    Severity.WARNING,
    "Value that no cluster's label has",
    "Clusters have the label, and none of them has this value. Correct its spelling, or ignore "
    "this if a cluster will get it.",
    is_live=True,
)
MATCHES_NO_CLUSTER = Code(
    "LNT019",
    Severity.WARNING,
    "Filter or preference that no cluster satisfies",
    "No cluster that the config declares or that reports has labels that satisfy all conditions. "
    "Workloads wait if no other filter leaves a cluster; a preference has no effect. Correct its "
    "conditions, or the labels of clusters.",
    is_live=True,
)
WEIGHT_WITHOUT_EFFECT = Code(
    "LNT020",
    Severity.INFO,
    "Weight without effect",
    "The preference puts no cluster before another: all clusters that remain satisfy it, or those "
    "that do already have a weight at least as large. Narrow it, change its weight, or remove it.",
    is_live=True,
)
CLUSTER_NEVER_REPORTED = Code(
    "LNT021",
    Severity.INFO,
    "Declared cluster that does not report",
    "The config declares the cluster, and none of this name has reported. No workload is placed "
    "there until its agent does. Correct the name, or start the agent.",
    is_live=True,
)
CLUSTER_NOT_DECLARED = Code(
    "LNT022",
    Severity.INFO,
    "Clusters that the config does not declare",
    "The clusters report, and workloads are placed there, with the labels that they report alone. "
    "Declare them if the config should set their labels or their order.",
    is_live=True,
)
POLICY_CLUSTER_UNKNOWN = Code(
    "LNT023",
    Severity.WARNING,
    "Filter policy that names an unknown cluster",
    "No cluster of this name is declared or reports, so the name has no effect. Correct its "
    "spelling, or remove it.",
    is_live=True,
)
QUEUE_WITH_CHILDREN = Code(
    "LNT024",
    Severity.WARNING,
    "Workloads in a queue with child queues",
    "Only queues without children run workloads, so workloads that name this queue wait forever. "
    "Have them name one of its children.",
    is_live=True,
)
NO_SUBMITTERS = Code(
    "LNT025",
    Severity.WARNING,
    "Queue to which no user may submit",
    "Access comes from the queue and from those above it, and none of them names a user or group. "
    "Give access to the queue, or to one above it.",
)
LIMIT_WITHOUT_EFFECT = Code(
    "LNT026",
    Severity.INFO,
    "Limit of users or groups without effect",
    "The limit allows as much as the queue, or one above it, may use altogether. Lower it, or "
    "remove it.",
)
QUEUE_BECOMES_PARENT = Code(
    "LNT027",
    Severity.WARNING,
    "Queue for queues below it that has workloads",
    "A queue with queues below it takes no workloads. Running ones stay until they end; pending "
    "ones are routed again, and rejected where no rule matches. Keep the queue as it was until it "
    "is empty, or accept it.",
    is_live=True,
)

LINT_CODES = declared(globals())
