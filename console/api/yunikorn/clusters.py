"""The clusters of the protocol: one for each partition, and the scheduler's own facts."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.shapes import nanoseconds


class Clusters(SchedulerView):
    """What schedules, for each partition."""

    def get(self, request: Request) -> Response:
        """List the partitions with the organization as their resource manager."""
        org = self.actor.org
        build = {
            "buildVersion": str(settings.SPECTACULAR_SETTINGS["VERSION"]),
            "rmId": org.slug,
        }
        rows: list[dict[str, Any]] = [
            {
                "startTime": nanoseconds(org.created_at),
                "rmBuildInformation": [build],
                "partition": name,
                "clusterName": org.slug,
            }
            for name in self.spec.partitions
        ]
        return Response(rows)
