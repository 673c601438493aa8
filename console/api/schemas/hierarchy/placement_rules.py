"""Schemas of placement rules."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Range, Schema


class PlacementRule(Schema):
    """One placement rule of a partition."""

    partition = serializers.CharField()
    rule_index = serializers.IntegerField(help_text="In its partition, from 0.")
    text = serializers.CharField(help_text="Which queue it answers.")
    filter = serializers.CharField(
        allow_blank=True, help_text="The users that it is for; empty: all users."
    )
    creates = serializers.BooleanField(help_text="Whether it creates a queue that is missing.")
    placed = serializers.IntegerField(help_text="Workloads of the last 7 days.")
    range = Range(allow_null=True, help_text="Its lines in the active config.")


class PlacementRules(Schema):
    """One page of the placement rules of all partitions, in the order in which they are asked."""

    rules = PlacementRule(many=True, help_text="Empty under a scheduler without such rules.")
    next = serializers.CharField(
        allow_null=True, help_text="The cursor of the next page; null on the last page."
    )
    by_default = serializers.IntegerField(
        help_text="Workloads that got a queue by a rule that the config does not state."
    )
    rejected = serializers.IntegerField(help_text="Workloads that no rule placed.")
    unknown = serializers.IntegerField(
        help_text="Workloads that no rule placed, and whose user was not recorded because the "
        "config of that time did not read users."
    )
    is_complete = serializers.BooleanField(help_text="If not, the numbers are minimums.")
