"""Cohorts: shared quota and loans."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.quota.cohorts import cohort_answer, whole_cohort_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas.common import PAGED, problems, query
from console.api.schemas.quota import cohorts as schemas
from console.paging import read_cursor, write_cursor
from console.workloads.queries.cohort_search import CohortSearch, CohortSort
from console.workloads.queries.cohorts import cohort_list, cohort_view

_TAG = ["cohorts"]

_SEARCH = {
    "q": "Part of a name, ignoring case.",
    "sort": "Sort by a number, descending. Default: trees in the order of the text.",
}


class Cohorts(OrgView):
    """The cohorts of an organization."""

    parameters = (*_SEARCH, *PAGING)

    @extend_schema(
        operation_id="list_cohorts",
        summary="List cohorts",
        description="Cohorts of the active config: each tree in the order of the text, roots "
        "first.",
        parameters=[
            query("q", _SEARCH["q"]),
            query("sort", _SEARCH["sort"], enum=[each.value for each in CohortSort]),
            *PAGED,
        ],
        responses={200: schemas.CohortPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List cohorts."""
        # The config limits the number of cohorts, and each one needs its whole tree, so the
        # complete list is computed and then cut into pages.
        search = CohortSearch.from_query(request.query_params)
        cohorts = search.applied(cohort_list(self.actor.org))
        (start,) = read_cursor(request.query_params.get("cursor")) or (0,)
        end = start + self.limit(request)
        rest = write_cursor(end) if end < len(cohorts) else None
        return results([cohort_answer(cohort) for cohort in cohorts[start:end]], rest)


class OneCohort(OrgView):
    """One cohort."""

    @extend_schema(
        operation_id="get_cohort",
        summary="Get a cohort",
        description="With all queues and cohorts below it, loans, and reasons of pending "
        "workloads. The size of the response depends on the config, not on the number of "
        "workloads.",
        responses={200: schemas.WholeCohort, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, cohort: str, **kwargs: Any) -> Response:
        """Return a cohort."""
        return Response(whole_cohort_answer(cohort_view(self.actor.org, cohort)))
