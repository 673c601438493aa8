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
from console.series.queries import course_of, known_subject, wait_quantiles
from console.series.readings import FLOOR, LENGTH
from console.series.retention import Kept
from console.series.subjects import EVERYTHING, Subject
from console.series.window import window_of

_TAG = ["usage"]

#: The most hours that waits are asked of at once.
MOST_HOURS = 24 * 31

_SUBJECT = {
    "queue": "Of this queue; of the whole organization when neither is given.",
    "cohort": "Of this cohort.",
}
_WINDOW = {
    "since": "The first point is the one around this time; a day before `until` when absent.",
    "until": "Points that begin before this time; now when absent.",
}


class Usage(OrgView):
    """What was used and wanted, what happened, and how long was waited, over time."""

    parameters = (*_SUBJECT, *_WINDOW, "step", *PAGING)

    @extend_schema(
        operation_id="list_usage",
        summary="Read use, demand and waits over time",
        description="Oldest first. Every point of the time is there: one that nobody sampled has "
        "`sampled_minutes` 0 and null for what is not known. Steps begin on edges of UTC. The "
        "minute, hour and day of now are not complete yet.",
        parameters=[
            *(query(name, text) for name, text in (_SUBJECT | _WINDOW).items()),
            query("step", "The finest that suits the time when absent.", enum=Step.values),
            *PAGED,
        ],
        responses={200: schemas.UsageSeries, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Show one page of it."""
        org = self.actor.org
        reader = QueryReader(request.query_params)
        since, until = reader.time("since"), reader.time("until")
        chosen = reader.choice("step", Step.values)
        subject = subject_of(self.actor.org, reader)
        now, kept = timezone.now(), Kept.configured()
        step = Step(chosen) if chosen else None
        window = window_of(since, until, step, now, kept)
        first = window.since
        keys = read_cursor(request.query_params.get("cursor"))
        if keys:
            # In the window and on an edge, whatever the cursor of another series says.
            begun = min(max(window.since.timestamp(), keys[0]), window.until.timestamp())
            first = FLOOR[window.step](datetime.fromtimestamp(begun, UTC))
        end = min(window.until, first + self.limit(request) * LENGTH[window.step])
        course = course_of(org, subject, first, end, window.step)
        length = LENGTH[window.step]
        return Response(
            {
                "step": window.step.value,
                "since": time_answer(window.since),
                "until": time_answer(window.until),
                "kept_since": time_answer(window.kept_since),
                "results": [
                    point_answer(each, each.start + length, course.counts[each.start], course.spans)
                    for each in course.series.readings
                ],
                "next": write_cursor(int(end.timestamp())) if end < window.until else None,
            }
        )


class Waits(OrgView):
    """How long admissions were waited for."""

    parameters = (*_SUBJECT, "hours")

    @extend_schema(
        operation_id="get_waits",
        summary="See how long work waits",
        description="From submission to the first admission, of those admitted in the last hours.",
        parameters=[
            *(query(name, text) for name, text in _SUBJECT.items()),
            OpenApiParameter(
                "hours", OpenApiTypes.INT, description=f"1 to {MOST_HOURS}; 24 when absent."
            ),
        ],
        responses={200: schemas.WaitsOf, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Show it."""
        subject = subject_of(self.actor.org, QueryReader(request.query_params))
        hours = self.number(request, "hours", 24, 1, MOST_HOURS)
        waits = wait_quantiles(self.actor.org, hours=hours, subject=subject)
        return Response({"hours": hours, **waits_answer(waits)})


def subject_of(org: Organization, reader: QueryReader) -> Subject:
    """Return the queue or cohort that a request names; raises BadRequest and NotFound."""
    queue, cohort = reader.text("queue"), reader.text("cohort")
    reader.finish()
    if queue and cohort:
        message = "Ask for a queue or for a cohort, not for both."
        raise BadRequest([FieldError("cohort", "invalid_choice", message)])
    if queue:
        return known_subject(org, Subject.queue(queue))
    return known_subject(org, Subject.cohort(cohort)) if cohort else EVERYTHING
