"""The reasons of the discipline."""

from __future__ import annotations

from typing import Final

from console.engine.disciplines.placement import headlines
from console.engine.model.reasons import Reason, ReasonClass, Shortage, register

PLACED: Final = register(
    Reason(
        "placed",
        label="Placed",
        reason_class=ReasonClass.RUNNING,
        headline=headlines.placed,
        pods_event="{name} has all its pods again.",
    )
)
MOVED: Final = register(
    Reason("moved", label="Moved", reason_class=ReasonClass.RUNNING, headline=headlines.moved)
)
REPLICAS_LOST: Final = register(
    Reason(
        "replicas_lost",
        label="Replicas lost",
        reason_class=ReasonClass.RUNNING,
        headline=headlines.lost,
        pods_event="{name} runs without some of its pods, which do not fit elsewhere now.",
        advice="Wait until other clusters have room, or bring the lost cluster back.",
    )
)
NO_CLUSTER_READY: Final = register(
    Reason(
        "no_cluster_ready",
        label="No cluster ready",
        reason_class=ReasonClass.WAITING,
        headline=headlines.no_cluster_ready,
        advice="Wait until a cluster reports that it is ready, or ask its operators.",
        shortage=Shortage.NOW,
    )
)
NO_NODE_FITS: Final = register(
    Reason(
        "no_node_fits",
        label="No room on a node",
        reason_class=ReasonClass.WAITING,
        headline=headlines.no_node,
        advice="Wait, or request less for each replica.",
        shortage=Shortage.NOW,
    )
)
REPLICAS_DO_NOT_FIT: Final = register(
    Reason(
        "replicas_do_not_fit",
        label="No room for all replicas",
        reason_class=ReasonClass.WAITING,
        headline=headlines.do_not_fit,
        advice="Wait, or request fewer replicas.",
        shortage=Shortage.NOW,
    )
)
NO_CLUSTER_MATCHES: Final = register(
    Reason(
        "no_cluster_matches",
        label="No cluster matches",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=headlines.no_cluster_matches,
        advice="Change the filters of the job, or have the labels of a cluster changed.",
    )
)
EXCEEDS_EVERY_NODE: Final = register(
    Reason(
        "exceeds_every_node",
        label="Exceeds every node",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=headlines.exceeds_every_node,
        advice="Request less for each replica, or have a larger node added.",
        shortage=Shortage.ALWAYS,
    )
)
EXCEEDS_ALL_CLUSTERS: Final = register(
    Reason(
        "exceeds_all_clusters",
        label="Exceeds all clusters",
        reason_class=ReasonClass.CANNOT_RUN,
        headline=headlines.exceeds_all_clusters,
        advice="Request fewer replicas, or have nodes added.",
        shortage=Shortage.ALWAYS,
    )
)
PLUGIN_FAILED: Final = register(
    Reason(
        "plugin_failed",
        label="Plugin failed",
        reason_class=ReasonClass.WAITING,
        headline=headlines.failed,
        advice="Report it to the people who maintain the plugin, or remove it from the config.",
    )
)
REMOVED_BY_PLUGIN: Final = register(
    Reason(
        "removed_by_plugin",
        label="Removed by a plugin",
        reason_class=ReasonClass.WAITING,
        headline=headlines.removed,
        advice="Read what the plugin says about each cluster, and change the job accordingly.",
    )
)
NOT_PLACEABLE: Final = register(
    Reason(
        "not_placeable",
        label="Not placeable",
        reason_class=ReasonClass.REJECTED,
        headline=headlines.not_placeable,
        advice="Submit it again later, or have on_unplaceable set to wait.",
        depends_on_capacity=True,
    )
)
INVALID_PLACEMENT: Final = register(
    Reason(
        "invalid_placement",
        label="Invalid placement",
        reason_class=ReasonClass.REJECTED,
        headline=headlines.invalid,
        advice="Correct the placement and submit the job again.",
    )
)
