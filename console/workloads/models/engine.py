"""What the worker keeps of an organization: its lease, and the aggregates that pages read."""

from __future__ import annotations

from django.db import models

from console.engine.model.reasons import LONGEST_CODE
from console.orgs.models import Organization
from console.workloads.fields import ExactIntegerField


class Engine(models.Model):
    """One organization's admission engine: who may write for it, and how far it is."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="engine"
    )
    #: The lease: empty, or who runs the engine until when.
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    #: Grows with every lease; a write under an older one is refused.
    fence = models.BigIntegerField(default=0)
    #: Grows with every write; a warm state is valid for one value.
    version = models.BigIntegerField(default=0)
    #: The config version the engine decides under; 0 before the first.
    config_version = models.PositiveIntegerField(default=0)
    #: Whether the last write left nothing to decide. A run that is cut short, by its
    #: deadline or by a crash, is found by this and taken up again.
    is_settled = models.BooleanField(default=True)
    #: The time of the facts that were last applied, in milliseconds since 1970 in UTC; None
    #: before the first.
    advanced_to = models.BigIntegerField(null=True)
    #: The time at which decisions may change without a new fact, in the same unit; None: never.
    wakes_at = models.BigIntegerField(null=True)
    #: {state: number of workloads}
    counts = models.JSONField(default=dict)
    settled_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"engine of {self.org} at {self.version}"


class Usage(models.Model):
    """What the running workloads of a queue hold of one flavor-resource, in thousandths."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="usage", db_index=False
    )
    queue = models.CharField(max_length=500)
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    used = ExactIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "queue", "flavor", "resource"], name="one_usage_per_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.queue} {self.flavor}/{self.resource}: {self.used}"


class OverQuota(models.Model):
    """
    Since when a queue uses more than its nominal quota of a flavor-resource, without a break.

    It was above after every batch of the engine since then. A queue that uses no more than
    it owns has no row.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="above_nominal", db_index=False
    )
    queue = models.CharField(max_length=500)
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    since = models.DateTimeField()
    #: The config version that the engine decided under then.
    config_version = models.PositiveIntegerField()

    class Meta:
        db_table = "workloads_abovenominal"
        constraints = [
            models.UniqueConstraint(
                fields=["org", "queue", "flavor", "resource"], name="one_rise_per_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.queue} {self.flavor}/{self.resource} since {self.since}"


class QueueCount(models.Model):
    """How many workloads of a queue run and wait, kept so that no page has to count."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="queue_counts", db_index=False
    )
    queue = models.CharField(max_length=500)
    running = models.PositiveIntegerField(default=0)
    pending = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "queue"], name="one_count_per_queue")]

    def __str__(self) -> str:
        return f"{self.queue}: {self.running} running, {self.pending} pending"


class PendingClass(models.Model):
    """
    Pending workloads of one queue that are alike for admission, and why they wait.

    The reason is kept here rather than on each workload, so that one event costs
    the same whether ten or ten thousand of them wait.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="pending_classes", db_index=False
    )
    key = models.CharField(max_length=64)
    queue = models.CharField(max_length=500)
    priority = models.BigIntegerField()
    #: What one workload asks of the queue, ``pods`` included where that limits them: {resource:
    #: thousandths}.
    requests = models.JSONField()
    reason = models.CharField(max_length=LONGEST_CODE)
    #: What is short in the best flavor: {"flavor/resource": thousandths}.
    missing = models.JSONField(default=dict)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_row_per_class")]
        indexes = [models.Index(fields=["org", "queue", "-priority"], name="class_in_order")]

    def __str__(self) -> str:
        return f"{self.count} pending in {self.queue}: {self.reason}"
