"""The diagnostic codes of manifests: Jobs and Pods."""

from __future__ import annotations

from console.dialects.codes import Code, declared
from console.dialects.diagnostics import Severity

NOT_A_WORKLOAD = Code(
    "YUN080",
    Severity.ERROR,
    "Not a workload",
    "A manifest has one Job or one Pod. Remove other objects; queues belong to the config.",
)
SEVERAL_WORKLOADS = Code(
    "YUN081",
    Severity.ERROR,
    "Several workloads",
    "A manifest describes one workload. Submit each Job and each Pod by itself.",
)
NOT_SUPPORTED = Code(
    "YUN082",
    Severity.ERROR,
    "Request that is not supported",
    "Device claims and rules about other pods are not supported. Remove the field, or request "
    "resources or node labels instead.",
)
BAD_REQUEST_QUANTITY = Code(
    "YUN083",
    Severity.ERROR,
    "Not a quantity",
    "Requests are quantities of Kubernetes, 0 or more: 64, 500m, 256Gi.",
)
BAD_TASK_GROUPS = Code(
    "YUN084",
    Severity.ERROR,
    "Task groups that cannot be read",
    "yunikorn.apache.org/task-groups is a JSON list of objects with name, minMember and "
    "minResource, and yunikorn.apache.org/task-group-name is the name of one of them.",
)
BAD_POLICY = Code(
    "YUN085",
    Severity.WARNING,
    "Scheduling parameter that is not read",
    "yunikorn.apache.org/schedulingPolicyParameters has placeholderTimeoutInSeconds=NUMBER and "
    "gangSchedulingStyle=Soft or Hard, with a space between them.",
)
USER_NOT_TRUSTED = Code(
    "YUN086",
    Severity.WARNING,
    "User in an annotation",
    "Any author can write any user into an annotation, so it is not read. The user and the groups "
    "of a workload are those of the submission.",
)
PRIORITY_CLASS_NOT_READ = Code(
    "YUN087",
    Severity.WARNING,
    "Priority class without a number",
    "The number of a priority class is not known here. State spec.priority.",
)

JOB_CODES = declared(globals())
