"""Rows of review requests: states, and comments with the line that they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from console.configs.models import ReviewComment, ReviewRequest
from console.pages.presenters.configs.text_diff import DiffLine

_GLYPHS: Final[Mapping[str, str]] = {
    ReviewRequest.State.WAITING: "pending",
    ReviewRequest.State.APPROVED: "finished",
    ReviewRequest.State.CHANGES_REQUESTED: "error",
    ReviewRequest.State.WITHDRAWN: "withdrawn",
}


#: Number of unchanged lines shown before and after a line with a comment.
_AROUND: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentRow:
    """A comment in the list of all; *line_text* is that of its line if the diff lacks it."""

    comment: ReviewComment
    line_text: str
    #: Whether the diff on the page has the comment, at its line.
    is_in_diff: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineForm:
    """The form of a comment on a line, which stands below the line."""

    line: int
    #: The address of the form, and the page without it.
    path: str
    cancel_url: str
    csrf_token: str


def state_glyph(review: ReviewRequest) -> str:
    """Return the glyph of the state of *review*."""
    return _GLYPHS[review.state]


def by_line(comments: Iterable[ReviewComment]) -> dict[int, list[ReviewComment]]:
    """Return the *comments* on lines, by line."""
    found: dict[int, list[ReviewComment]] = defaultdict(list)
    for each in comments:
        if each.line:
            found[each.line].append(each)
    return dict(found)


def shown_lines(by_line: Mapping[int, object], written: int | None) -> set[int]:
    """Return the lines that a diff shows because they, or lines near them, have comments."""
    lines = {*by_line, *([written] if written else ())}
    return {near for line in lines for near in range(line - _AROUND, line + _AROUND + 1)}


def commented(
    rows: Iterable[DiffLine],
    by_line: Mapping[int, Sequence[ReviewComment]],
    address: Callable[[int], str] | None,
) -> list[DiffLine]:
    """Return *rows* with the comments on their lines, and the *address* to comment on each."""
    return [
        replace(
            row,
            comments=tuple(by_line.get(row.new, ())),
            comment_url=address(row.new) if address else "",
        )
        if row.new
        else row
        for row in rows
    ]


def comment_rows(
    review: ReviewRequest, comments: Iterable[ReviewComment], in_diff: Collection[int | None]
) -> list[CommentRow]:
    """Return *comments* of *review* in order; the diff on the page has the lines *in_diff*."""
    lines = review.text.splitlines()
    return [
        CommentRow(
            comment=each,
            line_text=lines[each.line - 1] if each.line and each.line not in in_diff else "",
            is_in_diff=each.line is not None and each.line in in_diff,
        )
        for each in comments
    ]
