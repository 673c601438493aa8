"""The reasons of the discipline."""

from __future__ import annotations

from typing import Final

from console.engine.model.reasons import Reason, ReasonClass, Shortage, register

STARTED: Final = register(
    Reason("fairshare_started", label="Started", reason_class=ReasonClass.RUNNING)
)
GROWN: Final = register(
    Reason("fairshare_grown", label="Further pods started", reason_class=ReasonClass.RUNNING)
)
PODS_LOST: Final = register(
    Reason("fairshare_pods_lost", label="Pods lost", reason_class=ReasonClass.RUNNING)
)
OVER_LIMIT: Final = register(
    Reason(
        "over_limit",
        label="Over the limit",
        reason_class=ReasonClass.WAITING,
        advice="Wait until workloads of the queue end, or have its limit raised.",
        shortage=Shortage.NOW,
    )
)
NON_PREEMPTIBLE_OVER_QUOTA: Final = register(
    Reason(
        "non_preemptible_over_quota",
        label="Non-preemptible over quota",
        reason_class=ReasonClass.WAITING,
        advice="Submit it as preemptible, or have the quota of the queue raised.",
        shortage=Shortage.NOW,
    )
)
NO_NODES: Final = register(
    Reason(
        "no_nodes",
        label="No nodes",
        reason_class=ReasonClass.WAITING,
        advice="Report the nodes of a cluster, or add Node objects to the config.",
        shortage=Shortage.ALWAYS,
    )
)
NO_NODE_HAS_ROOM: Final = register(
    Reason(
        "no_node_has_room",
        label="No room on a node",
        reason_class=ReasonClass.WAITING,
        advice="Wait, or request less for each pod.",
        shortage=Shortage.NOW,
    )
)
GANG_HAS_NO_ROOM: Final = register(
    Reason(
        "gang_has_no_room",
        label="No room for all pods",
        reason_class=ReasonClass.WAITING,
        advice="Wait, or lower the minimum of pods that start together.",
        shortage=Shortage.NOW,
    )
)
WAITS_FOR_STOPPING: Final = register(
    Reason(
        "waits_for_stopping",
        label="Starting soon",
        reason_class=ReasonClass.SOON,
        advice="Wait. If it lasts, the executor has not released the pods that have to stop.",
    )
)
QUEUE_HAS_CHILDREN: Final = register(
    Reason(
        "queue_has_children",
        label="Queue has child queues",
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Submit it to a queue without child queues.",
    )
)
RECLAIMED: Final = register(
    Reason("fairshare_reclaimed", label="Reclaimed", reason_class=ReasonClass.PREEMPTED)
)
PREEMPTED: Final = register(
    Reason("fairshare_preempted", label="Preempted", reason_class=ReasonClass.PREEMPTED)
)
CONSOLIDATED: Final = register(
    Reason(
        "fairshare_consolidated", label="Moved to another node", reason_class=ReasonClass.PREEMPTED
    )
)
STALE_GANG: Final = register(
    Reason("stale_gang", label="Stale gang", reason_class=ReasonClass.PREEMPTED)
)
