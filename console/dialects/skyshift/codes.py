"""The diagnostic codes of the SkyShift dialect."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

UNKNOWN_KIND = Code(
    "SKY001",
    Severity.ERROR,
    "Unknown kind",
    "A config has objects of the kinds Cluster, Scheduler, PlacementTemplate and FilterPolicy. "
    "Correct the kind, or remove the object.",
)
JOB_IN_CONFIG = Code(
    "SKY002",
    Severity.ERROR,
    "Job in a config",
    "A config describes clusters and how the scheduler places workloads. Remove the Job from the "
    "config, and submit it as a workload.",
)
DUPLICATE_OBJECT = Code(
    "SKY003",
    Severity.ERROR,
    "Duplicate object",
    "Kind and name identify an object, and a config has at most one Scheduler. Remove one of the "
    "two, or rename it.",
)
BAD_NAME = Code(
    "SKY004",
    Severity.ERROR,
    "Not a name",
    "Objects, filters and preferences are named by lower-case letters, digits and -, up to 63 "
    "characters, beginning and ending with a letter or a digit.",
)
NO_CONDITION = Code(
    "SKY005",
    Severity.ERROR,
    "Filter or preference without a condition",
    "A filter or preference needs match_labels or match_expressions that are not empty. Add a "
    "condition, or remove it.",
)
BAD_WEIGHT = Code(
    "SKY006",
    Severity.ERROR,
    "Weight out of range",
    "Weights of preferences and plugins are whole numbers from 1 to 100.",
)
UNKNOWN_PLUGIN = Code(
    "SKY007",
    Severity.ERROR,
    "Unknown plugin",
    "No plugin of Sluice or of an installed package has this name, or the plugin cannot be loaded. "
    "Correct the name, have the package installed, or remove the plugin.",
)
DEFAULT_NOT_FIRST = Code(
    "SKY008",
    Severity.ERROR,
    "DefaultPlugin is not the first plugin",
    "Only the first plugin is asked to spread the replicas of a workload over clusters, and of the "
    "standard plugins only DefaultPlugin can. With another first plugin that does not spread, no "
    "workload would be placed.",
)
NOT_A_JOB = Code(
    "SKY009",
    Severity.ERROR,
    "Not a Job",
    "A workload is described by an object of the kind Job. Other objects belong to the config.",
)
BAD_SIZE = Code(
    "SKY010",
    Severity.ERROR,
    "Not a size",
    "memory and disk are numbers of megabytes, or texts of a number and one of the units B, K, M, "
    "G, T, P and E directly behind it: 512, 512M, 1.5G.",
)
GPUS_AND_MODEL = Code(
    "SKY011",
    Severity.ERROR,
    "gpus together with an accelerator model",
    "A replica requests accelerators of any model as gpus, or accelerators of one model by its "
    "name. Remove one of the two.",
)
UNKNOWN_RESOURCE = Code(
    "SKY012",
    Severity.ERROR,
    "Not a resource of SkyShift",
    "The resources are cpus, memory, disk, gpus, and the names of accelerator models. SkyShift "
    "takes any other name for an accelerator that no node has.",
)
NO_REPLICAS = Code(
    "SKY013",
    Severity.ERROR,
    "No replicas",
    "A Job has at least 1 replica. Omit replicas for 1.",
)
UNKNOWN_TEMPLATE = Code(
    "SKY014",
    Severity.ERROR,
    "Template that the config does not have",
    "A Job refers to a PlacementTemplate of the active config. Correct the name, or apply a config "
    "that has the template.",
)

SERVER_FIELDS = Code(
    "SKY040",
    Severity.INFO,
    "Fields that the server sets",
    "status, creation_timestamp and resource_version are part of what SkyShift prints. They are "
    "not read, and may stay.",
)
NOT_READ = Code(
    "SKY041",
    Severity.INFO,
    "Object that is not read",
    "The object does not affect the placement of workloads. It may stay.",
)
NOT_USED = Code(
    "SKY042",
    Severity.INFO,
    "Fields that have no effect",
    "The fields tell SkyShift how to create a cluster or how to run a job. They do not affect the "
    "placement of workloads, and may stay.",
)
SANITIZED_NAME = Code(
    "SKY043",
    Severity.WARNING,
    "Cluster name that SkyShift changes",
    "SkyShift replaces the characters space, /, @ and _ in names of clusters. The resulting name "
    "is used, and is the one that clusters report. Write it.",
)
NEVER_MATCHES = Code(
    "SKY044",
    Severity.WARNING,
    "Expression that no cluster satisfies",
    "In without values is false for every cluster. Add values, or remove the expression.",
)
ALWAYS_MATCHES = Code(
    "SKY045",
    Severity.WARNING,
    "Expression that every cluster satisfies",
    "NotIn without values is true for every cluster. Add values, or remove the expression.",
)
NO_EFFECT_OF_WEIGHT = Code(
    "SKY046",
    Severity.WARNING,
    "Preference without effect",
    "1 is the weight of clusters that satisfy no preference, and the default. Give the preference "
    "a weight from 2 to 100.",
)
POLICY_NOT_USED = Code(
    "SKY047",
    Severity.INFO,
    "Filter policy that is not used",
    "Filter policies apply only if the Scheduler lists the plugin ClusterAffinityPlugin, which the "
    "standard plugins do not include.",
)
POLICY_FOR_NO_WORKLOAD = Code(
    "SKY048",
    Severity.WARNING,
    "Filter policy that applies to no workload",
    "A filter policy applies to workloads that have all labels of labels_selector; without any it "
    "applies to none. Add labels, or remove the policy.",
)
POLICY_WITHOUT_CLUSTERS = Code(
    "SKY049",
    Severity.WARNING,
    "Filter policy that leaves no cluster",
    "Only clusters in include remain for the workloads of a filter policy. Add the clusters that "
    "they may use.",
)
UNKNOWN_CLUSTER = Code(
    "SKY050",
    Severity.WARNING,
    "Cluster that the config does not have",
    "A filter policy names clusters exactly. A name that resembles the name of a Cluster of the "
    "config is probably misspelled.",
)
SIZE_WITHOUT_UNIT = Code(
    "SKY051",
    Severity.WARNING,
    "Size in quotes without a unit",
    "SkyShift takes a number without quotes for megabytes, and a text without a unit for "
    "gigabytes. Write the unit.",
)
MODEL_SPELLING = Code(
    "SKY052",
    Severity.WARNING,
    "Accelerator model in another spelling",
    "Names of accelerator models are compared exactly, so a request in another spelling fits no "
    "node. Use the spelling that nodes report.",
)
IGNORED_FIELD = Code(
    "SKY053",
    Severity.WARNING,
    "Field that a Job does not have",
    "SkyShift ignores unknown fields of a Job outside its placement. Correct the name, or remove "
    "the field.",
)
REST_OF_SIZE = Code(
    "SKY054",
    Severity.WARNING,
    "Size with characters that are not read",
    "SkyShift reads a number and one letter behind it, and ignores the rest of the text. Write the "
    "size that is meant.",
)

SKYSHIFT_CODES = declared(globals())
