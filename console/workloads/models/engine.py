"""Models of the engine's state: its lease and progress, and the aggregates that pages read."""

from __future__ import annotations

from django.db import models

from console.engine.model.reasons import LONGEST_CODE
from console.orgs.models import Organization
from console.workloads.fields import ExactIntegerField


class Engine(models.Model):
    """The admission engine of one organization: its lease, version and progress."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="engine"
    )
    #: The owner of the lease, empty without one, and its end.
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    #: Fencing number, increased with every lease; writes under an older one are rejected.
    fence = models.BigIntegerField(default=0)
    #: Increased with every write; a warm state is valid for one version.
    version = models.BigIntegerField(default=0)
    #: The config version under which the engine decides; 0 before the first one.
    config_version = models.PositiveIntegerField(default=0)
    #: Whether the last write left nothing to decide. False marks a run that its deadline or a crash
    #: ended early, so that it is continued.
    is_settled = models.BooleanField(default=True)
    #: The time of the last applied facts, in milliseconds since 1970 in UTC; None before the
    #: first.
    advanced_to = models.BigIntegerField(null=True)
    #: The time at which decisions may change without new facts, in the same unit; None: never.
    wakes_at = models.BigIntegerField(null=True)
    #: {state: number of workloads}
    counts = models.JSONField(default=dict)
    settled_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"engine of {self.org} at {self.version}"


class Usage(models.Model):
    """The usage of one flavor-resource by the running workloads of a queue, in thousandths."""

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


class NodeUsage(models.Model):
    """
    The amounts that running workloads use on one node; a node without usage has no row.

    The node may have been removed from its cluster, or the cluster may be gone.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="node_usage", db_index=False
    )
    #: The cluster and the node, joined by a slash, which names of clusters do not contain.
    key = models.CharField(max_length=600)
    cluster = models.CharField(max_length=253)
    node = models.CharField(max_length=253)
    #: {resource: thousandths}
    used = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_usage_per_node")]
        indexes = [models.Index(fields=["org", "cluster"], name="node_usage_of_cluster")]

    def __str__(self) -> str:
        return f"{self.key}: {self.used}"


class UsageHistory(models.Model):
    """
    The usage history that the engine knows; see `console.engine.model.usage_history`.

    An organization has a row while its policy reads past usage.
    """

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="usage_history"
    )
    #: In milliseconds since 1970 in UTC; None before the first measurement.
    measured_at = models.BigIntegerField(null=True)
    #: {queue: {resource: part of the capacity}}
    parts = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"usage history of {self.org_id} at {self.measured_at}"


class OverQuota(models.Model):
    """
    The time since which a queue continuously uses more than its nominal quota of a flavor-resource.

    That was so after every batch of the engine since then. A queue within its nominal quota has no
    row.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="above_nominal", db_index=False
    )
    queue = models.CharField(max_length=500)
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    since = models.DateTimeField()
    #: The config version under which the engine decided at that time.
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
    """Numbers of running and pending workloads of a queue, stored so that pages do not count."""

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
    Pending workloads of one queue that are equal for admission, and their reason.

    The reason is stored here instead of on each workload, so that an event costs the same for ten
    pending workloads as for ten thousand.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="pending_classes", db_index=False
    )
    key = models.CharField(max_length=64)
    queue = models.CharField(max_length=500)
    priority = models.BigIntegerField()
    #: The request of one workload, including ``pods`` if they are limited: {resource: thousandths}.
    requests = models.JSONField()
    reason = models.CharField(max_length=LONGEST_CODE)
    #: The shortage in the best flavor: {"flavor/resource": thousandths}.
    missing = models.JSONField(default=dict)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_row_per_class")]
        indexes = [models.Index(fields=["org", "queue", "-priority"], name="class_in_order")]

    def __str__(self) -> str:
        return f"{self.count} pending in {self.queue}: {self.reason}"
