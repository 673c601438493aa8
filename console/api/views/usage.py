"""Use, demand, counts and waits over time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.answers.usage import point_answer, waits_answer
from console.api.base import PAGING, OrgView
from console.api.schemas import usage as schemas
from console.api.schemas.common import PAGED, problems, query
from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.paging import read_cursor, write_cursor
from console.reading import QueryReader
from console.series.models import Step
from console.series.queries import known_subject, subject_history, wait_quantiles
from console.series.readings import FLOOR, LENGTH
from console.series.retention import RetentionPeriods
from console.series.subjects import WHOLE_ORG, Subject
from console.series.window import window_of

_TAG = ["usage"]

#: Maximum number of hours of a request for waits.
MOST_HOURS = 24 * 31

_SUBJECT = {
    "queue": "Name of a queue. Without a name: the whole organization.",
    "cohort": "Name of a cohort.",
}
_CLUSTER = {"cluster": "Name of a cluster. Its nominal quota is what its nodes offer."}
_WINDOW = {
    "since": "Start: the point that contains this time. Default: one day before `until`.",
    "until": "End: points that begin before this time. Default: now.",
}


class Usage(OrgView):
    """Use, demand, counts and waits over time."""

    parameters = (*_SUBJECT, *_CLUSTER, *_WINDOW, "step", *PAGING)

    @extend_schema(
        operation_id="list_usage",
        summary="List use, demand and waits over time",
        description="Oldest first, without missing points: a point without samples has "
        "`sampled_minutes` 0 and null values. Steps are aligned to UTC. The current minute, "
        "hour and day are incomplete.",
        parameters=[
            *(query(name, text) for name, text in (_SUBJECT | _CLUSTER | _WINDOW).items()),
            query(
                "step",
                "Length of a point. Default: the shortest that suits the time range.",
                enum=Step.values,
            ),
            *PAGED,
        ],
        responses={200: schemas.UsageSeries, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return one page of the series."""
        org = self.actor.org
        reader = QueryReader(request.query_params)
        since, until = reader.time("since"), reader.time("until")
        chosen = reader.choice("step", Step.values)
        subject = subject_of(self.actor.org, reader)
        now, kept = timezone.now(), RetentionPeriods.configured()
        step = Step(chosen) if chosen else None
        window = window_of(since, until, step, now, kept)
        first = window.since
        keys = read_cursor(request.query_params.get("cursor"))
        if keys:
            # A cursor of another series is clamped to the window and aligned to a step.
            begun = min(max(window.since.timestamp(), keys[0]), window.until.timestamp())
            first = FLOOR[window.step](datetime.fromtimestamp(begun, UTC))
        end = min(window.until, first + self.limit(request) * LENGTH[window.step])
        course = subject_history(org, subject, first, end, window.step)
        length = LENGTH[window.step]
        return Response(
            {
                "step": window.step.value,
                "since": time_answer(window.since),
                "until": time_answer(window.until),
                "kept_since": time_answer(window.kept_since),
                "simulated_until": time_answer(org.simulated_until),
                "results": [
                    point_answer(each, each.start + length, course.counts[each.start], course.spans)
                    for each in course.series.readings
                ],
                "next": write_cursor(int(end.timestamp())) if end < window.until else None,
            }
        )


class Waits(OrgView):
    """Waits until the first admission."""

    parameters = (*_SUBJECT, "hours")

    @extend_schema(
        operation_id="get_waits",
        summary="Get waits",
        description="From submission to the first admission, for workloads admitted in the last "
        "hours.",
        parameters=[
            *(query(name, text) for name, text in _SUBJECT.items()),
            OpenApiParameter(
                "hours",
                OpenApiTypes.INT,
                description=f"Number of hours, 1 to {MOST_HOURS}. Default: 24.",
            ),
        ],
        responses={200: schemas.WaitsOf, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return waits."""
        subject = subject_of(self.actor.org, QueryReader(request.query_params))
        hours = self.number(request, "hours", 24, 1, MOST_HOURS)
        waits = wait_quantiles(self.actor.org, hours=hours, subject=subject)
        return Response({"hours": hours, **waits_answer(waits)})


def subject_of(org: Organization, reader: QueryReader) -> Subject:
    """Return the queue, cohort or cluster of a request; raises BadRequest or NotFound."""
    kinds = {"queue": Subject.queue, "cohort": Subject.cohort, "cluster": Subject.cluster}
    named = {kind: name for kind in kinds if (name := reader.text(kind))}
    reader.finish()
    if len(named) > 1:
        *_, last = named
        message = "Name only one of queue, cohort and cluster."
        raise BadRequest([FieldError(last, "invalid_choice", message)])
    for kind, name in named.items():
        return known_subject(org, kinds[kind](name))
    return WHOLE_ORG
