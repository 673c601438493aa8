"""Model of impact runs: the effects of a text on live and recorded workloads."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ImpactRun(models.Model):
    """One impact run: its progress and its result, which is stored so that pages can reopen it."""

    class State(models.TextChoices):
        """State of the run."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="impact_runs")
    #: The author, as in versions.
    author = models.CharField(max_length=254)
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    #: SHA-256 of dialect and text, by which an equal run is found.
    digest = models.CharField(max_length=64)
    #: The active version of the comparison; 0 if there is none.
    base = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Completed and total steps.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    is_cancelled = models.BooleanField(default=False)
    #: The result in the form of `console.configs.stored_impact`; None until it is done.
    result = models.JSONField(null=True)
    #: One sentence about a failure.
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    #: Last sign of progress; a run without progress has lost its worker.
    seen_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["org", "digest", "base", "-id"], name="impact_by_question"),
            models.Index(fields=["state", "seen_at"], name="impact_by_silence"),
        ]

    def __str__(self) -> str:
        return f"impact {self.pk} on {self.org} v{self.base}: {self.state}"
