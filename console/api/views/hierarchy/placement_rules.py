"""Placement rules with the numbers of workloads that they placed."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.hierarchy.placement_rules import placement_rules_answer
from console.api.base import OrgView
from console.api.schemas.common import problems
from console.api.schemas.hierarchy import placement_rules as schemas
from console.workloads.queries.hierarchy.placement_hits import placement_hits_of


class PlacementRules(OrgView):
    """The placement rules of the active config."""

    @extend_schema(
        operation_id="get_placement_rules",
        summary="Get placement rules",
        description="The rules that find the queue of a workload, in the order in which they are "
        "asked, with the number of workloads of the last 7 days that each would place today.",
        responses={200: schemas.PlacementRules, **problems()},
        tags=["queues"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the placement rules."""
        return Response(placement_rules_answer(placement_hits_of(self.actor.org)))
