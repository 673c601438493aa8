"""The reasons of routing, such as no matching rule or a missing local queue."""

from __future__ import annotations

from typing import Final

from console.engine.model.reasons import Reason, ReasonClass, register

NO_RULES: Final = register(
    Reason("no_rules", label="Admitted without a queue", reason_class=ReasonClass.RUNNING)
)
NO_RULE_MATCHED: Final = register(
    Reason(
        "no_rule_matched",
        label="Accepted by no rule",
        reason_class=ReasonClass.REJECTED,
        advice="Correct the tags or the priority and submit it again, or add a rule.",
    )
)
LOCAL_QUEUE_MISSING: Final = register(
    Reason(
        "local_queue_missing",
        label="Local queue not found",
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Correct the label or the namespace and submit it again, or add the local queue.",
        is_of_workload=True,
    )
)
PRIORITY_CLASS_MISSING: Final = register(
    Reason(
        "priority_class_missing",
        label="Priority class not found",
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Correct the label and submit it again, or add the class.",
        is_of_workload=True,
    )
)
#: The reasons of pending workloads that are routed to no queue.
NOT_ROUTED: Final = frozenset({LOCAL_QUEUE_MISSING, PRIORITY_CLASS_MISSING})
NAMESPACE_NOT_ALLOWED: Final = register(
    Reason(
        "namespace_not_allowed",
        label="Namespace not allowed",
        reason_class=ReasonClass.CANNOT_RUN,
        advice=("Have the queue's namespace selector changed, or submit from another namespace."),
    )
)
