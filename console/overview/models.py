"""
What workers found when they last looked at an organization.

Each row belongs to one organization and is written anew as a whole: what takes too long
for a page, or is asked of many organizations at once, is read from here.
"""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class Outlook(models.Model):
    """How much needs somebody, for badges; the overview itself looks for itself."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="outlook"
    )
    #: Items that everybody may see, and those of them that are more than a hint.
    items = models.PositiveIntegerField()
    urgent = models.PositiveIntegerField()
    #: SHA-256 of them: it changes with everything they say.
    digest = models.CharField(max_length=64)
    #: What the engine's row said then.
    engine_version = models.BigIntegerField()
    looked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.urgent} of {self.items} of {self.org_id} at {self.looked_at}"


class CheckUp(models.Model):
    """What history and expectations say of the active version."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="check_up"
    )
    version = models.PositiveIntegerField()
    checked_at = models.DateTimeField()
    #: The newest event about an expectation that it knows of; 0: none.
    last_event = models.BigIntegerField()
    #: How many expectations are not met, and the names of the first of them.
    broken_count = models.PositiveIntegerField()
    broken = models.JSONField(default=list)
    #: When history was looked at, and [[index, queue]] of rules that took nothing of it.
    #: Empty too where history is too short, or is more than can be looked at.
    history_at = models.DateTimeField()
    idle_rules = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"check-up of {self.org_id} v{self.version}"


class Consumption(models.Model):
    """Who consumes most of each resource, among what runs."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="consumption"
    )
    #: {resource: {"workload" | "project" | "user": rows}}, see `console.overview.consumers`.
    resources = models.JSONField(default=dict)
    #: How many workloads were looked at, and whether those are all that run.
    looked_through = models.PositiveIntegerField()
    is_whole = models.BooleanField()
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"consumption of {self.org_id} at {self.measured_at}"
