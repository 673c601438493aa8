"""
Results that workers precompute for each organization.

Each row belongs to one organization and is rewritten as a whole. Pages read from here data that is
expensive, or needed for many organizations at once.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class Outlook(models.Model):
    """Number of attention items, for badges; the overview page computes its items itself."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="outlook"
    )
    #: Number of items visible to all members, and of those that are not hints.
    items = models.PositiveIntegerField()
    urgent = models.PositiveIntegerField()
    #: SHA-256 of the items.
    digest = models.CharField(max_length=64)
    #: Version of the engine's row at that time.
    engine_version = models.BigIntegerField()
    looked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.urgent} of {self.items} of {self.org_id} at {self.looked_at}"


class CheckUp(models.Model):
    """Results of recorded history and expectations for the active version."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="check_up"
    )
    version = models.PositiveIntegerField()
    checked_at = models.DateTimeField()
    #: The newest event about an expectation that is included; 0 if none.
    last_event = models.BigIntegerField()
    #: Number of broken expectations, and the first names.
    broken_count = models.PositiveIntegerField()
    broken = models.JSONField(default=list)
    #: When history was evaluated, and [[index, queue]] of rules without matches. Empty, too, if
    #: history is too short or too large.
    history_at = models.DateTimeField()
    idle_rules = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"check-up of {self.org_id} v{self.version}"


class Consumption(models.Model):
    """Top consumers of each resource among running workloads."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="consumption"
    )
    #: {resource: {"workload" | "project" | "user": rows}}, see `console.overview.consumers`.
    resources = models.JSONField(default=dict)
    #: Number of measured workloads, and whether these are all running ones.
    looked_through = models.PositiveIntegerField()
    is_whole = models.BooleanField()
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consumption of {self.org_id} at {self.measured_at}"
