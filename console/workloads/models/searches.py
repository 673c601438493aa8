"""Search runs: searches for what would start a workload that a worker brings to their end."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization
from console.workloads.models.workloads import Workload


class SearchRun(models.Model):
    """One complete search with its progress and result; an organization has one open at a time."""

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="search_runs")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="search_runs")
    #: Who asked, as versions record authors.
    author = models.CharField(max_length=254)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Whether it was canceled; one that runs ends when it notices.
    is_cancelled = models.BooleanField(default=False)
    #: Of how many candidates how many are tried.
    tried = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    #: As `console.workloads.stored_findings` writes it; None until it is done.
    result = models.JSONField(null=True)
    #: The config version that it was searched under.
    config_version = models.PositiveIntegerField(default=0)
    #: One sentence, when it failed.
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: When something was last heard of it; silence means that its worker is gone.
    seen_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["org"],
                condition=models.Q(state__in=("waiting", "running")),
                name="one_open_search_of_an_org",
            )
        ]
        indexes = [models.Index(fields=["state", "seen_at"], name="search_by_silence")]

    def __str__(self) -> str:
        return f"search {self.pk} on {self.workload_id}: {self.state}"

    @property
    def is_open(self) -> bool:
        """Whether it waits for a worker, or one works on it."""
        return self.state in (self.State.WAITING, self.State.RUNNING)
