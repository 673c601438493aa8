"""The diagnostic codes of manifests: PodGroups with their Pods, Jobs and Pods."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

NOT_A_WORKLOAD = Code(
    "KAI060",
    Severity.ERROR,
    "Not a workload",
    "A manifest has a Job, a Pod, or a PodGroup with its Pods. Remove other objects; queues, "
    "priority classes and nodes belong to the config.",
)
SEVERAL_WORKLOADS = Code(
    "KAI061",
    Severity.ERROR,
    "Several workloads",
    "A manifest describes one workload. Submit each Job by itself, and add a PodGroup to Pods that "
    "start together.",
)
NOT_SUPPORTED = Code(
    "KAI062",
    Severity.ERROR,
    "Request that is not supported",
    "Slices of devices (MIG), device claims, topology constraints and affinity between pods are "
    "not supported. Remove the field, or request GPUs, parts of GPUs or node labels instead.",
)
BAD_GPU_SHARE = Code(
    "KAI063",
    Severity.ERROR,
    "Invalid share of a GPU",
    "gpu-fraction is a number above 0 and below 1 with at most three decimals, gpu-memory is a "
    "whole number of MiB, and gpu-fraction-num-devices is a whole number. State either "
    "gpu-fraction, gpu-memory or whole GPUs.",
)
BAD_MINIMUM = Code(
    "KAI064",
    Severity.ERROR,
    "Minimum that cannot be met",
    "The minimum is at least 1 and at most the number of pods of the group. If it is below that "
    "number, all pods of the group request the same.",
)
SUBGROUP_OF_POD = Code(
    "KAI065",
    Severity.ERROR,
    "Subgroups and Pods that do not match",
    "Every Pod of a PodGroup with subgroups names one of them in the label "
    "kai.scheduler/subgroup-name. Every subgroup has its own name, and has Pods unless it has "
    "children.",
)

JOB_CODES = declared(globals())
