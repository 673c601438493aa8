"""Saved views of the list of workloads."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.saved_views import view_answer
from console.api.base import OrgView
from console.api.schemas import saved_views as schemas
from console.api.schemas.common import example, problems
from console.policies.queries import active_policy
from console.workloads.columns import MOST_COLUMNS
from console.workloads.saved_views import LONGEST_NAME, LONGEST_QUERY, get_view, views_of
from console.workloads.services.save_view import delete_view, save_view

_FIELDS = ("name", "query", "columns", "is_shared")


class SavedViews(OrgView):
    """Saved views of a member or token."""

    @extend_schema(
        operation_id="list_views",
        summary="List saved views",
        description="Shared and personal views, by name. A token has its own personal views.",
        responses={200: schemas.SavedViews, **problems()},
        tags=["workloads"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List saved views."""
        found = views_of(self.actor)
        policy = active_policy(self.actor.org)
        return Response({"results": [view_answer(self.actor, view, policy) for view in found]})

    @extend_schema(
        operation_id="save_view",
        summary="Save a view",
        description="Replaces the personal or shared view of the same name.",
        request=schemas.SavedViewIn,
        responses={200: schemas.SavedView, **problems(409, 413, 415)},
        examples=[example("Pending workloads by queue", schemas.EXAMPLE_IN, request=True)],
        tags=["workloads"],
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Save a view."""
        reader, fields = self.fields(request, _FIELDS, required=("name",))
        name = reader.text(fields.get("name"), "name", LONGEST_NAME, blank=False)
        query = reader.text(fields.get("query"), "query", LONGEST_QUERY)
        given = fields.get("columns")
        items = reader.items([] if given is None else given, "columns", 0, MOST_COLUMNS)
        columns = [reader.text(item, f"columns[{i}]", 300) for i, item in enumerate(items)]
        is_shared = reader.flag(fields.get("is_shared"), "is_shared")
        reader.finish()
        saved = save_view(self.actor, name, query, columns, is_shared=is_shared)
        return Response(view_answer(self.actor, saved, active_policy(self.actor.org)))


class OneView(OrgView):
    """One saved view."""

    @extend_schema(
        operation_id="delete_view",
        summary="Delete a saved view",
        description="Allowed for the author, and for owners if the view is shared. The response "
        "is the deleted view.",
        responses={200: schemas.SavedView, **problems()},
        tags=["workloads"],
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Delete a saved view."""
        deleted = get_view(self.actor, number)
        answer = view_answer(self.actor, deleted, active_policy(self.actor.org))
        delete_view(self.actor, number)
        return Response(answer)
