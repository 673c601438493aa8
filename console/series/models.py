"""
Models of samples, tallies, quotas over time, and sampled minutes.

Zeros are not stored. `SampledHour` and `SampledDay` distinguish them from gaps: a minute that is
not in them was not sampled.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization
from console.workloads.transitions import TransitionKind


class Kind(models.TextChoices):
    """The subject of a series: a queue, a cohort, the whole organization, or a cluster."""

    QUEUE = "queue"
    COHORT = "cohort"
    ORG = "org"
    #: The nodes of a cluster together; the columns hold six characters.
    CLUSTER = "nodes"


class Step(models.TextChoices):
    """Length of time of one row, aligned to UTC."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"


class Sampler(models.Model):
    """Progress of sampling and rolling up of one organization, and the last sample."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="sampler"
    )
    #: The last sampled minute. The transaction that moves it writes the samples of that minute.
    minute = models.DateTimeField(null=True)
    #: Version of the engine's row in the last sample.
    engine_version = models.BigIntegerField(default=-1)
    config_version = models.PositiveIntegerField(default=0)
    #: {"kind:name": digest} of all subjects that were not zero.
    digests = models.JSONField(default=dict)
    is_empty = models.BooleanField(default=True)
    #: Hours that begin before this are final; None before the first.
    rolled_until = models.DateTimeField(null=True)
    #: Expiry of the lock for rolling up and deleting.
    busy_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sampler of {self.org_id} at {self.minute}"


class SampledHour(models.Model):
    """The sampled minutes of an hour: one bit each, the first the lowest."""

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
    """The number of sampled minutes of a day."""

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
    Use and demand of a subject in one minute, hour or day.

    A row of a minute is valid until the next row of its subject in the same hour; unchanged
    minutes have no rows. The first sampled minute of an hour has a row for every subject that was
    not zero.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    step = models.CharField(max_length=6, choices=Step.choices)
    start = models.DateTimeField()
    #: Number of sampled minutes of the sums below.
    minutes = models.PositiveIntegerField()
    #: Sums over these minutes, and maxima. `console.series.totals` reads the other columns.
    running = models.BigIntegerField()
    running_peak = models.PositiveIntegerField()
    pending = models.BigIntegerField()
    pending_peak = models.PositiveIntegerField()
    cells = models.JSONField()
    demand = models.JSONField()
    cannot_run_demand = models.JSONField(default=dict)
    #: Highest use of any nominal quota, in thousandths of it.
    tightest = models.PositiveIntegerField()
    #: Counts of hours and days: {what: count}, and {wait bucket: admissions}.
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
    Count of one kind of event of workloads of a subject in one minute.

    Admissions are counted by wait, so that these rows are also a histogram of waits; see
    `console.series.waits` for *bucket*. Counts of hours and days are in `SeriesPoint`.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    start = models.DateTimeField()
    what = models.CharField(max_length=9, choices=TransitionKind.choices)
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
    """
    Nominal quota and limit of a subject, from one sample to another.

    The nominal quota of a cluster is what its nodes offer; it has no other limit.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.CharField(max_length=500)
    since = models.DateTimeField()
    #: When another row replaced it; None while it is current.
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
