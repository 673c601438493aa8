"""URLs of the client's protocol."""

from django.urls import path, re_path

from console.api.compat.base import NoSuchAddress
from console.api.compat.configs import Config, ConfigVersions, OneVersion, Rollback, Validate
from console.api.compat.consumers import TopConsumers
from console.api.compat.events import Events
from console.api.compat.overview import Overview
from console.api.compat.preview import ConfigPreview
from console.api.compat.queues import OneQueue, Queues, QueueWorkloads
from console.api.compat.userinfo import Usage, UserInfo

app_name = "compat"

# The name of a queue can contain slashes, so the longer patterns come first.
_QUEUE = "scheduler/queues/<path:queue>"

urlpatterns = [
    path("userinfo/", UserInfo.as_view(), name="userinfo"),
    path("cli_usage/", Usage.as_view(), name="usage"),
    path("scheduler/config", Config.as_view(), name="config"),
    path("scheduler/config/versions", ConfigVersions.as_view(), name="versions"),
    path("scheduler/config/versions/<str:version>", OneVersion.as_view(), name="version"),
    path("scheduler/config/rollback", Rollback.as_view(), name="rollback"),
    path("scheduler/config/validate", Validate.as_view(), name="validate"),
    path("scheduler/config/preview", ConfigPreview.as_view(), name="preview"),
    path("scheduler/overview", Overview.as_view(), name="overview"),
    path("scheduler/queues", Queues.as_view(), name="queues"),
    path(f"{_QUEUE}/workloads", QueueWorkloads.as_view(), name="queue-workloads"),
    path(_QUEUE, OneQueue.as_view(), name="queue"),
    path("scheduler/events", Events.as_view(), name="events"),
    path("scheduler/top-consumers", TopConsumers.as_view(), name="top-consumers"),
    re_path("", NoSuchAddress.as_view(), name="no-such-address"),
]
