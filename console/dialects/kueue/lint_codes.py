"""Codes of the Kueue dialect for probable mistakes, and for settings without effect."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

SERVER_FIELDS = Code(
    "KUE040",
    Severity.INFO,
    "Fields that the server sets",
    "status, managedFields, uid and similar fields are part of what kubectl prints. They are not "
    "read, and may stay.",
)
NOT_READ = Code(
    "KUE041",
    Severity.INFO,
    "Object that is not read",
    "The object does not affect admission here. It may stay.",
)
NOT_ACTED_ON = Code(
    "KUE042",
    Severity.WARNING,
    "Setting that is not supported",
    "This setting changes what Kueue admits, and is not supported here: the message says what "
    "happens instead, and so does the explanation of each affected workload. The setting may "
    "stay. The Kueue reference lists all such settings and the behavior of each feature gate.",
)
SETTINGS_NOT_USED = Code(
    "KUE043",
    Severity.INFO,
    "Settings that are not used",
    "Of Kueue's Configuration only fairSharing and resources.quotaCheckStrategy are used. A "
    "feature gate that is not used does not affect admission here.",
)
NO_NAMESPACE = Code(
    "KUE044",
    Severity.WARNING,
    "LocalQueue without a namespace",
    "The namespace default is assumed, as kubectl does. Add metadata.namespace.",
)
UNKNOWN_QUEUE = Code(
    "KUE050",
    Severity.WARNING,
    "LocalQueue without a ClusterQueue",
    "Workloads that name the LocalQueue wait until its ClusterQueue exists. Correct the name or "
    "add the ClusterQueue.",
)
NO_LOCAL_QUEUE = Code(
    "KUE051",
    Severity.WARNING,
    "ClusterQueue without a LocalQueue",
    "Workloads reach a ClusterQueue only through a LocalQueue of their namespace. Add one, or "
    "remove the ClusterQueue.",
)
NO_NAMESPACES = Code(
    "KUE052",
    Severity.WARNING,
    "Queue that admits no namespace",
    "Without namespaceSelector a ClusterQueue matches no namespace. Write {} to match all.",
)
NAMESPACE_NOT_SELECTED = Code(
    "KUE053",
    Severity.WARNING,
    "Namespace that the queue does not select",
    "The LocalQueue's namespace does not match the namespaceSelector of its ClusterQueue, so its "
    "workloads wait forever. Correct the labels or the selector.",
)
FLAVOR_UNUSED = Code(
    "KUE054",
    Severity.WARNING,
    "No queue uses the flavor",
    "A flavor has an effect only if a queue or cohort has quota in it. Add it, or remove it.",
)
SAME_NODES = Code(
    "KUE055",
    Severity.WARNING,
    "Two flavors for the same nodes",
    "Flavors with equal nodeLabels and nodeTaints select the same nodes. Where both have quota of "
    "one resource, the nodes are counted twice. Give the flavors different labels, or keep one.",
)
NOTHING_TO_USE = Code(
    "KUE056",
    Severity.WARNING,
    "Quota that can never be used",
    "The queue owns none of the resource in this flavor and can borrow none, so it never admits "
    "a workload there. Raise nominalQuota or the limits of those that should lend.",
)
NO_QUOTA_TO_BORROW = Code(
    "KUE057",
    Severity.WARNING,
    "No quota to borrow",
    "The queue relies on borrowing, but no other queue or cohort of its tree has quota of the "
    "resource in this flavor. Use another flavor, or set a nominal quota.",
)
COHORT_OF_ONE = Code(
    "KUE058",
    Severity.WARNING,
    "Cohort with one queue",
    "A queue that is alone in its cohort cannot borrow or lend. Add queues, or remove the cohort.",
)
COHORT_EMPTY = Code(
    "KUE059",
    Severity.WARNING,
    "Cohort without queues",
    "No ClusterQueue is in the cohort or below it. Name it in cohortName, or remove it.",
)
COHORT_MISSPELLED = Code(
    "KUE060",
    Severity.WARNING,
    "Cohort that may be misspelled",
    "A cohort exists as soon as it is named. This name is used once, has no Cohort object and is "
    "similar to another one.",
)
COHORT_SHARES_NOTHING = Code(
    "KUE061",
    Severity.WARNING,
    "Cohort that shares no quota",
    "Every queue of the cohort has a borrowingLimit of 0, or every one a lendingLimit of 0, for "
    "all resources, so no quota is ever shared. Raise some limits, or remove the cohort.",
)
CANNOT_RECLAIM = Code(
    "KUE062",
    Severity.INFO,
    "Lenders that cannot reclaim",
    "Lent quota returns only when the borrowing workload ends, unless reclaimWithinCohort allows "
    "the lender to reclaim it or a lendingLimit keeps it.",
)
NEVER_FIRES = Code(
    "KUE063",
    Severity.WARNING,
    "Cohort preemption without a cohort",
    "reclaimWithinCohort and borrowWithinCohort have no effect on a queue without a cohort.",
)
IGNORED_UNDER_FAIR_SHARING = Code(
    "KUE064",
    Severity.WARNING,
    "borrowWithinCohort under fair sharing",
    "With fair sharing the shares decide who may be preempted; borrowWithinCohort is ignored.",
)
THRESHOLD_BELOW_ALL = Code(
    "KUE065",
    Severity.WARNING,
    "Threshold below every priority",
    "maxPriorityThreshold is the highest priority that may be preempted in order to borrow. No "
    "priority class is that low, and a workload without one has 0.",
)
ONE_PRIORITY = Code(
    "KUE066",
    Severity.WARNING,
    "Preemption by priority with one priority",
    "LowerPriority preempts workloads of lower priority, but every WorkloadPriorityClass has the "
    "same value. Add a class, or use another policy.",
)
WEIGHT_WITHOUT_FAIR_SHARING = Code(
    "KUE067",
    Severity.WARNING,
    "Weight without fair sharing",
    "Weights apply only under fair sharing, which Kueue's Configuration turns on. Add the "
    "Configuration with fairSharing, or remove the weight.",
)
WEIGHT_ZERO = Code(
    "KUE068",
    Severity.WARNING,
    "Weight of zero",
    "With a weight of 0, any borrowing counts as the largest share: the queue is the last to "
    "borrow and the first to be preempted. Set a small weight if this is not intended.",
)
STRICT_FIFO_BLOCKS = Code(
    "KUE069",
    Severity.INFO,
    "Strict order blocks other flavors",
    "Under StrictFIFO the first workload that does not fit blocks all behind it, including those "
    "that need other flavors. Use BestEffortFIFO, or a queue per flavor, if this is not intended.",
)
STOPPED = Code(
    "KUE070",
    Severity.INFO,
    "Stopped by its config",
    "Nothing is admitted while stopPolicy is Hold or HoldAndDrain; HoldAndDrain also preempts "
    "running workloads.",
)
NO_GROUPS = Code(
    "KUE071",
    Severity.WARNING,
    "Queue without quota",
    "A ClusterQueue without resourceGroups admits only workloads that request nothing.",
)

LENDING_STARVES = Code(
    "KUE072",
    # A larger quota of another queue is no mistake, so that an apply needs no acceptance of this.
    Severity.INFO,
    "Lending limits below the largest workloads",
    "The cohort owns enough for a workload that fills its largest queue, and because of lending "
    "limits this queue can never have that much: such a workload waits here forever. Raise the "
    "lending limits of others, or route such workloads to the queue that owns it.",
)
UNKNOWN_SETTING = Code(
    "KUE080",
    Severity.WARNING,
    "Unknown setting",
    "No release up to 0.20 of Kueue has the field at this place, and Kueue does not start with a "
    "field that it does not know. Correct its spelling; a newer release may have it.",
)
FAIR_SHARING_NOT_ENABLED = Code(
    "KUE081",
    Severity.WARNING,
    "Fair sharing that is not enabled",
    "In v1beta1 fairSharing is off unless it says enable: true. Add that, or remove fairSharing.",
)
BEING_DELETED = Code(
    "KUE082",
    Severity.WARNING,
    "Object that is being deleted",
    "The object has a deletionTimestamp. A ClusterQueue then admits nothing new, and neither do "
    "the LocalQueues of a Namespace; running workloads continue, and quota and usage count until "
    "the object is gone. Any other object counts as before until then. Remove it once it is gone.",
)

LINTS = declared(globals())
