"""The reasons of the discipline."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from console.engine.disciplines.hierarchy import headlines
from console.engine.explain import pods_on_nodes
from console.engine.model.reasons import (
    PreemptionGrant,
    Reason,
    ReasonClass,
    Shortage,
    register,
)


class PreemptionKind(StrEnum):
    """Why pods of one workload stop for another one."""

    #: Its queue is below its guarantee.
    GUARANTEE = "guarantee"
    #: Its pod can only run on the node.
    NODE = "node"


STARTED: Final = register(
    Reason(
        "hierarchy_started",
        label="Started",
        headline=pods_on_nodes.started,
        reason_class=ReasonClass.RUNNING,
    )
)
GROWN: Final = register(
    Reason(
        "hierarchy_grown",
        label="Further pods started",
        headline=pods_on_nodes.grown,
        reason_class=ReasonClass.RUNNING,
    )
)
PODS_LOST: Final = register(
    Reason(
        "hierarchy_pods_lost",
        label="Pods lost",
        headline=pods_on_nodes.pods_lost,
        reason_class=ReasonClass.RUNNING,
    )
)
OVER_APPLICATIONS: Final = register(
    Reason(
        "over_applications",
        label="Too many applications in a queue",
        headline=headlines.over_applications,
        reason_class=ReasonClass.WAITING,
        advice="Wait until another workload of the queue ends, or have its maximum raised.",
        shortage=Shortage.NOW,
    )
)
USER_OVER_APPLICATIONS: Final = register(
    Reason(
        "user_over_applications",
        label="Too many applications of a user",
        headline=headlines.over_applications,
        reason_class=ReasonClass.WAITING,
        advice="Wait until another workload of the user ends, or have the limit raised.",
        shortage=Shortage.NOW,
    )
)
GROUP_OVER_APPLICATIONS: Final = register(
    Reason(
        "group_over_applications",
        label="Too many applications of a group",
        headline=headlines.over_applications,
        reason_class=ReasonClass.WAITING,
        advice="Wait until another workload of the group ends, or have the limit raised.",
        shortage=Shortage.NOW,
    )
)
USER_QUOTA: Final = register(
    Reason(
        "user_quota",
        label="Over the limit of a user",
        headline=headlines.over_quota,
        reason_class=ReasonClass.WAITING,
        advice="Wait until pods of the user end, or have the limit raised.",
        shortage=Shortage.NOW,
    )
)
GROUP_QUOTA: Final = register(
    Reason(
        "group_quota",
        label="Over the limit of a group",
        headline=headlines.over_quota,
        reason_class=ReasonClass.WAITING,
        advice="Wait until pods of the group end, or have the limit raised.",
        shortage=Shortage.NOW,
    )
)
QUEUE_QUOTA: Final = register(
    Reason(
        "queue_quota",
        label="Over the maximum of a queue",
        headline=headlines.over_quota,
        reason_class=ReasonClass.WAITING,
        advice="Wait until pods of the queue end, or have its maximum raised.",
        shortage=Shortage.NOW,
    )
)
EXCEEDS_MAXIMUM: Final = register(
    Reason(
        "exceeds_maximum",
        label="Exceeds the maximum of a queue",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have the maximum raised: every new version is tried again.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_USER_LIMIT: Final = register(
    Reason(
        "exceeds_user_limit",
        label="Exceeds the limit of a user",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have the limit raised: every new version is tried again.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_GROUP_LIMIT: Final = register(
    Reason(
        "exceeds_group_limit",
        label="Exceeds the limit of a group",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have the limit raised: every new version is tried again.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_NODES: Final = register(
    Reason(
        "hierarchy_exceeds_nodes",
        label="Exceeds the nodes",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Request less, or have nodes added: it is tried again with every new node.",
        shortage=Shortage.ALWAYS,
    )
)
NO_NODE_MATCHES: Final = register(
    Reason(
        "hierarchy_no_node_matches",
        label="No node matches",
        headline=headlines.can_never_start,
        reason_class=ReasonClass.CANNOT_RUN,
        advice="Change the node selectors, affinity or tolerations of its pods, or add a node.",
    )
)
NO_NODES: Final = register(
    Reason(
        "hierarchy_no_nodes",
        label="No nodes",
        headline="Waiting in {queue}: there are no nodes that accept pods.",
        reason_class=ReasonClass.WAITING,
        advice="Report the nodes of a cluster.",
        shortage=Shortage.ALWAYS,
    )
)
NO_NODE_HAS_ROOM: Final = register(
    Reason(
        "hierarchy_no_node_has_room",
        label="No room on a node",
        headline=headlines.no_node,
        reason_class=ReasonClass.WAITING,
        advice="Wait, or request less for each pod.",
        shortage=Shortage.NOW,
    )
)
GANG_HAS_NO_ROOM: Final = register(
    Reason(
        "hierarchy_gang_has_no_room",
        label="No room for all pods",
        headline=headlines.no_room_for_gang,
        reason_class=ReasonClass.WAITING,
        advice="Wait, or lower the minimum of pods that start together.",
        shortage=Shortage.NOW,
    )
)
WAITS_FOR_STOPPING: Final = register(
    Reason(
        "hierarchy_waits_for_stopping",
        label="Starting soon",
        headline=pods_on_nodes.waits_for_stopping,
        reason_class=ReasonClass.SOON,
        advice="Wait. If it lasts, the executor has not released the pods that have to stop.",
    )
)
NOT_PLACED: Final = register(
    Reason(
        "not_placed",
        label="No placement rule matched",
        headline=headlines.not_placed,
        reason_class=ReasonClass.REJECTED,
        advice="Name a queue to which the user may submit, and submit it again.",
    )
)
PLACEMENT_FAILED: Final = register(
    Reason(
        "placement_failed",
        label="Placement failed",
        headline=headlines.not_placed,
        reason_class=ReasonClass.REJECTED,
        advice="Correct the queue, the user or the tags, and submit it again.",
    )
)
NOT_CREATED: Final = register(
    Reason(
        "queue_not_created",
        label="Queue not created",
        headline=headlines.not_created,
        reason_class=ReasonClass.REJECTED,
        advice="Name another queue and submit it again, or add the queue to the config.",
    )
)
GANG_TOO_LARGE: Final = register(
    Reason(
        "gang_too_large",
        label="Larger than its queue",
        headline=headlines.gang_too_large,
        reason_class=ReasonClass.REJECTED,
        advice="Request less for the pods that start together, and submit it again.",
        depends_on_capacity=True,
    )
)
UNSUPPORTED_REQUEST: Final = register(
    Reason(
        "hierarchy_unsupported_request",
        label="Unsupported request",
        headline=headlines.unsupported,
        reason_class=ReasonClass.REJECTED,
        advice="Change the request and submit it again.",
    )
)
PREEMPTED: Final = register(
    Reason(
        "hierarchy_preempted",
        label="Preempted for a guarantee",
        headline=headlines.preempted,
        reason_class=ReasonClass.PREEMPTED,
        preemption_grant=PreemptionGrant(
            rule=lambda _: PreemptionKind.GUARANTEE,
            words="{queue} may stop pods of queues above their guarantee, up to its own guarantee",
            target="is preempted: its queue uses more than its guarantee",
            preempted_event="{name} was preempted: {queue} is below its guarantee and needs room "
            "for {preemptor}.",
            reclaim_event="{name} takes room from queues above their guarantee{stops}.",
        ),
    )
)
PREEMPTED_ON_NODE: Final = register(
    Reason(
        "preempted_on_node",
        label="Preempted for a pod of its node",
        headline=headlines.preempted_on_node,
        reason_class=ReasonClass.PREEMPTED,
        preemption_grant=PreemptionGrant(
            rule=lambda _: PreemptionKind.NODE,
            words="a pod that names its node may stop others of the same or a lower priority there",
            target="is preempted: its node is the only one for a pod of the same or a higher "
            "priority",
            preempted_event="{name} was preempted: {preemptor} can only run on its node.",
            reclaim_event="{name} takes room on the node that it names{stops}.",
        ),
    )
)
QUOTA_LOWERED: Final = register(
    Reason(
        "quota_lowered",
        label="Maximum of its queue lowered",
        headline=headlines.quota_lowered,
        reason_class=ReasonClass.PREEMPTED,
    )
)
GANG_TIMEOUT: Final = register(
    Reason(
        "gang_timeout",
        label="Not all pods started in time",
        headline=headlines.gang_timeout,
        reason_class=ReasonClass.REJECTED,
        advice="Submit it again, with fewer pods that start together or a longer timeout.",
        depends_on_capacity=True,
    )
)
