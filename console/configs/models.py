"""Config versions, which one is active, drafts, and what each queue name was fixed to."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from console.orgs.models import Organization


class ConfigVersion(models.Model):
    """One immutable text of an organization's scheduler config; never edited, never deleted."""

    class Kind(models.TextChoices):
        """How the version came to be."""

        APPLY = "apply"
        ROLLBACK = "rollback"

    org = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    message = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.APPLY)
    #: The version whose text a rollback took.
    rolled_back_to = models.PositiveIntegerField(null=True)
    #: Who applied it: the e-mail address of a person or the name of a token, kept as text.
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["org", "number"], name="one_version_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.org} v{self.number}"


class ActiveConfig(models.Model):
    """Which version of an organization is active: a pointer, so that active need not be newest."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="active_config"
    )
    #: 0 before the first apply.
    number = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.org} at v{self.number}"


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


class Draft(models.Model):
    """A person's unapplied text, saved while they type."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="drafts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts"
    )
    dialect = models.CharField(max_length=20)
    text = models.TextField(blank=True)
    #: The active version when the draft was begun; 0 when there was none.
    base = models.PositiveIntegerField(default=0)
    #: Grows with every save, so that an older autosave cannot overwrite a newer one.
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "author"], name="one_draft_per_person")
        ]

    def __str__(self) -> str:
        return f"draft of {self.author} on {self.org} v{self.base}"
