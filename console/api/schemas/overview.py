"""Schemas of the overview: what needs attention, and the numbers of an organization."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.api.schemas.usage import Waits
from console.overview.items import Kind, Level


class AttentionSubject(Schema):
    """One thing that an item is about; what does not apply is null, or empty."""

    name = serializers.CharField(
        help_text="Of a queue, version, draft, expectation, webhook or token."
    )
    number = serializers.IntegerField(
        allow_null=True, help_text="Of a version, draft or webhook; the index of a rule, from 0."
    )
    count = serializers.IntegerField(help_text="How many workloads it concerns.")
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    actor = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True, help_text="What the actor gave as the reason.")


class AttentionItem(Schema):
    """Something that wants somebody."""

    key = serializers.CharField(help_text="The same while it is about the same matter.")
    code = serializers.ChoiceField(choices=[kind.value for kind in Kind])
    reason = serializers.CharField(
        allow_null=True, help_text="Why workloads were rejected or cannot run; what a worker lacks."
    )
    level = serializers.ChoiceField(choices=[level.value for level in Level])
    count = serializers.IntegerField(
        help_text="How many workloads, queues, drafts and so on it is about."
    )
    is_exact = serializers.BooleanField(help_text="False: there are at least so many.")
    since = serializers.DateTimeField(
        allow_null=True, help_text="Since when at least one of them; null where nobody knows."
    )
    subjects = AttentionSubject(
        many=True, help_text="The first 50 of what it is about; of workloads their queues."
    )
    link = serializers.CharField(
        allow_null=True, help_text="The address in this API that says more."
    )


class OverviewNumber(Schema):
    """A count, now and a week ago."""

    now = serializers.IntegerField()
    week_ago = serializers.FloatField(
        allow_null=True, help_text="The mean of that hour; null when nobody looked then."
    )


class OverviewPending(OverviewNumber):
    """How many workloads wait, now and a week ago."""

    cannot_run = serializers.IntegerField(
        help_text="How many of those in a queue can never run under the active config."
    )


class OverviewNumbers(Schema):
    """What is asked for first."""

    running = OverviewNumber()
    pending = OverviewPending()
    rejected = OverviewNumber(help_text="In the last 24 hours.")


class OverviewUsage(Schema):
    """One flavor-resource of the whole organization."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(allow_null=True, help_text="Null for unlimited.")
    used = serializers.FloatField()
    over = serializers.FloatField(help_text="Of what is used: beyond all nominal quota.")
    demand = serializers.FloatField(help_text="What pending workloads that could run ask for.")
    cannot_run_demand = serializers.FloatField(
        help_text="The same of pending workloads that can never run under the active config."
    )


class Overview(Schema):
    """The organization at this moment."""

    attention = AttentionItem(many=True, help_text="The gravest first.")
    numbers = OverviewNumbers()
    waits = Waits(help_text="Of the last 24 hours.")
    usage = OverviewUsage(many=True)
