"""Rows of review requests: states, and comments with the line that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from console.configs.models import ReviewComment, ReviewRequest

_GLYPHS: Final[Mapping[str, str]] = {
    ReviewRequest.State.WAITING: "pending",
    ReviewRequest.State.APPROVED: "finished",
    ReviewRequest.State.CHANGES_REQUESTED: "error",
    ReviewRequest.State.WITHDRAWN: "withdrawn",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRow:
    """A comment, and the text of its line; empty for a comment on the whole text."""

    comment: ReviewComment
    line_text: str


def state_glyph(review: ReviewRequest) -> str:
    """Return the glyph of the state of *review*."""
    return _GLYPHS[review.state]


def comment_rows(review: ReviewRequest, comments: Iterable[ReviewComment]) -> list[CommentRow]:
    """Return *comments* of *review* in order."""
    lines = review.text.splitlines()
    return [
        CommentRow(comment=each, line_text=lines[each.line - 1] if each.line else "")
        for each in comments
    ]
