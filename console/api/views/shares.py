"""Shares: what queues are entitled to now, also with one number changed."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.shares import shares_answer
from console.api.base import OrgView
from console.api.schemas import shares as schemas
from console.api.schemas.common import problems, query
from console.engine.disciplines.share_report import ShareNumber
from console.workloads.queries.share_search import ShareSearch
from console.workloads.queries.shares import shares_of

_SEARCH = {
    "of": "The queue of which the answer has what it may reclaim.",
    "queue": "The queue of which one number is changed, without applying it.",
    "number": "The number to change.",
    "resource": "The resource whose number is changed; not for the priority.",
    "value": "The other value, in the unit of the resource; `unlimited` for a quota or limit.",
}


class Shares(OrgView):
    """The shares of all queues."""

    parameters = tuple(_SEARCH)

    @extend_schema(
        operation_id="get_shares",
        summary="Get fair shares",
        description="What every queue of the active config is entitled to now, how it came about, "
        "and in which order siblings are served. With `queue`, `number` and `value`, also what "
        "every fair share would be if this number had another value; nothing is applied. The "
        "size of the response depends on the config, not on the number of workloads.",
        parameters=[
            *(query(name, _SEARCH[name]) for name in ("of", "queue", "resource", "value")),
            query("number", _SEARCH["number"], enum=[each.value for each in ShareNumber]),
        ],
        responses={200: schemas.Shares, **problems()},
        tags=["queues"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the shares of all queues."""
        search = ShareSearch.from_query(request.query_params)
        found = shares_of(self.actor.org, search.change, reclaiming=search.of or None)
        return Response(shares_answer(found))
