"""Schemas of the overview: attention items and totals of an organization."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.api.schemas.usage import Waits
from console.overview.items import Kind, Level


class AttentionSubject(Schema):
    """One object of an attention item. Fields that do not apply are null or empty."""

    name = serializers.CharField(
        help_text="Name of a queue, version, draft, expectation, webhook or token."
    )
    number = serializers.IntegerField(
        allow_null=True,
        help_text="Number of a version, draft or webhook, or index of a rule, from 0.",
    )
    count = serializers.IntegerField(help_text="Number of affected workloads.")
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    actor = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True, help_text="The reason stated by the actor.")


class AttentionItem(Schema):
    """A condition that needs attention."""

    key = serializers.CharField(help_text="Stable identifier of the item.")
    code = serializers.ChoiceField(choices=[kind.value for kind in Kind])
    reason = serializers.CharField(
        allow_null=True,
        help_text="Reason why workloads were rejected or cannot run, or the part that a worker "
        "lacks.",
    )
    level = serializers.ChoiceField(choices=[level.value for level in Level])
    count = serializers.IntegerField(
        help_text="Number of affected workloads, queues, drafts or other objects."
    )
    is_exact = serializers.BooleanField(help_text="False if `count` is a lower bound.")
    since = serializers.DateTimeField(
        allow_null=True, help_text="Start of the oldest case; null if unknown."
    )
    subjects = AttentionSubject(
        many=True, help_text="The first 50 affected objects; for workloads, their queues."
    )
    link = serializers.CharField(allow_null=True, help_text="URL in this API with details.")


class OverviewNumber(Schema):
    """A count, now and a week ago."""

    now = serializers.IntegerField()
    week_ago = serializers.FloatField(
        allow_null=True, help_text="Mean of that hour; null without data."
    )


class OverviewPending(OverviewNumber):
    """Pending workloads, now and a week ago."""

    cannot_run = serializers.IntegerField(
        help_text="Pending workloads that cannot run under the active config."
    )


class OverviewNumbers(Schema):
    """Counts of workloads."""

    running = OverviewNumber()
    pending = OverviewPending()
    rejected = OverviewNumber(help_text="Workloads rejected in the last 24 hours.")


class OverviewUsage(Schema):
    """One flavor-resource of the whole organization."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(allow_null=True, help_text="Nominal quota; null if unlimited.")
    used = serializers.FloatField()
    over = serializers.FloatField(help_text="Use beyond the total nominal quota.")
    demand = serializers.FloatField(help_text="Requests of pending workloads that can run.")
    cannot_run_demand = serializers.FloatField(
        help_text="Requests of pending workloads that cannot run under the active config."
    )


class Overview(Schema):
    """The current state of the organization."""

    attention = AttentionItem(many=True, help_text="Attention items, the most severe first.")
    numbers = OverviewNumbers()
    waits = Waits(help_text="Waits of the workloads admitted in the last 24 hours.")
    usage = OverviewUsage(many=True)
