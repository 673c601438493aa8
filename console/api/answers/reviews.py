"""Response bodies of review requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.api.answers.times import time_answer
from console.configs.models import ReviewComment, ReviewRequest


def review_answer(review: ReviewRequest) -> dict[str, Any]:
    """Return a review request without its text."""
    return {
        "id": review.pk,
        "title": review.title,
        "dialect": review.dialect,
        "base": review.base,
        "draft": review.draft_id,
        "author": review.author,
        "state": review.state,
        "decided_by": review.decided_by or None,
        "decided_at": time_answer(review.decided_at),
        "created_at": time_answer(review.created_at),
    }


def full_review_answer(review: ReviewRequest, comments: Iterable[ReviewComment]) -> dict[str, Any]:
    """Return a review request with its text and its *comments*."""
    return {
        **review_answer(review),
        "text": review.text,
        "comments": [
            {
                "author": each.author,
                "verdict": each.verdict,
                "text": each.text,
                "line": each.line,
                "created_at": time_answer(each.created_at),
            }
            for each in comments
        ],
    }
