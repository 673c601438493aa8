"""What happened: the decisions in order, for executors, and the events, for people."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.workloads import decision_answer, event_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import state as schemas
from console.api.schemas.common import LIMIT, PAGED, problems, query
from console.configs.queries import policies_of
from console.reading import LARGEST_INTEGER
from console.workloads.queries import EventFilter, decisions_after, list_events

_FILTERS = {
    "type": "One of the sixteen types.",
    "level": "INFO, WARNING or ERROR.",
    "queue": "Name of a queue.",
    "actor": "E-mail address of a person, name of a token, or `engine`.",
    "workload": "Id of a workload.",
    "since": "Happened at this time or later.",
    "until": "Happened before this time.",
}


class Decisions(OrgView):
    """Every decision of the engine, in order."""

    parameters = ("after", "limit")

    @extend_schema(
        operation_id="list_decisions",
        summary="Read decisions",
        description="For executors: start what was admitted with its launch config, stop what was "
        "preempted, and release it when it has stopped. Reading behind the same number twice "
        "gives the same rows; go on with `next`.",
        parameters=[
            OpenApiParameter("after", int, description="Number of the last one you have; 0."),
            LIMIT,
        ],
        responses={200: schemas.DecisionFeed, **problems()},
        tags=["decisions"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List those behind a number."""
        org = self.actor.org
        after = self.number(request, "after", 0, 0, LARGEST_INTEGER)
        rows = decisions_after(org, after, self.limit(request))
        policies = policies_of(org, {row.config_version for row in rows if row.assignment})
        return Response(
            {
                "results": [decision_answer(row, policies) for row in rows],
                "next": rows[-1].pk if rows else after,
            }
        )


class Events(OrgView):
    """What happened, newest first."""

    parameters = (*_FILTERS, *PAGING)

    @extend_schema(
        operation_id="list_events",
        summary="List events",
        description="Newest first: what was submitted, admitted, preempted, applied and so on.",
        parameters=[
            *(query(name, description) for name, description in _FILTERS.items()),
            *PAGED,
        ],
        responses={200: schemas.EventPage, **problems()},
        tags=["events"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List them."""
        conditions = EventFilter.from_query(request.query_params)
        page = list_events(
            self.actor.org, conditions, self.limit(request), request.query_params.get("cursor")
        )
        return results([event_answer(event) for event in page.results], page.next)
