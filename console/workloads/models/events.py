"""Model of events: recorded occurrences, stored as facts without sentences."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from console.orgs.models import Organization
from console.workloads.models.workloads import Workload


class EventType(models.TextChoices):
    """Types of events; all but the last fifteen have names of the public client's protocol."""

    CONFIG_UPDATED = "CONFIG_UPDATED"
    REQUEST_SUBMITTED = "REQUEST_SUBMITTED"
    REQUEST_QUEUED = "REQUEST_QUEUED"
    REQUEST_ADMITTED = "REQUEST_ADMITTED"
    REQUEST_REJECTED = "REQUEST_REJECTED"
    REQUEST_PREEMPTED = "REQUEST_PREEMPTED"
    REQUEST_REQUEUED = "REQUEST_REQUEUED"
    REQUEST_RELEASED = "REQUEST_RELEASED"
    REQUEST_FULFILLED = "REQUEST_FULFILLED"
    REQUEST_ABORTED = "REQUEST_ABORTED"
    REQUEST_FAILED = "REQUEST_FAILED"
    REQUEST_FALLBACK = "REQUEST_FALLBACK"
    QUOTA_BORROWED = "QUOTA_BORROWED"
    QUOTA_RECLAIMED = "QUOTA_RECLAIMED"
    EXPECTATION_SAVED = "EXPECTATION_SAVED"
    EXPECTATION_DELETED = "EXPECTATION_DELETED"
    QUEUE_HELD = "QUEUE_HELD"
    QUEUE_RESUMED = "QUEUE_RESUMED"
    CLUSTER_REGISTERED = "CLUSTER_REGISTERED"
    CLUSTER_CHANGED = "CLUSTER_CHANGED"
    CLUSTER_SILENT = "CLUSTER_SILENT"
    CLUSTER_RETURNED = "CLUSTER_RETURNED"
    CLUSTER_DELETED = "CLUSTER_DELETED"
    PODS_RESIZED = "PODS_RESIZED"
    PODS_FINISHED = "PODS_FINISHED"
    PODS_RELEASED = "PODS_RELEASED"
    PRIORITY_CHANGED = "PRIORITY_CHANGED"
    DEACTIVATED = "DEACTIVATED"
    ACTIVATED = "ACTIVATED"


class Level(models.TextChoices):
    """How important an event is."""

    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class Event(models.Model):
    """One recorded occurrence, as facts; `console.engine.wording` makes its sentence."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="events", db_index=False
    )
    type = models.CharField(max_length=20, choices=EventType.choices)
    level = models.CharField(max_length=8, choices=Level.choices, default=Level.INFO)
    workload = models.ForeignKey(
        Workload, null=True, on_delete=models.CASCADE, related_name="events"
    )
    queue = models.CharField(max_length=500, null=True)
    #: E-mail address of a person, name of a token, or "engine".
    actor = models.CharField(max_length=254)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["org", "-id"], name="event_newest"),
            models.Index(fields=["org", "type", "-id"], name="event_by_type"),
            models.Index(fields=["org", "queue", "-id"], name="event_by_queue"),
            models.Index(fields=["org", "actor", "-id"], name="event_by_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.type} at {self.created_at:%Y-%m-%d %H:%M:%S}"
