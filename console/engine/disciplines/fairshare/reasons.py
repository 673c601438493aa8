"""The reasons of the discipline."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.fairshare import headlines
from console.engine.disciplines.fairshare.nomination import Search
from console.engine.explain import pods_on_nodes
from console.engine.model.reasons import (
    PreemptionGrant,
    Reason,
    ReasonClass,
    Shortage,
    register,
)

STARTED: Final = register(
    Reason(
        "fairshare_started",
        label="Started",
        headline=pods_on_nodes.started,
        reason_class=ReasonClass.RUNNING,
    )
)
GROWN: Final = register(
    Reason(
        "fairshare_grown",
        label="Further pods started",
        headline=pods_on_nodes.grown,
        reason_class=ReasonClass.RUNNING,
    )
)
PODS_LOST: Final = register(
    Reason(
        "fairshare_pods_lost",
        label="Pods lost",
        headline=pods_on_nodes.pods_lost,
        reason_class=ReasonClass.RUNNING,
    )
)
OVER_LIMIT: Final = register(
    Reason(
        "over_limit",
        label="Over the limit",
        headline=headlines.over_limit,
        reason_class=ReasonClass.WAITING,
        advice="Wait until workloads of the queue end, or have its limit raised.",
        shortage=Shortage.NOW,
    )
)
NON_PREEMPTIBLE_OVER_QUOTA: Final = register(
    Reason(
        "non_preemptible_over_quota",
        label="Non-preemptible over quota",
        headline=headlines.over_quota,
        reason_class=ReasonClass.WAITING,
        advice="Submit it as preemptible, or have the quota of the queue raised.",
        shortage=Shortage.NOW,
    )
)
EXCEEDS_LIMIT: Final = register(
    Reason(
        "exceeds_queue_limit",
        label="Exceeds a limit",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have the limit raised: every new version is tried again.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_QUOTA: Final = register(
    Reason(
        "exceeds_quota",
        label="Non-preemptible, exceeds a quota",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Submit it as preemptible, request less, or have the quota raised.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_NODES: Final = register(
    Reason(
        "exceeds_nodes",
        label="Exceeds the nodes",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have nodes added: it is tried again with every new node.",
        shortage=Shortage.ALWAYS,
    )
)
NO_NODE_MATCHES: Final = register(
    Reason(
        "no_node_matches",
        label="No node matches",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Change the node selectors, affinity or tolerations of its pods, or add a node.",
    )
)
NO_NODES: Final = register(
    Reason(
        "no_nodes",
        label="No nodes",
        headline="Waiting in {queue}: there are no nodes that accept pods.",
        reason_class=ReasonClass.WAITING,
        advice="Report the nodes of a cluster, or add Node objects to the config.",
        shortage=Shortage.ALWAYS,
    )
)
NO_NODE_HAS_ROOM: Final = register(
    Reason(
        "no_node_has_room",
        label="No room on a node",
        headline=headlines.no_node,
        reason_class=ReasonClass.WAITING,
        advice="Wait, or request less for each pod.",
        shortage=Shortage.NOW,
    )
)
GANG_HAS_NO_ROOM: Final = register(
    Reason(
        "gang_has_no_room",
        label="No room for all pods",
        headline=headlines.no_room_for_gang,
        reason_class=ReasonClass.WAITING,
        advice="Wait, or lower the minimum of pods that start together.",
        shortage=Shortage.NOW,
    )
)
WAITS_FOR_STOPPING: Final = register(
    Reason(
        "waits_for_stopping",
        label="Starting soon",
        headline=pods_on_nodes.waits_for_stopping,
        reason_class=ReasonClass.SOON,
        advice="Wait. If it lasts, the executor has not released the pods that have to stop.",
    )
)
QUEUE_HAS_CHILDREN: Final = register(
    Reason(
        "queue_has_children",
        label="Queue has child queues",
        headline=headlines.has_children,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Submit it to a queue without child queues.",
    )
)
QUEUE_MISSING: Final = register(
    Reason(
        "queue_missing",
        label="Queue not found",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=headlines.queue_missing,
        advice="Name an existing queue and submit it again, or add the queue to the config.",
    )
)
UNSUPPORTED_REQUEST: Final = register(
    Reason(
        "unsupported_request",
        label="Unsupported request",
        reason_class=ReasonClass.REJECTED,
        headline=headlines.unsupported,
        advice="Change the request and submit it again.",
    )
)
RECLAIMED: Final = register(
    Reason(
        "fairshare_reclaimed",
        label="Reclaimed",
        headline=headlines.reclaimed,
        reason_class=ReasonClass.PREEMPTED,
        preemption_grant=PreemptionGrant(
            rule=lambda _: Search.RECLAIM,
            words="{queue} may reclaim what other queues use above what they are entitled to",
            target="is preempted: its queue uses more than it is entitled to",
            preempted_event="{name} was preempted: {queue} reclaims capacity for {preemptor}.",
            reclaim_event="{name} reclaims capacity from other queues{stops}.",
        ),
    )
)
PREEMPTED: Final = register(
    Reason(
        "fairshare_preempted",
        label="Preempted",
        headline=headlines.preempted,
        reason_class=ReasonClass.PREEMPTED,
    )
)
CONSOLIDATED: Final = register(
    Reason(
        "fairshare_consolidated",
        label="Moved to another node",
        headline=headlines.consolidated,
        reason_class=ReasonClass.PREEMPTED,
    )
)
STALE_GANG: Final = register(
    Reason(
        "stale_gang",
        label="Stale gang",
        headline=headlines.stale,
        reason_class=ReasonClass.PREEMPTED,
    )
)
