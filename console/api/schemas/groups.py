"""Schemas of workloads that are counted by what they have in common."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.workloads.queries.groups import GROUPINGS, MOST_COUNTED, MOST_GROUPS


class WorkloadGroup(Schema):
    """Workloads that have one value in common."""

    value = serializers.CharField(allow_null=True, help_text="Null: those that have none.")
    count = serializers.IntegerField()


class WorkloadGroups(Schema):
    """How many workloads are in each group, the largest first."""

    group_by = serializers.ChoiceField(GROUPINGS)
    groups = WorkloadGroup(many=True, help_text=f"At most {MOST_GROUPS}.")
    is_exact = serializers.BooleanField(
        help_text=f"Whether all are counted; otherwise those among the newest {MOST_COUNTED:,}."
    )
    is_cut = serializers.BooleanField(help_text="Whether there are more groups than these.")
