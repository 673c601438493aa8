"""Error codes of the Kueue dialect: what Kueue itself rejects, or cannot act on."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

UNKNOWN_KIND = Code(
    "KUE001",
    Severity.ERROR,
    "Unknown kind",
    "apiVersion and kind identify a manifest. ResourceFlavor, Cohort, ClusterQueue, LocalQueue, "
    "WorkloadPriorityClass, Namespace, Kueue's Configuration (alone or in a ConfigMap) and "
    "OpenShift's Kueue are read.",
)
UNKNOWN_VERSION = Code(
    "KUE002",
    Severity.ERROR,
    "Unknown apiVersion",
    "Kueue's objects are read in the versions kueue.x-k8s.io/v1beta1 and v1beta2, cohorts in "
    "v1alpha1 too, and its Configuration in config.kueue.x-k8s.io/v1beta1 and v1beta2.",
)
DUPLICATE_OBJECT = Code(
    "KUE003",
    Severity.ERROR,
    "Duplicate object",
    "Kind, namespace and name identify an object. Remove one of the two, or rename it.",
)
BAD_NAME = Code(
    "KUE004",
    Severity.ERROR,
    "Not a name",
    "Objects are named by lower-case letters, digits, - and ., up to 253 characters, beginning "
    "and ending with a letter or a digit; namespaces by up to 63 and without dots.",
)
BAD_LABEL = Code(
    "KUE005",
    Severity.ERROR,
    "Not the key or value of a label",
    "Keys and values of labels and taints, and names of resources, have up to 63 letters, digits,"
    " -, _ and ., beginning and ending with a letter or digit. A key may have a DNS name and a "
    "slash in front.",
)
NOT_A_QUANTITY = Code(
    "KUE006",
    Severity.ERROR,
    "Not a quantity",
    "A quantity is a decimal number and one suffix: n, u, m, k, M, G, T, P, E, or Ki, Mi, Gi, Ti,"
    " Pi, Ei, or an exponent such as e3. Capital K, GB and spaces are not among them.",
)
BAD_WEIGHT = Code(
    "KUE007",
    Severity.ERROR,
    "Weight too small",
    "A weight of fair sharing is 0 or more than 1n.",
)
TOO_MANY = Code(
    "KUE008",
    Severity.ERROR,
    "More than Kueue accepts",
    "Lists are bounded: 16 resource groups; 64 covered resources, flavors and resources of a "
    "flavor; 8 labels, taints and tolerations of a flavor; in a ClusterQueue 256 flavors and 256 "
    "resources over all groups, and 512 pairs of both in a group.",
)
RESOURCES_DIFFER = Code(
    "KUE009",
    Severity.ERROR,
    "Resources are not those that the group covers",
    "Every flavor of a resource group lists each of the group's coveredResources, and no other.",
)
RESOURCES_ORDER = Code(
    "KUE010",
    Severity.ERROR,
    "Resources in another order than coveredResources",
    "Kueue compares the resources of a flavor with coveredResources place by place. Put them in"
    " the same order.",
)
COVERED_TWICE = Code(
    "KUE011",
    Severity.ERROR,
    "Resource covered twice",
    "A resource belongs to one resource group of a ClusterQueue or Cohort. Remove it from one.",
)
FLAVOR_TWICE = Code(
    "KUE012",
    Severity.ERROR,
    "Flavor used twice",
    "A flavor may appear only once in a ClusterQueue or Cohort, over all its groups. Remove one "
    "of the two.",
)
LIMIT_WITHOUT_COHORT = Code(
    "KUE013",
    Severity.ERROR,
    "Borrowing or lending limit without a cohort",
    (
        "Only a queue or cohort with a parent cohort borrows and lends. Remove the limit, or "
        "name the cohort."
    ),
)
LENDS_TOO_MUCH = Code(
    "KUE014",
    Severity.ERROR,
    "Lending limit above the nominal quota",
    "A ClusterQueue can lend at most its nominal quota. Lower lendingLimit or raise nominalQuota.",
)
BORROW_NEEDS_RECLAIM = Code(
    "KUE015",
    Severity.ERROR,
    "borrowWithinCohort without reclaimWithinCohort",
    "Preempting in order to borrow requires that the queue may reclaim its own quota. Set "
    "reclaimWithinCohort to LowerPriority or Any, or the policy to Never.",
)
PREFERENCE_NEEDS_TRY_NEXT = Code(
    "KUE016",
    Severity.ERROR,
    "Preference between flavors that are never compared",
    "Flavors are compared only if the search continues with the next flavor. Set whenCanBorrow "
    "and whenCanPreempt to TryNextFlavor, or remove preference.",
)
TAINT_TWICE = Code(
    "KUE017",
    Severity.ERROR,
    "Duplicate taint",
    "Taints of a flavor are unique by key and effect. Remove one of the two.",
)
BAD_TOLERATION = Code(
    "KUE018",
    Severity.ERROR,
    "Toleration that contradicts itself",
    "Without a key the operator is Exists; Exists takes no value; tolerationSeconds needs the "
    "effect NoExecute.",
)
TOPOLOGY_NEEDS_LABEL = Code(
    "KUE019",
    Severity.ERROR,
    "Topology on a flavor without node labels",
    "A flavor with topologyName needs at least one of nodeLabels.",
)
CHECK_UNKNOWN_FLAVOR = Code(
    "KUE020",
    Severity.ERROR,
    "Admission check on a flavor of another queue",
    "onFlavors names flavors of the same ClusterQueue. Correct the name, or omit it.",
)
BAD_CONCURRENT_ADMISSION = Code(
    "KUE021",
    Severity.ERROR,
    "Concurrent admission on a queue that cannot have it",
    "Where the feature gate ConcurrentAdmission is on, Kueue's webhook accepts "
    "concurrentAdmissionPolicy only with exactly one resource group, at most 16 flavors and a "
    "queueingStrategy other than StrictFIFO.",
)
VALUES_MISSING = Code(
    "KUE022",
    Severity.ERROR,
    "Values are missing",
    "The operators In and NotIn compare with a list of values. Add values, or use Exists or "
    "DoesNotExist.",
)
VALUES_NOT_ALLOWED = Code(
    "KUE023",
    Severity.ERROR,
    "Values are not allowed",
    "The operators Exists and DoesNotExist check only the key. Remove values, or use In or NotIn.",
)
BAD_STRATEGIES = Code(
    "KUE024",
    Severity.ERROR,
    "Strategies that Kueue does not combine",
    "preemptionStrategies is one of [LessThanOrEqualToFinalShare], [LessThanInitialShare] and "
    "[LessThanOrEqualToFinalShare, LessThanInitialShare], in this order.",
)
QUOTA_CHECK_CONFLICT = Code(
    "KUE025",
    Severity.ERROR,
    "IgnoreUndeclared together with excluded prefixes",
    "Kueue refuses quotaCheckStrategy IgnoreUndeclared together with excludeResourcePrefixes. "
    "Remove one of the two.",
)
UNKNOWN_FLAVOR = Code(
    "KUE026",
    Severity.ERROR,
    "Flavor does not exist",
    "A queue or cohort names a ResourceFlavor that is not in the text. Kueue would keep the whole"
    " queue inactive (FlavorNotFound). Correct the name or add the flavor.",
)
COHORT_CYCLE = Code(
    "KUE027",
    Severity.ERROR,
    "Cohort cycle",
    "A cohort that is its own ancestor has no root. Kueue accepts it and then admits nothing in "
    "the whole tree, without reporting it in the status of its queues. Remove one parentName.",
)
COHORTS_TOO_DEEP = Code(
    "KUE028",
    Severity.ERROR,
    "Cohorts nested too deeply",
    "Cohorts nest 32 levels at most. Flatten the tree.",
)
BARE_FRACTION = Code(
    "KUE029",
    Severity.ERROR,
    "Number without quotes that is not an integer",
    "The CRD takes an integer or a text for a quantity. kubectl sends 3.0 and 1e3 as the integers "
    "3 and 1000, and 1.5 as a number that the API server refuses. Quote it, or use a suffix: "
    "1500m.",
)
NOT_A_BOOLEAN = Code(
    "KUE030",
    Severity.ERROR,
    "Not true or false",
    "The field takes true or false, without quotes. yes, no, on and off mean that to some YAML "
    "parsers and text to others.",
)
NOT_A_DURATION = Code(
    "KUE031",
    Severity.ERROR,
    "Not a duration",
    "A duration is a text of numbers with the units h, m, s, ms, us or ns: 30s, 5m, 1h30m. A "
    "number without a unit is not a duration.",
)

ERRORS = declared(globals())
