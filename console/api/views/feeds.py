"""Feeds: decisions in order, for executors, and events, newest first, for people."""

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
from console.exports import PARAMETER, export_answer, requested_format
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
    "type": "Type of the event. Can be repeated.",
    "level": "INFO, WARNING or ERROR. Can be repeated.",
    "queue": "Name of a queue. Can be repeated.",
    "flavor": "Name of an assigned flavor. Can be repeated.",
    "workload": "Id of a workload.",
    "actor": "E-mail address of a person, name of a token, or `engine`.",
    "user": "User of the workload.",
    "project": "Project of the workload.",
    "config": "Config version that was active.",
    "id": "Id of one event.",
    "since": "Start of the time range, inclusive.",
    "until": "End of the time range, exclusive. A date without a time includes the whole day.",
}


_OUTCOMES = tuple(outcome.value for outcome in Outcome)


class Decisions(OrgView):
    """Decisions of the engine, in order."""

    parameters = ("after", "limit", "outcome", "wait")
    repeatable = ("outcome",)

    @extend_schema(
        operation_id="list_decisions",
        summary="List decisions",
        description="The feed for executors: start admitted workloads with their launch config, "
        "stop preempted ones, and release them when they have stopped. Repeated requests with "
        "the same `after` return the same rows. Continue with `next`.",
        parameters=[
            OpenApiParameter(
                "after",
                int,
                description="Number of the last decision that you have read. Default: 0.",
            ),
            LIMIT,
            query(
                "outcome",
                "Outcome of the decision. Can be repeated.",
                many=True,
                enum=_OUTCOMES,
            ),
            OpenApiParameter(
                "wait",
                int,
                description=f"Seconds to wait for the next decision, up to {MOST_SECONDS}. "
                "Default: 0. The response can be earlier and empty.",
            ),
        ],
        responses={200: schemas.DecisionFeed, **problems()},
        tags=["decisions"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List decisions after a number."""
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
    """Events of an organization."""

    parameters = (*_FILTERS, PARAMETER, *PAGING)
    repeatable = REPEATABLE

    @extend_schema(
        operation_id="list_events",
        summary="List events",
        description="Submissions, decisions, applied configs and other events, newest first. "
        "With `as`, all events are streamed as one file.",
        parameters=[
            *(query(name, text, many=name in REPEATABLE) for name, text in _FILTERS.items()),
            EXPORT,
            *PAGED,
        ],
        responses={**or_files(schemas.EventPage), **problems()},
        tags=["events"],
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """List a page of events, or export all of them."""
        org = self.actor.org
        search = EventSearch.from_query(request.query_params)
        form = requested_format(request.query_params)
        if form:
            rows = map(event_facts, disclose_events(self.actor, all_events(org, search)))
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(place, form, f"{org.slug}-events", COLUMNS, rows)
        cursor = request.query_params.get("cursor")
        page = search_events(org, search, self.limit(request), cursor)
        disclosed = disclose_events(self.actor, page.results)
        return results([event_facts(event) for event in disclosed], page.next)
