"""Schemas of shares: what queues are entitled to, and how it came about."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema


class ShareOfResource(Schema):
    """One resource of a queue, in its unit; with the workloads of the queues below it."""

    resource = serializers.CharField()
    quota = serializers.FloatField(allow_null=True, help_text="Null: unlimited.")
    limit = serializers.FloatField(allow_null=True, help_text="Null: unlimited.")
    weight = serializers.FloatField(help_text="Of the queue in the division of the surplus.")
    requested = serializers.FloatField(help_text="By running and pending workloads.")
    used = serializers.FloatField(help_text="By running workloads.")
    non_preemptible = serializers.FloatField(help_text="The part used that cannot be preempted.")
    fair_share = serializers.FloatField(help_text="The sum of the three parts that follow.")
    guaranteed = serializers.FloatField(help_text="By the quota, as far as it is requested.")
    surplus = serializers.FloatField(help_text="By priority and weight.")
    rounding = serializers.FloatField(help_text="A unit that rounding left over, or a part of it.")
    changed_fair_share = serializers.FloatField(
        allow_null=True, help_text="With the requested change; null if none was requested."
    )


class Reclaimable(Schema):
    """The most that workloads of a queue may reclaim now from another queue."""

    queue = serializers.CharField()
    resource = serializers.CharField()
    amount = serializers.FloatField()


class SharesOfQueue(Schema):
    """The shares of one queue, and its place among its siblings."""

    queue = serializers.CharField()
    parent = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    depth = serializers.IntegerField(help_text="0 for a queue without a parent.")
    has_children = serializers.BooleanField()
    priority = serializers.IntegerField(help_text="Of the queue.")
    dominant_share = serializers.FloatField(
        help_text="The largest part, over all resources, of what it may use that is in use."
    )
    dominant_resource = serializers.CharField()
    place = serializers.IntegerField(help_text="Among its siblings; the first is served next.")
    siblings = serializers.IntegerField(help_text="Their number, itself included.")
    behind = serializers.CharField(
        allow_null=True, help_text="The sibling before it; null for the first."
    )
    behind_because = serializers.CharField(
        allow_blank=True, help_text="What tells the sibling before it apart; empty for the first."
    )
    resources = ShareOfResource(many=True)
    reclaimable = Reclaimable(
        many=True, help_text="The largest amounts; only of the queue that `of` names."
    )


class AmountOfResource(Schema):
    """An amount of one resource, in its unit."""

    resource = serializers.CharField()
    amount = serializers.FloatField()


class Shares(Schema):
    """The shares of all queues, each queue after its parent."""

    total = AmountOfResource(many=True, help_text="What ready nodes offer.")
    remaining = AmountOfResource(many=True, help_text="What no queue could use of it.")
    queues = SharesOfQueue(
        many=True, help_text="Empty under a scheduler whose queues have no shares."
    )
