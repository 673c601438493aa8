"""Schemas of what is kept for how long."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.retention.models import Kind


class Keeping(Schema):
    """One kind of thing that an organization has."""

    kind = serializers.ChoiceField(Kind.values)
    days = serializers.IntegerField(allow_null=True, help_text="How long; null without end.")
    setting = serializers.CharField(
        allow_null=True, help_text="The environment variable that says so; null when none does."
    )
    rows = serializers.IntegerField(
        allow_null=True, help_text="How many there are; null for what belongs to people."
    )
    has_more_rows = serializers.BooleanField(
        help_text="Whether there are more, and only so many were counted."
    )
    oldest = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was last looked through for what is too old."
    )
    forgotten_at = serializers.DateTimeField(
        allow_null=True, help_text="When some of this organization's was last deleted."
    )
    forgotten = serializers.IntegerField(help_text="How many rows then.")


class Retention(Schema):
    """All that is kept."""

    results = Keeping(many=True)
