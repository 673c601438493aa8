"""What happened: the decisions in order, for executors, and the events, for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.workloads import decision_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import state as schemas
from console.api.schemas.common import EXPORT, LIMIT, PAGED, or_files, problems, query
from console.api.waiting import MOST_SECONDS, wait_for
from console.engine.model.decision import Outcome
from console.expensive import Kind, take_place
from console.exports import PARAMETER, asked_format, export_answer
from console.policies.queries import policies_of
from console.reading import LARGEST_INTEGER
from console.reading.query import QueryReader
from console.workloads.disclosure import disclose_decisions, disclose_events
from console.workloads.event_facts import COLUMNS, event_facts
from console.workloads.queries import decisions_after, has_decisions
from console.workloads.queries.event_search import (
    REPEATABLE,
    EventSearch,
    all_events,
    search_events,
)

_FILTERS = {
    "type": "One of the types of events; may come several times.",
    "level": "INFO, WARNING or ERROR; may come several times.",
    "queue": "Name of a queue; may come several times.",
    "flavor": "Name of a flavor that the workload was given; may come several times.",
    "workload": "Id of a workload.",
    "actor": "E-mail address of a person, name of a token, or `engine`.",
    "user": "The user that the workload was submitted for.",
    "project": "The project that the workload was submitted for.",
    "config": "Happened while this config version was active.",
    "id": "Id of the only event.",
    "since": "Happened at this time or later.",
    "until": "Happened before this time; a day without a time counts whole.",
}


_OUTCOMES = tuple(outcome.value for outcome in Outcome)


class Decisions(OrgView):
    """Every decision of the engine, in order."""

    parameters = ("after", "limit", "outcome", "wait")
    repeatable = ("outcome",)

    @extend_schema(
        operation_id="list_decisions",
        summary="Read decisions",
        description="For executors: start what was admitted with its launch config, stop what was "
        "preempted, and release it when it has stopped. Reading behind the same number twice "
        "gives the same rows; go on with `next`.",
        parameters=[
            OpenApiParameter("after", int, description="Number of the last one you have; 0."),
            LIMIT,
            query(
                "outcome",
                "Only decisions of this outcome; may come several times.",
                many=True,
                enum=_OUTCOMES,
            ),
            OpenApiParameter(
                "wait",
                int,
                description=f"Seconds to wait while nothing is decided, up to {MOST_SECONDS}; 0. "
                "An answer may come earlier, and without any decision.",
            ),
        ],
        responses={200: schemas.DecisionFeed, **problems()},
        tags=["decisions"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List those behind a number."""
        org = self.actor.org
        after = self.number(request, "after", 0, 0, LARGEST_INTEGER)
        reader = QueryReader(request.query_params)
        outcomes = reader.choices("outcome", _OUTCOMES)
        reader.finish()
        limit = self.limit(request)
        wait_for(
            lambda: has_decisions(org, after), self.number(request, "wait", 0, 0, MOST_SECONDS)
        )
        rows, end = decisions_after(org, after, limit, outcomes)
        disclose_decisions(self.actor, rows)
        policies = policies_of(org, {row.config_version for row in rows if row.assignment})
        return Response(
            {
                "results": [decision_answer(row, policies) for row in rows],
                "next": end,
            }
        )


class Events(OrgView):
    """What happened, newest first."""

    parameters = (*_FILTERS, PARAMETER, *PAGING)
    repeatable = REPEATABLE

    @extend_schema(
        operation_id="list_events",
        summary="List events",
        description="Newest first: what was submitted, admitted, preempted, applied and so on. "
        "With `as`, all of them as one file that is written while it is read.",
        parameters=[
            *(query(name, text, many=name in REPEATABLE) for name, text in _FILTERS.items()),
            EXPORT,
            *PAGED,
        ],
        responses={**or_files(schemas.EventPage), **problems()},
        tags=["events"],
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """List them, or export them all."""
        org = self.actor.org
        search = EventSearch.from_query(request.query_params)
        form = asked_format(request.query_params)
        if form:
            rows = map(event_facts, disclose_events(self.actor, all_events(org, search)))
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, f"{org.slug}-events", COLUMNS, rows)
        cursor = request.query_params.get("cursor")
        page = search_events(org, search, self.limit(request), cursor)
        told = disclose_events(self.actor, page.results)
        return results([event_facts(event) for event in told], page.next)
