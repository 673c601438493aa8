"""Model of complete searches for changes that would start a workload, run by a worker."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization
from console.workloads.models.workloads import Workload


class SearchRun(models.Model):
    """One complete search, its progress and result; an organization has at most one open one."""

    class State(models.TextChoices):
        """The status of a search."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="search_runs")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="search_runs")
    #: Author, in the form of `ConfigVersion.author`.
    author = models.CharField(max_length=254)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Whether it was canceled; a running search stops when it reads this.
    is_cancelled = models.BooleanField(default=False)
    #: Number of candidates that were tried, and of all candidates.
    tried = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    #: In the form of `console.workloads.stored_findings`; None until the search is done.
    result = models.JSONField(null=True)
    #: The config version under which it ran.
    config_version = models.PositiveIntegerField(default=0)
    #: One sentence if it failed.
    error = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: Last sign of life; its worker counts as gone after a while without one.
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
        """Whether the search waits for a worker or is running."""
        return self.state in (self.State.WAITING, self.State.RUNNING)
