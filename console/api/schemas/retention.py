"""Schemas of retention periods."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.retention.models import Kind


class RetentionStatus(Schema):
    """Retention of one kind of data."""

    kind = serializers.ChoiceField(Kind.values)
    days = serializers.IntegerField(
        allow_null=True, help_text="Retention period in days; null if unlimited."
    )
    setting = serializers.CharField(
        allow_null=True, help_text="The environment variable that sets it; null if it is fixed."
    )
    rows = serializers.IntegerField(
        allow_null=True, help_text="Number of rows; null for data of persons."
    )
    has_more_rows = serializers.BooleanField(
        help_text="Whether there are more rows than were counted."
    )
    oldest = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(allow_null=True, help_text="Last check for expired rows.")
    forgotten_at = serializers.DateTimeField(
        allow_null=True, help_text="Last deletion of rows of this organization."
    )
    forgotten = serializers.IntegerField(help_text="Number of rows in the last deletion.")


class Retention(Schema):
    """Retention of all kinds of data."""

    results = RetentionStatus(many=True)
