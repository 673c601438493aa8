"""Schemas of counts of workloads by group."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.workloads.queries.groups import GROUPINGS, MOST_COUNTED, MOST_GROUPS


class WorkloadGroup(Schema):
    """Workloads with the same value."""

    value = serializers.CharField(allow_null=True, help_text="Null for workloads without a value.")
    count = serializers.IntegerField()


class WorkloadGroups(Schema):
    """Counts of workloads by group, the largest first."""

    group_by = serializers.ChoiceField(GROUPINGS)
    groups = WorkloadGroup(many=True, help_text=f"At most {MOST_GROUPS} groups.")
    is_exact = serializers.BooleanField(
        help_text=f"Whether all workloads are counted; otherwise only the newest {MOST_COUNTED:,}."
    )
    is_cut = serializers.BooleanField(help_text="Whether there are more groups.")
