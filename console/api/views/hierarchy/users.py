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
from console.engine.disciplines.hierarchy.user_report import HolderUse
from console.paging import read_name_cursor, write_name_cursor
from console.workloads.queries.hierarchy.user_search import KINDS, UserSearch
from console.workloads.queries.hierarchy.user_usage import user_use_of

_SEARCH = {"q": "Part of a name, ignoring case.", "kind": "Only users, or only groups."}


class UsersAndGroups(OrgView):
    """Users and groups of workloads."""

    parameters = (*_SEARCH, *PAGING)

    @extend_schema(
        operation_id="list_users_and_groups",
        summary="List users and groups",
        description="What each user and group uses in each queue, beside the limits there: "
        "users, then groups, each by name. With users and groups that a limit names and that use "
        "nothing. Empty under a scheduler whose queues have no such limits.",
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
        after, limit = read_name_cursor(request.query_params.get("cursor")), self.limit(request)
        # Usage changes between pages, so that its order would repeat rows and leave out others.
        left = sorted((each for each in holders if after is None or _key(each) > after), key=_key)
        page = left[:limit]
        rest = write_name_cursor(*_key(page[-1])) if len(left) > limit else None
        return results([holder_answer(each) for each in page], rest)


def _key(holder: HolderUse) -> tuple[int, str]:
    """Return the place of a user or group in the list."""
    return int(holder.is_group), holder.name
