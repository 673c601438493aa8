"""The numbers of applications over the last day, and the present number of pods."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.shapes import nanoseconds
from console.series.models import Step
from console.series.queries.use import series_of
from console.series.subjects import WHOLE_ORG
from console.workloads.queries.history import live_of
from console.workloads.queries.nodes import nodes_of

#: The time that YuniKorn's own history covers, minute by minute.
_COVERED: Final = timedelta(hours=24)


class ApplicationHistory(SchedulerView):
    """Running applications over time."""

    def get(self, request: Request) -> Response:
        """Return the number of running workloads in each sampled minute of the last day."""
        now = timezone.now()
        series = series_of(self.actor.org, WHOLE_ORG, now - _COVERED, now, Step.MINUTE)
        rows: list[dict[str, Any]] = [
            {
                "timestamp": nanoseconds(each.start),
                "totalApplications": str(round(each.totals.running.mean(each.totals.minutes))),
            }
            for each in series.readings
            if not each.is_gap
        ]
        return Response(rows)


class ContainerHistory(SchedulerView):
    """Running pods; the past is not stored."""

    def get(self, request: Request) -> Response:
        """Return the present number of pods."""
        live = live_of(self.actor.org)
        counts = sum(live.running.values()), sum(live.pending.values())
        pods = nodes_of(self.actor.org, counts).running
        row = {"timestamp": nanoseconds(timezone.now()), "totalContainers": str(pods)}
        return Response([row])
