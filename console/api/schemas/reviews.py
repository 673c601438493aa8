"""Schemas of review requests, and of the setting that requires approval."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.api.schemas.configs import DIALECT
from console.configs.models import ReviewComment, ReviewRequest
from console.configs.services.begin_draft import LONGEST_TITLE
from console.configs.services.decide_review import LONGEST_COMMENT


class ReviewIn(Schema):
    """A text to submit for approval."""

    dialect = serializers.CharField(required=False, help_text=DIALECT)
    text = serializers.CharField()
    expected_version = serializers.IntegerField(
        min_value=0, help_text="The active version; 0 if there is none."
    )
    title = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, max_length=LONGEST_TITLE
    )


class Review(Schema):
    """A review request."""

    id = serializers.IntegerField()
    title = serializers.CharField(allow_blank=True)
    dialect = serializers.CharField()
    base = serializers.IntegerField(help_text="The version on which the text is applied.")
    draft = serializers.IntegerField(
        allow_null=True, help_text="The draft of the text; null if there is none."
    )
    author = serializers.CharField(help_text="The member or token that submitted the text.")
    state = serializers.ChoiceField(ReviewRequest.State.values)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


ReviewPage = page_of(Review, "ReviewPage")


class ReviewCommentIn(Schema):
    """A comment, and the verdict that it contains."""

    verdict = serializers.ChoiceField(
        ReviewComment.Verdict.values, required=False, help_text="Default: `comment`."
    )
    text = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=LONGEST_COMMENT,
        help_text="Required unless the verdict is `approve`.",
    )
    line = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="A line of the submitted text."
    )


class ReviewNote(Schema):
    """A comment on a review request."""

    author = serializers.CharField()
    verdict = serializers.ChoiceField(ReviewComment.Verdict.values)
    text = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(
        allow_null=True, help_text="A line of the submitted text; null for the whole text."
    )
    created_at = serializers.DateTimeField()


class FullReview(Review):
    """A review request with its text and comments."""

    text = serializers.CharField()
    comments = ReviewNote(many=True)


class Approval(Schema):
    """Whether config changes need approval by another member."""

    required = serializers.BooleanField()  # type: ignore[assignment]


EXAMPLE_COMMENT = {"verdict": "request_changes", "text": "Keep 8 GPUs for serving.", "line": 12}
