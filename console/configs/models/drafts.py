"""Models of drafts, which all members of an organization share, their editors and visits."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from console.orgs.models import Organization


class Draft(models.Model):
    """A config text that is not applied, saved while it is edited."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="drafts")
    #: The member who created the draft.
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts"
    )
    #: Title, also suggested as the message of an apply.
    title = models.CharField(max_length=500, blank=True)
    dialect = models.CharField(max_length=20)
    text = models.TextField(blank=True)
    #: The active version when the draft was created; 0 if there was none.
    base = models.PositiveIntegerField(default=0)
    #: Number of the save, which increases, so that an older autosave cannot overwrite a newer one.
    revision = models.PositiveIntegerField(default=0)
    #: The editor, and the start of the edit. Other members cannot save until the editor leaves or
    #: the draft is taken over.
    editor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    editing_since = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-id"]
        indexes = [models.Index(fields=["org", "-updated_at"], name="draft_newest")]

    def __str__(self) -> str:
        return f"draft {self.pk} of {self.author} on {self.org} v{self.base}"


class DraftEditor(models.Model):
    """A member who has saved a draft, and therefore cannot approve its text."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="editors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "user"], name="one_row_per_editor")]

    def __str__(self) -> str:
        return f"{self.user} edited draft {self.draft_id}"


class DraftVisit(models.Model):
    """A member who has a draft open; a visit ends after a time without requests."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="visits")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draft", "user"], name="one_visit_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} at draft {self.draft_id}"
