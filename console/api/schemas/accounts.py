"""Schemas of resource-time."""

from __future__ import annotations

from rest_framework import serializers

from console.accounting.window import Step
from console.api.schemas.common import Schema, simulated_until_field


class ResourceTotal(Schema):
    """The resource-seconds of one resource in the organization."""

    resource = serializers.CharField()
    used = serializers.FloatField()
    quota = serializers.FloatField(
        allow_null=True,
        help_text="Nominal quota times its time, in the counted part of the time range; null "
        "without quota, or if it is unlimited.",
    )
    idle = serializers.FloatField(
        allow_null=True, help_text="The part of `quota` that was not used; null without `quota`."
    )


class UsedResource(Schema):
    """The resource-seconds of one resource that one value used."""

    resource = serializers.CharField()
    used = serializers.FloatField()
    share = serializers.FloatField(
        allow_null=True,
        help_text="Share of all use of this resource, 0 to 1; null if nothing used it.",
    )
    quota = serializers.FloatField(
        allow_null=True,
        help_text="Nominal quota of the queue times its time; null for other values than queues, "
        "and without quota.",
    )


class AccountValue(Schema):
    """One queue, user, project, flavor, or value of a label."""

    value = serializers.CharField(allow_null=True, help_text="Null: workloads without one.")
    resources = UsedResource(many=True)


class AccountSeries(Schema):
    """The resource-seconds of `resource` that one value used, for each of `steps`."""

    value = serializers.CharField(allow_null=True)
    used = serializers.ListField(child=serializers.FloatField())


class Accounts(Schema):
    """One page of values, the largest consumer of `resource` first."""

    by = serializers.CharField()
    step = serializers.ChoiceField(Step.values)
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(
        help_text="Equal to `since` if nothing is kept of the time range."
    )
    kept_since = serializers.DateTimeField(help_text="Start of the retention period of days.")
    counted_since = serializers.DateTimeField(
        allow_null=True, help_text="Start of counting; null if nothing was counted yet."
    )
    simulated_until = simulated_until_field()
    resource = serializers.CharField(
        allow_null=True, help_text="The resource that orders the values; null without resources."
    )
    resources = ResourceTotal(many=True, help_text="GPUs first.")
    steps = serializers.ListField(
        child=serializers.DateTimeField(), help_text="Start of each step."
    )
    series = AccountSeries(many=True, help_text="The first 12 values.")
    other = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="All other values together; null if there are none.",
    )
    results = AccountValue(many=True)
    next = serializers.CharField(
        allow_null=True, help_text="The cursor of the next page; null on the last page."
    )
