"""Schemas of saved views of the list of workloads."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.workloads.columns import MOST_COLUMNS, WORKLOADS
from console.workloads.saved_views import LONGEST_NAME, LONGEST_QUERY, MOST_PERSONAL, MOST_SHARED


class SavedViewIn(Schema):
    """A view to save."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    query = serializers.CharField(
        max_length=LONGEST_QUERY,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="Filters and `group_by` of the list of workloads, such as `state=pending`.",
    )
    columns = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        allow_null=True,
        max_length=MOST_COLUMNS,
        help_text=(
            f"Columns in order: {', '.join(WORKLOADS.names)} or label.KEY. Empty means the default "
            "columns."
        ),
    )
    is_shared = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="Whether all members see the view; operators, editors and owners can share "
        "views.",
    )


class SavedView(Schema):
    """A saved view."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    query = serializers.CharField(allow_blank=True)
    columns = serializers.ListField(child=serializers.CharField())
    is_shared = serializers.BooleanField()
    author = serializers.CharField(help_text="The member or token that saved it last.")
    is_own = serializers.BooleanField()
    may_delete = serializers.BooleanField()
    updated_at = serializers.DateTimeField()


class SavedViews(Schema):
    """All views that you can see, by name."""

    results = SavedView(
        many=True, help_text=f"At most {MOST_PERSONAL} personal and {MOST_SHARED} shared views."
    )


EXAMPLE_IN = {
    "name": "Waiting for spot",
    "query": "state=pending&reason=waiting_for_quota&group_by=queue",
    "columns": ["reason", "wants", "label.team"],
    "is_shared": True,
}
