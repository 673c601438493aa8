"""Models of the last check of each kind of rows, and of the last deletion of an organization."""

from __future__ import annotations

from django.db import models


class Kind(models.TextChoices):
    """Kinds of rows with a retention period; pages and the API have their own names for them."""

    EVENTS = "events"
    DECISIONS = "decisions"
    WORKLOADS = "workloads"
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"
    ACCOUNTS = "accounts"
    AUDIT = "audit"
    DELIVERIES = "deliveries"
    IMPACTS = "impacts"
    SHAPES = "shapes"
    ANSWERS = "answers"
    SESSIONS = "sessions"
    DRAFTS = "drafts"
    VERSIONS = "versions"


class Look(models.Model):
    """The last check of one kind of rows for expired ones, in all organizations."""

    kind = models.CharField(max_length=12, choices=Kind.choices, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} looked through at {self.at}"


class Forgotten(models.Model):
    """The last deletion of expired rows of an organization."""

    #: A string reference, because `orgs` imports this package.
    org = models.ForeignKey("orgs.Organization", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    at = models.DateTimeField()
    #: Number of rows of the last deletion.
    rows = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "kind"], name="one_row_per_forgotten_kind")
        ]

    def __str__(self) -> str:
        return f"{self.rows} {self.kind} of {self.org_id} at {self.at}"
