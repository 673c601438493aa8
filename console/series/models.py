"""
What is kept of time: samples, tallies, the quota in force, and which minutes were looked at.

Nothing is stored where nothing was. That nobody looked is told apart by `SampledHour`
and `SampledDay`: a minute that is not in them is a gap, and never a zero.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization
from console.workloads.happenings import What


class Kind(models.TextChoices):
    """What a series is about."""

    QUEUE = "queue"
    COHORT = "cohort"
    ORG = "org"


class Step(models.TextChoices):
    """How much time one row stands for; each begins on an edge of UTC."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"


class Sampler(models.Model):
    """How far sampling and rolling up of one organization are, and what was seen last."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="sampler"
    )
    #: The last minute that was sampled. Whoever moves it writes that minute, nobody else.
    minute = models.DateTimeField(null=True)
    #: What the engine's row said then.
    engine_version = models.BigIntegerField(default=-1)
    config_version = models.PositiveIntegerField(default=0)
    #: {"kind:name": digest} of everything that was not zero.
    digests = models.JSONField(default=dict)
    is_empty = models.BooleanField(default=True)
    #: Hours that begin before this are rolled up for good; None before the first.
    rolled_until = models.DateTimeField(null=True)
    #: Until when somebody rolls up or forgets, unless they say so again.
    busy_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sampler of {self.org_id} at {self.minute}"


class SampledHour(models.Model):
    """Which minutes of an hour were sampled: a bit for each, the first the lowest."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    start = models.DateTimeField()
    minutes = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "start"], name="one_coverage_per_hour")
        ]

    def __str__(self) -> str:
        return f"{self.minutes.bit_count()} minutes of {self.start:%Y-%m-%d %H}"


class SampledDay(models.Model):
    """How many minutes of a day were sampled."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    start = models.DateTimeField()
    minutes = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "start"], name="one_coverage_per_day")
        ]

    def __str__(self) -> str:
        return f"{self.minutes} minutes of {self.start:%Y-%m-%d}"


class SeriesPoint(models.Model):
    """
    What a subject used and wanted, in one minute, hour or day.

    A row of a minute holds until the next row of its subject in the same hour:
    minutes in which nothing changed have none. The first minute of an hour that was
    sampled has a row for every subject that was not at zero.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    step = models.CharField(max_length=6, choices=Step.choices)
    start = models.DateTimeField()
    #: Sampled minutes that the sums below are over.
    minutes = models.PositiveIntegerField()
    #: Sums over these minutes, and the largest of them. `console.series.totals` reads the rest.
    running = models.BigIntegerField()
    running_peak = models.PositiveIntegerField()
    pending = models.BigIntegerField()
    pending_peak = models.PositiveIntegerField()
    cells = models.JSONField()
    demand = models.JSONField()
    cannot_run_demand = models.JSONField(default=dict)
    #: The most that was used of any nominal quota, in thousandths of it.
    tightest = models.PositiveIntegerField()
    #: What happened, of hours and days: {what: count}, and {bucket of the wait: admissions}.
    counts = models.JSONField(default=dict)
    waits = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "kind", "name", "step", "start"], name="one_point_per_time"
            )
        ]
        indexes = [models.Index(fields=["org", "step", "start"], name="point_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name} in the {self.step} from {self.start}"


class Tally(models.Model):
    """
    How often something happened to workloads of a subject in one minute.

    Admissions are counted by how long they were waited for, so that these rows are
    a histogram of waits too; see `console.series.waits` for *bucket*. Hours and days
    keep theirs in `SeriesPoint`.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    start = models.DateTimeField()
    what = models.CharField(max_length=9, choices=What.choices)
    bucket = models.IntegerField()
    count = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "kind", "name", "start", "what", "bucket"],
                name="one_tally_per_minute",
            )
        ]
        indexes = [models.Index(fields=["org", "start"], name="tally_by_time")]

    def __str__(self) -> str:
        return f"{self.count} {self.what} of {self.kind} {self.name} from {self.start}"


class QuotaLine(models.Model):
    """What a subject owned and could use at most, from one sample to another."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    since = models.DateTimeField()
    #: When another line took its place; None while it is in force.
    until = models.DateTimeField(null=True)
    config_version = models.PositiveIntegerField()
    #: [[flavor, resource, nominal, limit]], amounts as `amounts.encode_amount` writes them.
    quotas = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "kind", "name", "since"], name="one_quota_line_per_time"
            )
        ]
        indexes = [models.Index(fields=["org", "until"], name="quota_line_by_end")]

    def __str__(self) -> str:
        return f"quota of {self.kind} {self.name} since {self.since}"
