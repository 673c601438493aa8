"""URLs of YuniKorn's REST API."""

from django.urls import path, re_path

from console.api.yunikorn.applications import (
    OneApplication,
    PartitionApplications,
    QueueApplications,
)
from console.api.yunikorn.base import NoSuchAddress
from console.api.yunikorn.clusters import Clusters
from console.api.yunikorn.config import Config, ValidateConfig
from console.api.yunikorn.events import EventBatch
from console.api.yunikorn.health import HealthCheck
from console.api.yunikorn.history import ApplicationHistory, ContainerHistory
from console.api.yunikorn.node_utilizations import NodeUtilizations
from console.api.yunikorn.nodes import Nodes, OneNode
from console.api.yunikorn.partitions import Partitions
from console.api.yunikorn.placement_rules import PlacementRules
from console.api.yunikorn.queues import OneQueue, QueueTree
from console.api.yunikorn.usage import AllUsage, OneUsage

app_name = "yunikorn"

_PARTITION = "partition/<str:partition>"
# The name of a queue can contain slashes, so the longer patterns come first.
_QUEUE = f"{_PARTITION}/queue/<path:queue>"

urlpatterns = [
    path("clusters", Clusters.as_view(), name="clusters"),
    path("config", Config.as_view(), name="config"),
    path("validate-conf", ValidateConfig.as_view(), name="validate-conf"),
    path("partitions", Partitions.as_view(), name="partitions"),
    path(f"{_PARTITION}/placementrules", PlacementRules.as_view(), name="placement-rules"),
    path(f"{_PARTITION}/queues", QueueTree.as_view(), name="queues"),
    path(f"{_PARTITION}/nodes", Nodes.as_view(), name="nodes"),
    path(f"{_PARTITION}/node/<path:node>", OneNode.as_view(), name="node"),
    path(
        f"{_PARTITION}/applications/<str:state>",
        PartitionApplications.as_view(),
        name="applications",
    ),
    path(
        f"{_PARTITION}/application/<str:application>", OneApplication.as_view(), name="application"
    ),
    path(f"{_QUEUE}/applications", QueueApplications.as_view(), name="queue-applications"),
    path(
        f"{_QUEUE}/applications/<str:state>",
        QueueApplications.as_view(),
        name="queue-applications-of-state",
    ),
    path(
        f"{_QUEUE}/application/<str:application>",
        OneApplication.as_view(),
        name="queue-application",
    ),
    path(f"{_PARTITION}/usage/users", AllUsage.as_view(is_group=False), name="users"),
    path(f"{_PARTITION}/usage/user/<path:name>", OneUsage.as_view(is_group=False), name="user"),
    path(f"{_PARTITION}/usage/groups", AllUsage.as_view(is_group=True), name="groups"),
    path(f"{_PARTITION}/usage/group/<path:name>", OneUsage.as_view(is_group=True), name="group"),
    path("history/apps", ApplicationHistory.as_view(), name="application-history"),
    path("history/containers", ContainerHistory.as_view(), name="container-history"),
    path("events/batch", EventBatch.as_view(), name="events"),
    path("scheduler/healthcheck", HealthCheck.as_view(), name="health"),
    path("scheduler/node-utilizations", NodeUtilizations.as_view(), name="node-utilizations"),
    path(_QUEUE, OneQueue.as_view(), name="queue"),
    re_path("", NoSuchAddress.as_view(), name="no-such-address"),
]
