"""Users and groups with what they use in each queue, and the limits there."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.hierarchy.users import holder_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas.common import PAGED, problems, query
from console.api.schemas.hierarchy import users as schemas
from console.paging import read_cursor, write_cursor
from console.workloads.queries.hierarchy.user_search import KINDS, UserSearch
from console.workloads.queries.hierarchy.user_usage import user_use_of

_SEARCH = {"q": "Part of a name, ignoring case.", "kind": "Only users, or only groups."}


class UsersAndGroups(OrgView):
    """Users and groups of workloads."""

    parameters = (*_SEARCH, *PAGING)

    @extend_schema(
        operation_id="list_users_and_groups",
        summary="List users and groups",
        description="What each user and group uses in each queue, beside the limits there, those "
        "of whose limit the largest part is used first. With users and groups that a limit names "
        "and that use nothing. Empty under a scheduler whose queues have no such limits.",
        parameters=[
            query("q", _SEARCH["q"]),
            query("kind", _SEARCH["kind"], enum=list(KINDS)),
            *PAGED,
        ],
        responses={200: schemas.UserOrGroupPage, **problems()},
        tags=["queues"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List users and groups."""
        search = UserSearch.from_query(request.query_params)
        found = user_use_of(self.actor.org)
        holders = search.applied(found.holders if found is not None else ())
        (start,) = read_cursor(request.query_params.get("cursor")) or (0,)
        end = start + self.limit(request)
        rest = write_cursor(end) if end < len(holders) else None
        return results([holder_answer(each) for each in holders[start:end]], rest)
