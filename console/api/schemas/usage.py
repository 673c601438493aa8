"""Schemas of use, demand, counts and waits over time."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, simulated_until_field
from console.series.models import Step


class Level(Schema):
    """A number over the sampled minutes of a point."""

    mean = serializers.FloatField(help_text="Mean of these minutes.")
    peak = serializers.FloatField(help_text="Maximum of these minutes.")


class UsageCell(Schema):
    """One flavor-resource over the sampled minutes of a point."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(
        allow_null=True,
        help_text="Nominal quota at the start of the point; null if unlimited.",
    )
    limit = serializers.FloatField(
        allow_null=True,
        help_text="Limit at the start of the point; null if unlimited.",
    )
    used = Level()
    borrowed = Level(help_text="Used quota that is borrowed.")
    over = Level(help_text="Use beyond nominal quota that is not borrowed.")
    lent = Level(help_text="Quota used by other queues.")


class Happened(Schema):
    """Counts of workloads by event."""

    submitted = serializers.IntegerField()
    admitted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    preempted = serializers.IntegerField()
    finished = serializers.IntegerField()
    withdrawn = serializers.IntegerField()


class Waits(Schema):
    """Waits until the first admission, in seconds, accurate to 4.5 % or 0.1 s."""

    p50 = serializers.FloatField(allow_null=True, help_text="Median wait; null without admissions.")
    p95 = serializers.FloatField(
        allow_null=True, help_text="95th percentile; null with fewer than 20 admissions."
    )
    n = serializers.IntegerField(help_text="Number of admissions.")


class UsagePoint(Schema):
    """One minute, hour or day."""

    start = serializers.DateTimeField()
    sampled_minutes = serializers.IntegerField(
        help_text="Number of sampled minutes. 0 is a gap: use, demand and counts of running and "
        "pending workloads are null."
    )
    running = Level(allow_null=True)
    pending = Level(allow_null=True)
    usage = UsageCell(many=True, allow_null=True)
    demand = serializers.DictField(
        child=Level(),
        allow_null=True,
        help_text="Requests of pending workloads that can run, by resource.",
    )
    cannot_run_demand = serializers.DictField(
        child=Level(),
        allow_null=True,
        help_text="Requests of pending workloads that cannot run under the config active at that "
        "time, by resource.",
    )
    happened = Happened()
    waits = Waits()


class UsageSeries(Schema):
    """One page of a series, the oldest point first."""

    step = serializers.ChoiceField(Step.values)
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    kept_since = serializers.DateTimeField(
        help_text="Start of the retention period of this step; older points are deleted."
    )
    simulated_until = simulated_until_field()
    results = UsagePoint(many=True)
    next = serializers.CharField(
        allow_null=True, help_text="The cursor of the next page; null on the last page."
    )


class WaitsOf(Waits):
    """Waits of the workloads admitted in the last hours."""

    hours = serializers.IntegerField()
