"""Model of scheduled changes: what is applied, or set back, at a time."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ScheduledChange(models.Model):
    """
    A change of the config at a time; a sweep makes it once, as a version.

    It applies a whole text, or ends a temporary change: it sets the numbers of one object back.
    """

    class Kind(models.TextChoices):
        """What happens at the time."""

        #: A text becomes the active version.
        APPLY = "apply", "Apply"
        #: Numbers that a version changed get their former values.
        END = "end", "End of a temporary change"

    class State(models.TextChoices):
        """State of a scheduled change."""

        #: The temporary change has no version yet: its text waits for approval.
        PROPOSED = "proposed", "Not applied yet"
        SCHEDULED = "scheduled", "Scheduled"
        DONE = "done", "Done"
        CANCELED = "canceled", "Canceled"
        #: Nothing was set back, because the numbers were changed again or the object is gone.
        SUPERSEDED = "superseded", "Superseded"
        FAILED = "failed", "Failed"

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="scheduled_changes"
    )
    kind = models.CharField(max_length=10, choices=Kind.choices)
    state = models.CharField(max_length=12, choices=State.choices, default=State.SCHEDULED)
    due_at = models.DateTimeField()
    #: Time of the next attempt: later than *due_at* after an error of the product, and while the
    #: active version waits for confirmation.
    try_at = models.DateTimeField()
    #: Name of the actor who scheduled it, as in versions, and the key of the actor.
    author = models.CharField(max_length=254)
    author_key = models.CharField(max_length=40)
    #: The message of the version to apply; for an end, that of the version that it ends.
    message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    #: The version that it made; None before, and if it made none.
    version = models.PositiveIntegerField(null=True)
    ended_at = models.DateTimeField(null=True)
    #: Name of the actor who canceled it or carried it out early; empty for the sweep.
    ended_by = models.CharField(max_length=254, blank=True)
    #: Why it made no version, in sentences.
    problem = models.TextField(blank=True)

    # Of an end.
    #: The version that changed the numbers; None while its text waits for approval.
    begun_by = models.PositiveIntegerField(null=True)
    #: The review request of that text, if approval was required.
    review = models.ForeignKey(
        "ReviewRequest", null=True, on_delete=models.SET_NULL, related_name="temporary_changes"
    )
    #: Kind and name of the object, as in `console.dialects.editable_numbers`.
    owner_kind = models.CharField(max_length=20, blank=True)
    owner_name = models.CharField(max_length=500, blank=True)
    #: [{"field", "flavor", "resource", "title", "before", "after"}]; values as written in the text.
    numbers = models.JSONField(default=list)

    # Of an apply.
    #: The draft of the text; None for other texts, and after the draft was discarded.
    draft = models.ForeignKey(
        "Draft", null=True, on_delete=models.SET_NULL, related_name="scheduled_changes"
    )
    dialect = models.CharField(max_length=20, blank=True)
    text = models.TextField(blank=True)
    #: The version on which the text is applied; 0 for the first one.
    base = models.PositiveIntegerField(default=0)
    #: Codes of the accepted consequences; None: none had to be accepted.
    accept = models.JSONField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["org", "-id"], name="schedule_newest"),
            models.Index(fields=["org", "begun_by"], name="schedule_by_begin"),
            models.Index(fields=["org", "version"], name="schedule_by_version"),
            models.Index(
                fields=["try_at"],
                condition=models.Q(state="scheduled"),
                name="schedule_due",
            ),
            models.Index(
                fields=["org", "due_at"],
                condition=models.Q(state="scheduled"),
                name="schedule_coming",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} of {self.org} at {self.due_at:%Y-%m-%d %H:%M}: {self.state}"
