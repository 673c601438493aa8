"""Models of review requests: texts that another member approves before they are applied."""

from __future__ import annotations

from django.db import models

from console.orgs.models import Organization


class ReviewRequest(models.Model):
    """A text that was submitted for approval; its text never changes."""

    class State(models.TextChoices):
        """State of a review request."""

        WAITING = "waiting", "Waits for approval"
        APPROVED = "approved", "Approved"
        CHANGES_REQUESTED = "changes_requested", "Changes requested"
        #: Ended by its submitter or an owner, or replaced by a newer text of the same draft.
        WITHDRAWN = "withdrawn", "Withdrawn"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="review_requests")
    #: The draft of the text; None for other texts, and after the draft was discarded.
    draft = models.ForeignKey(
        "Draft", null=True, on_delete=models.SET_NULL, related_name="review_requests"
    )
    title = models.CharField(max_length=500, blank=True)
    dialect = models.CharField(max_length=20)
    text = models.TextField()
    #: SHA-256 of dialect and text, by which an apply finds its approval.
    digest = models.CharField(max_length=64)
    #: The version on which the text is applied; 0 for the first one.
    base = models.PositiveIntegerField()
    #: Name of the actor who submitted it, as in versions.
    author = models.CharField(max_length=254)
    #: Keys of the people who submitted or edited the text, and therefore cannot approve it.
    editors = models.JSONField(default=list)
    state = models.CharField(max_length=20, choices=State.choices, default=State.WAITING)
    #: Name of the member who approved it or requested changes; empty before.
    decided_by = models.CharField(max_length=254, blank=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["org", "digest", "base"], name="review_by_text"),
            models.Index(fields=["org", "-id"], name="review_newest"),
            # Pages of all members who may approve count the waiting requests.
            models.Index(
                fields=["org", "base"],
                condition=models.Q(state="waiting"),
                name="review_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"review request {self.pk} on {self.org} v{self.base}: {self.state}"


class ReviewComment(models.Model):
    """A comment on a review request, which can contain a verdict."""

    class Verdict(models.TextChoices):
        """Decision that a comment makes about the text."""

        COMMENT = "comment", "commented"
        APPROVE = "approve", "approved the text"
        REQUEST_CHANGES = "request_changes", "requested changes"

    review = models.ForeignKey(ReviewRequest, on_delete=models.CASCADE, related_name="comments")
    author = models.CharField(max_length=254)
    verdict = models.CharField(max_length=20, choices=Verdict.choices, default=Verdict.COMMENT)
    text = models.TextField(blank=True)
    #: Line of the submitted text, from 1; None for a comment on the whole text.
    line = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"comment of {self.author} on review request {self.review_id}"
