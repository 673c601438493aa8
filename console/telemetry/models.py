"""Models of cumulative totals, which never decrease."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class Metric(models.TextChoices):
    """Kinds of totals; the first six count workloads."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    EVICTED = "evicted"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"
    #: Time from submission to the first admission.
    ADMISSION_WAIT = "admission_wait"
    #: Time from the first fact of a batch until its decisions are ready to be written.
    CYCLE = "cycle"
    #: Time from an accepted request until its batch.
    INTAKE_WAIT = "intake_wait"
    #: Time to rebuild a state from rows, where the worker had no valid one.
    LOAD = "load"
    #: Leases taken from a process that ended or did not renew.
    TAKEOVER = "takeover"


class Total(models.Model):
    """
    One cumulative total.

    Written in the transaction of the counted change, so that it is exact and survives restarts:
    monitoring systems see no reset.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    metric = models.CharField(max_length=16, choices=Metric.choices)
    #: Empty for totals without a queue.
    queue = models.CharField(max_length=500, blank=True)
    #: A reason, the bucket of a duration, or `console.telemetry.totals.SUM`; otherwise empty.
    label = models.CharField(max_length=40, blank=True)
    #: A count; for a sum, microseconds.
    value = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "metric", "queue", "label"], name="one_total_per_label"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.queue} {self.label}: {self.value}"
