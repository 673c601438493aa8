"""Schemas of use, demand, counts and waits over time."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema
from console.series.models import Step


class Level(Schema):
    """A number over the sampled minutes of a point."""

    mean = serializers.FloatField(help_text="The mean over these minutes.")
    peak = serializers.FloatField(help_text="The largest of them.")


class UsageCell(Schema):
    """One flavor-resource over the sampled minutes of a point."""

    flavor = serializers.CharField()
    resource = serializers.CharField()
    nominal = serializers.FloatField(
        allow_null=True,
        help_text="What it owned first in this time; null for unlimited.",
    )
    limit = serializers.FloatField(
        allow_null=True,
        help_text="What it could use at most then; null for unlimited.",
    )
    used = Level()
    borrowed = Level(help_text="Of what is used: quota of others in the cohort.")
    over = Level(help_text="Of what is used: beyond nominal, and borrowed from nobody.")
    lent = Level(help_text="What others used of its quota.")


class Happened(Schema):
    """How many workloads something happened to."""

    submitted = serializers.IntegerField()
    admitted = serializers.IntegerField()
    rejected = serializers.IntegerField()
    preempted = serializers.IntegerField()
    finished = serializers.IntegerField()
    withdrawn = serializers.IntegerField()


class Waits(Schema):
    """How long first admissions were waited for, in seconds: within 4.5 %, or a tenth."""

    p50 = serializers.FloatField(
        allow_null=True, help_text="Half of them waited no longer; null when there are none."
    )
    p95 = serializers.FloatField(
        allow_null=True, help_text="95 of 100 waited no longer; null with fewer than 20."
    )
    n = serializers.IntegerField(help_text="How many there were.")


class UsagePoint(Schema):
    """One minute, hour or day."""

    start = serializers.DateTimeField()
    sampled_minutes = serializers.IntegerField(
        help_text="Minutes that were looked at. 0: a gap, in which nothing is known of use, demand "
        "and what ran and waited, and these are null."
    )
    running = Level(allow_null=True)
    pending = Level(allow_null=True)
    usage = UsageCell(many=True, allow_null=True)
    demand = serializers.DictField(
        child=Level(),
        allow_null=True,
        help_text="What pending workloads that could run asked for, by resource.",
    )
    cannot_run_demand = serializers.DictField(
        child=Level(),
        allow_null=True,
        help_text="The same of pending workloads that could never run under the config of then.",
    )
    happened = Happened()
    waits = Waits()


class UsageSeries(Schema):
    """One page of a series, the oldest point first."""

    step = serializers.ChoiceField(Step.values)
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    kept_since = serializers.DateTimeField(
        help_text="From when on points of this step are kept; there are none before."
    )
    results = UsagePoint(many=True)
    next = serializers.CharField(
        allow_null=True, help_text="The cursor of the next page; null on the last."
    )


class WaitsOf(Waits):
    """How long the admissions of some hours were waited for."""

    hours = serializers.IntegerField()
