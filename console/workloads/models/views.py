"""Saved views of the list of workloads."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class SavedView(models.Model):
    """A named way to look at the list of workloads: conditions, a grouping and columns."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    #: Whose it is: key of a person or token, and their name when they saved it.
    owner = models.CharField(max_length=40)
    author = models.CharField(max_length=254)
    #: Whether all members see it.
    is_shared = models.BooleanField(default=False)
    #: The conditions and the grouping as a query string, in the canonical form of addresses.
    query = models.CharField(max_length=2000, blank=True)
    #: Names of columns in their order, as `console.workloads.columns` has them.
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
