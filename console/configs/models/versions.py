"""Models of fixed queue specs, and of the timer of an unconfirmed version."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class QueueSpec(models.Model):
    """The fixed spec of a queue name, set by the first version that contains the queue."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="queue_specs")
    name = models.CharField(max_length=500)
    spec = models.JSONField()
    version = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "name"], name="one_spec_per_queue")]

    def __str__(self) -> str:
        return f"{self.org} {self.name} as of v{self.version}"


class RevertTimer(models.Model):
    """The timer that reverts an apply unless it is confirmed; at most one per organization."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="revert_timer"
    )
    #: The version to confirm, and the one that is restored otherwise.
    version = models.PositiveIntegerField()
    back_to = models.PositiveIntegerField()
    due_at = models.DateTimeField(db_index=True)
    #: The author, as in versions.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)
    #: When the older text was found to be invalid under the current checks. The version is then not
    #: reverted, and an owner has to decide.
    failed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"v{self.version} of {self.org} until {self.due_at:%H:%M:%S}"
