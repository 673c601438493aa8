"""When each kind of thing was looked through last, and what was forgotten of an organization."""

from __future__ import annotations

from django.db import models


class Kind(models.TextChoices):
    """What an installation keeps; the words for it are those of whoever shows it."""

    EVENTS = "events"
    DECISIONS = "decisions"
    WORKLOADS = "workloads"
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"
    AUDIT = "audit"
    DELIVERIES = "deliveries"
    IMPACTS = "impacts"
    SHAPES = "shapes"
    ANSWERS = "answers"
    SESSIONS = "sessions"
    DRAFTS = "drafts"
    VERSIONS = "versions"


class Look(models.Model):
    """When a kind of thing was last looked through for what is too old, in all organizations."""

    kind = models.CharField(max_length=12, choices=Kind.choices, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} looked through at {self.at}"


class Forgotten(models.Model):
    """What was forgotten last of an organization."""

    #: By name: `orgs` lies above, and notes here what it deletes.
    org = models.ForeignKey("orgs.Organization", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    at = models.DateTimeField()
    #: How many rows the last time that there were any.
    rows = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "kind"], name="one_row_per_forgotten_kind")
        ]

    def __str__(self) -> str:
        return f"{self.rows} {self.kind} of {self.org_id} at {self.at}"
