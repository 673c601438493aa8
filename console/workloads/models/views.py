"""Model of saved views of the workload list."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class SavedView(models.Model):
    """A named view of the workload list: conditions, grouping and columns."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    #: Key of the owning person or token, and their name at the last save.
    owner = models.CharField(max_length=40)
    author = models.CharField(max_length=254)
    #: Whether all members see it.
    is_shared = models.BooleanField(default=False)
    #: Conditions and grouping as a query string in canonical form.
    query = models.CharField(max_length=2000, blank=True)
    #: Names of columns in order, as in `console.workloads.columns`.
    columns = models.JSONField(default=list)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["org", "owner", "name"],
                condition=models.Q(is_shared=False),
                name="one_personal_view_per_name",
            ),
            models.UniqueConstraint(
                fields=["org", "name"],
                condition=models.Q(is_shared=True),
                name="one_shared_view_per_name",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.author}"
