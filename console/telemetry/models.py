"""Totals: what was counted since the beginning, and never goes down."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class Metric(models.TextChoices):
    """What is counted; the first six count workloads."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    EVICTED = "evicted"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"
    #: From submission to the first admission.
    ADMISSION_WAIT = "admission_wait"
    #: From the first fact of a batch to what is decided of it, ready to be written.
    CYCLE = "cycle"
    #: From a request that was accepted to the batch that takes it in.
    INTAKE_WAIT = "intake_wait"
    #: From rows to the state that decides, where a worker had none that was still true.
    LOAD = "load"
    #: Leases that were taken from a process that was silent or gone.
    TAKEOVER = "takeover"


class Total(models.Model):
    """
    How much of something there was since the beginning.

    Written in the transaction that does what it counts, so that it is exact and
    outlives every process: a monitoring system sees no reset.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    metric = models.CharField(max_length=16, choices=Metric.choices)
    #: Empty for what is of no queue.
    queue = models.CharField(max_length=500, blank=True)
    #: A reason, the bucket of a duration, or `console.telemetry.totals.SUM`; else empty.
    label = models.CharField(max_length=40, blank=True)
    #: How many; of a sum: microseconds.
    value = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "metric", "queue", "label"], name="one_total_per_label"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.queue} {self.label}: {self.value}"
