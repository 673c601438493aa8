"""Impact runs: what a text would do to live work and to recorded history, found by a worker."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ImpactRun(models.Model):
    """One question, its progress and its answer; kept so that a page can be opened again."""

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="impact_runs")
    #: Who asked, as versions record authors.
    author = models.CharField(max_length=254)
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    #: SHA-256 of language and text: the same question about the same base is asked once.
    digest = models.CharField(max_length=64)
    #: The active version it is compared with; 0: none.
    base = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Of how many steps how many are done.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    is_cancelled = models.BooleanField(default=False)
    #: As `console.configs.stored_impact` writes it; None until it is done.
    result = models.JSONField(null=True)
    #: One sentence, when it failed.
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    #: When something was last heard of it; silence means that its worker is gone.
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
