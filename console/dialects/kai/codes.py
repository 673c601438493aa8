"""The diagnostic codes of the KAI dialect."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

UNKNOWN_KIND = Code(
    "KAI001",
    Severity.ERROR,
    "Unknown kind",
    "A config has objects of the kinds Queue, PriorityClass, Node and SchedulingShard. Correct the "
    "kind, or remove the object.",
)
UNKNOWN_VERSION = Code(
    "KAI002",
    Severity.ERROR,
    "apiVersion that is not read",
    "Each kind is read in one version: Queue of scheduling.run.ai/v2, PriorityClass of "
    "scheduling.k8s.io/v1, Node of v1, SchedulingShard of kai.scheduler/v1.",
)
WORKLOAD_IN_CONFIG = Code(
    "KAI003",
    Severity.ERROR,
    "Workload in a config",
    "A config describes queues. Remove the Pod, Job or PodGroup from the config, and submit it as "
    "a workload.",
)
DUPLICATE_OBJECT = Code(
    "KAI004",
    Severity.ERROR,
    "Duplicate object",
    "Kind and name identify an object, and a config has at most one SchedulingShard. Remove one of "
    "the two, or rename it.",
)
BAD_BOUND = Code(
    "KAI005",
    Severity.ERROR,
    "Negative number other than -1",
    "-1 stands for unlimited. KAI accepts other negative numbers and computes with them. Write -1, "
    "0 or a positive number.",
)
UNIT = Code(
    "KAI006",
    Severity.ERROR,
    "Quantity with a unit",
    "Quotas and limits are numbers without a unit: cpu in thousandths of a core, memory in MB of "
    "1,000,000 bytes, gpu in devices.",
)
FRACTION_OF_MILLICORE = Code(
    "KAI007",
    Severity.ERROR,
    "Fraction of a thousandth of a core",
    "CPU is counted in whole thousandths of a core. Write a whole number.",
)
PARENT_CYCLE = Code(
    "KAI008",
    Severity.ERROR,
    "Queue above itself",
    "A queue that is its own parent, directly or through others, belongs to no tree; in KAI, one "
    "job in it stops the scheduler. Remove parentQueue from one of the queues.",
)
NO_RESOURCES = Code(
    "KAI009",
    Severity.ERROR,
    "No resources",
    "KAI refuses a Queue without spec.resources. Add the quotas and limits of cpu, memory and gpu.",
)
BAD_DURATION = Code(
    "KAI010",
    Severity.ERROR,
    "Not a duration",
    "Durations have the form of Go: numbers with the units h, m, s, ms, us and ns, such as 30m or "
    "1h30m. They are not negative.",
)
BAD_TIME = Code(
    "KAI011",
    Severity.ERROR,
    "Not a time",
    "creationTimestamp is a time in UTC as Kubernetes prints it: 2026-01-31T09:30:00Z.",
)
BAD_QUANTITY = Code(
    "KAI012",
    Severity.ERROR,
    "Not a quantity",
    "What a node offers and a pod requests are quantities of Kubernetes, 0 or more: 64, 500m, "
    "256Gi.",
)
REPEATED_DEFAULT = Code(
    "KAI013",
    Severity.ERROR,
    "Several default priority classes",
    "At most one PriorityClass has globalDefault: true.",
)

PARENT_MISSING = Code(
    "KAI040",
    Severity.WARNING,
    "Parent that the config does not have",
    "KAI ignores a queue whose parent does not exist, and all queues below it: their workloads "
    "wait. Correct parentQueue, or add the parent.",
)
NOTHING_MAY_USE = Code(
    "KAI041",
    Severity.WARNING,
    "Quota without a limit",
    "An absent limit means 0, and a limit includes the quota: no workload that requests the "
    "resource can start. Write limit: -1 for no limit.",
)
RESOURCE_MISSING = Code(
    "KAI042",
    Severity.WARNING,
    "Resource without quota and limit",
    "Quota and limit of an absent resource are 0, so no workload that requests it can start. Add "
    "the resource with a limit, or with limit: 0 if this is intended.",
)
WEIGHT_MISSING = Code(
    "KAI043",
    Severity.WARNING,
    "No weight beyond the quota",
    "An absent overQuotaWeight means 0: the fair share of the queue ends at its quota, so that "
    "everything above may be reclaimed at any time. Write the weight, or 0 if this is intended.",
)
QUOTA_OVER_LIMIT = Code(
    "KAI044",
    Severity.WARNING,
    "Quota above the limit",
    "A limit includes the quota, so the part of the quota above it can never be used.",
)
CHILDREN_OVER_PARENT = Code(
    "KAI045",
    Severity.WARNING,
    "Quotas of children above that of their parent",
    "The children cannot all have their quotas at the same time, unless the parent gets more than "
    "its own.",
)
SMALL_CPU = Code(
    "KAI046",
    Severity.WARNING,
    "CPU that is probably meant as cores",
    "cpu is in thousandths of a core: 1000 is one core.",
)
MEMORY_UNIT = Code(
    "KAI047",
    Severity.WARNING,
    "Memory that is probably meant in another unit",
    "memory is in MB of 1,000,000 bytes: 4096 is 4,096,000,000 bytes, which is less than 4Gi.",
)
NOT_READ = Code(
    "KAI048",
    Severity.INFO,
    "Object that is not read",
    "The object does not affect when workloads run. It may stay.",
)
NO_EFFECT = Code(
    "KAI049",
    Severity.INFO,
    "Setting that has no effect here",
    "The setting is part of KAI, and decisions here do not depend on it. It may stay.",
)
NOT_IN_KAI = Code(
    "KAI050",
    Severity.WARNING,
    "Argument that KAI does not know",
    "KAI's documentation calls the saturation multiplier reclaimerUtilizationMultiplier, and its "
    "code reads relcaimerSaturationMultiplier only. Here both have effect.",
)
NODE_OFFERS_NOTHING = Code(
    "KAI051",
    Severity.WARNING,
    "Node that offers nothing",
    "status.allocatable states what pods may use of a node; without it no pod fits.",
)

KAI_CODES = declared(globals())
