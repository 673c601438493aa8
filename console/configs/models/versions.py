"""What each queue name was fixed to, and the timer of a version that waits for confirmation."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class QueueSpec(models.Model):
    """What a queue name was fixed to by the first version that had it, for ever."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="queue_specs")
    name = models.CharField(max_length=500)
    spec = models.JSONField()
    version = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "name"], name="one_spec_per_queue")]

    def __str__(self) -> str:
        return f"{self.org} {self.name} as of v{self.version}"


class RevertTimer(models.Model):
    """An apply that is taken back at a set time unless somebody confirms it; at most one waits."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="revert_timer"
    )
    #: The version to confirm, and the one that comes back otherwise.
    version = models.PositiveIntegerField()
    back_to = models.PositiveIntegerField()
    due_at = models.DateTimeField(db_index=True)
    #: Who started it, as versions record authors.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)
    #: When the older text was found not to be readable any more: nothing is taken back then, and
    #: somebody has to decide.
    failed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"v{self.version} of {self.org} until {self.due_at:%H:%M:%S}"
