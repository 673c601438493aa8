"""The JSON Schema of ClusterQueues and Cohorts, by version."""

from __future__ import annotations

from typing import Any, Final

from console.dialects.kueue.json_schema_parts import (
    INT32,
    LABEL_NAME,
    LABELS,
    NAME,
    QUANTITY,
    RESOURCE,
    TEXT,
    enumeration,
    items,
    mapping,
)
from console.dialects.kueue.limits import MOST_GROUPS, MOST_ITEMS
from console.dialects.kueue.words import (
    AdmissionMode,
    BorrowPolicy,
    FlavorPreference,
    FlavorSearch,
    MigrationMode,
    OldBorrow,
    OldPreempt,
    QueueingStrategy,
    Reclaim,
    SelectorOperator,
    Stop,
    WithinQueue,
)

STOP: Final = enumeration(
    ("Hold admits nothing; HoldAndDrain also preempts running workloads."), Stop, ("None")
)
_PARENT: Final = NAME | {
    "type": ["string", "null"],
    "x-refers-to": "cohort",
    "x-implied": True,
}
SHARING: Final = mapping(
    "The share under fair sharing.",
    {"weight": QUANTITY | {"description": "Weight relative to siblings; default 1."}},
)


def cohort_fields(version: str) -> dict[str, Any]:
    """Return the schemas of a Cohort's fields other than the header."""
    parent = "parent" if version == "v1alpha1" else "parentName"
    spec = mapping(
        "A cohort of queues and cohorts.",
        {
            parent: _PARENT | {"description": "The cohort above; absent for a root."},
            "resourceGroups": _groups("cohort"),
            "fairSharing": SHARING,
        },
    )
    return {"spec": spec, "status": {}}


def queue_fields(version: str) -> dict[str, Any]:
    """Return the schemas of a ClusterQueue's fields other than the header."""
    is_old = version == "v1beta1"
    fungibility = mapping(
        "When the queue tries its next flavor.",
        {
            "whenCanBorrow": enumeration(
                "When the workload fits by borrowing.",
                OldBorrow if is_old else FlavorSearch,
                "MayStopSearch",
            ),
            "whenCanPreempt": enumeration(
                "When the workload fits by preemption.",
                OldPreempt if is_old else FlavorSearch,
                "TryNextFlavor",
            ),
            "preference": enumeration(
                "Whether borrowing or preemption is preferred.", FlavorPreference
            ),
        },
    )
    expression = mapping(
        "A requirement on one label.",
        {
            "key": LABEL_NAME,
            "operator": enumeration("How the label is compared.", SelectorOperator),
            "values": items({"type": "string"}, "Values for In and NotIn."),
        },
        ("key", "operator"),
    )
    selector = mapping(
        "Namespaces that are admitted: {} is all, absent is none.",
        {"matchLabels": LABELS, "matchExpressions": items(expression, "All must hold.")},
    )
    check = mapping("A check.", {"name": TEXT, "onFlavors": items(TEXT, "Absent: all.")}, ("name",))
    cohort = _PARENT | {"description": "Queues of one cohort share unused quota."}
    bounds: dict[str, int] = {} if is_old else {"least": 1, "most": MOST_ITEMS}
    checks = items(check, "Checks.", **bounds)
    own = (
        {"cohort": cohort, "admissionChecks": items(TEXT, "Read, but not supported.")}
        if is_old
        else {"cohortName": cohort, "concurrentAdmissionPolicy": _concurrent_admission()}
    )
    spec = mapping(
        "A queue and its quota.",
        {
            "resourceGroups": _groups("queue"),
            "queueingStrategy": enumeration(
                "Whether a workload that does not fit blocks those behind it.",
                QueueingStrategy,
                "BestEffortFIFO",
            ),
            "namespaceSelector": selector,
            "flavorFungibility": fungibility,
            "preemption": _preemption(),
            "stopPolicy": STOP,
            "fairSharing": SHARING,
            "admissionScope": mapping(
                "Read, but not supported.",
                {"admissionMode": enumeration("Mode.", AdmissionMode)},
                ("admissionMode",),
            ),
            "admissionChecksStrategy": mapping(
                "Read, but not supported.",
                {"admissionChecks": checks},
                () if is_old else ("admissionChecks",),
            ),
            **own,
        },
    )
    return {"spec": spec, "status": {}}


def _concurrent_admission() -> dict[str, Any]:
    constraints = mapping(
        "Limits of the migration.",
        {"lastAcceptableFlavorName": NAME | {"x-refers-to": "flavor", "type": ["string", "null"]}},
    )
    migration = mapping(
        "What happens to an admitted workload.",
        {
            "mode": enumeration("Whether it moves to a better flavor.", MigrationMode),
            "constraints": constraints,
        },
        ("mode",),
    )
    return mapping("Read, but not supported.", {"migration": migration})


def _preemption() -> dict[str, Any]:
    borrow = mapping(
        "Preempt workloads of the cohort in order to borrow.",
        {
            "policy": enumeration("Needs reclaimWithinCohort.", BorrowPolicy, "Never"),
            "maxPriorityThreshold": INT32
            | {"description": "The highest priority that may be preempted."},
        },
    )
    return mapping(
        "When the queue may preempt running workloads.",
        {
            "withinClusterQueue": enumeration("Of this queue.", WithinQueue, "Never"),
            "reclaimWithinCohort": enumeration(
                "Of the cohort, where they borrow this queue's quota.", Reclaim, "Never"
            ),
            "borrowWithinCohort": borrow,
        },
    )


def _groups(own: str) -> dict[str, Any]:
    resource = mapping(
        "Quota of one resource.",
        {
            "name": RESOURCE,
            "nominalQuota": QUANTITY | {"description": f"Quota that the {own} owns; 0 blocks."},
            "borrowingLimit": QUANTITY
            | {"description": "How much may be borrowed; absent is unlimited."},
            "lendingLimit": QUANTITY
            | {"description": "How much may be lent; absent is unlimited."},
        },
        ("name", "nominalQuota"),
    )
    flavor = mapping(
        "A flavor and its quota.",
        {
            "name": NAME | {"description": "A ResourceFlavor.", "x-refers-to": "flavor"},
            "resources": items(
                resource, "In the order of coveredResources.", least=1, most=MOST_ITEMS
            ),
        },
        ("name", "resources"),
    )
    group = mapping(
        "Resources that get the same flavor.",
        {
            "coveredResources": items(RESOURCE, "The resources.", least=1, most=MOST_ITEMS),
            "flavors": items(flavor, "In the order they are tried.", least=1, most=MOST_ITEMS),
        },
        ("coveredResources", "flavors"),
    )
    return items(group, f"Quota of the {own}.", most=MOST_GROUPS)
