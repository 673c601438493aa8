"""Model of expectations: workloads and their expected queues, checked at every apply."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class Expectation(models.Model):
    """One workload in the form of a submission, and its expected route."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="expectations")
    name = models.CharField(max_length=200)
    labels = models.JSONField(default=dict)
    namespace = models.CharField(max_length=253, blank=True)
    #: Empty if the route does not depend on them; None for rows of an earlier release.
    user = models.CharField(max_length=200, blank=True, default="", db_default="")
    groups = models.JSONField(default=list, null=True)
    #: The requested priority; None if no priority is requested.
    priority = models.BigIntegerField(null=True)
    #: Requests: {resource: thousandths}.
    requests = models.JSONField(default=dict)
    #: The expected queue; None if no queue may accept the workload.
    queue = models.CharField(max_length=500, null=True)
    #: The expected priority; None for any priority.
    effective_priority = models.BigIntegerField(null=True)
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["org", "name"], name="one_expectation_per_name")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.org}"
