"""Placement rules with the numbers of workloads that they placed."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.hierarchy.placement_rules import placement_rules_answer
from console.api.base import PAGING, OrgView
from console.api.schemas.common import PAGED, problems
from console.api.schemas.hierarchy import placement_rules as schemas
from console.paging import read_cursor, write_cursor
from console.workloads.queries.hierarchy.placement_hits import PlacementHits, placement_hits_of


class PlacementRules(OrgView):
    """The placement rules of the active config."""

    parameters = PAGING

    @extend_schema(
        operation_id="get_placement_rules",
        summary="Get placement rules",
        description="The rules that find the queue of a workload, in the order in which they are "
        "asked, with the number of workloads of the last 7 days that each would place today.",
        parameters=PAGED,
        responses={200: schemas.PlacementRules, **problems()},
        tags=["queues"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return a page of the placement rules."""
        (start,) = read_cursor(request.query_params.get("cursor")) or (0,)
        end = start + self.limit(request)
        found = placement_hits_of(self.actor.org) or PlacementHits()
        rest = write_cursor(end) if end < len(found.rules) else None
        return Response(placement_rules_answer(found, found.rules[start:end], rest))
