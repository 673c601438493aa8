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
from console.api.yunikorn.nodes import Nodes, OneNode
from console.api.yunikorn.partitions import Partitions
from console.api.yunikorn.placement_rules import PlacementRules
from console.api.yunikorn.queues import OneQueue, QueueTree

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
    path(_QUEUE, OneQueue.as_view(), name="queue"),
    re_path("", NoSuchAddress.as_view(), name="no-such-address"),
]
