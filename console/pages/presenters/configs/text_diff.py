"""Rows of text diffs: unified or side by side, with changed words marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from console.configs.models import ReviewComment
from console.engine.diff import DiffRow, Line, Piece, SplitRow, side_by_side, text_diff
from console.pages.presenters.configs.unfolded import Unfolded
from console.pages.templatetags.ui import count

#: Maximum number of rows of a diff that has no further pages.
MOST_ROWS = 3000

#: Number of rows on a page; rows of opened gaps are not counted.
PAGE_ROWS = 500

_Row = TypeVar("_Row", "DiffLine", "SplitLine")

_SIGNS = {Line.SAME: "", Line.ADDED: "+", Line.REMOVED: "−", Line.GAP: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One row of a text diff; *pieces* are its text with marks, or empty if nothing is marked."""

    change: str
    sign: str
    old: int | None
    new: int | None
    text: str
    pieces: tuple[Piece, ...] = ()
    #: Of a gap: the address that shows its lines; empty if it cannot be opened.
    url: str = ""
    #: First hidden line of a gap; 0 for other rows.
    hidden: int = 0
    #: First line of the opened gap that had this row; None for other rows.
    opened: int | None = None
    #: Comments on the line, the oldest first, and the address that opens a form for one.
    comments: tuple[ReviewComment, ...] = ()
    comment_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitLine:
    """One row of a side-by-side diff; a side is None if the line has no counterpart."""

    old: DiffLine | None
    new: DiffLine | None
    #: The row that stands for unchanged lines on both sides; None for other rows.
    gap: DiffLine | None = None
    opened: int | None = None


def diff_lines(old: str, new: str, *, ignore_space: bool = False) -> list[DiffLine]:
    """Return the rows of the text diff, truncated to `MOST_ROWS`; empty for equal texts."""
    rows = text_diff(old, new, ignore_space=ignore_space)
    return _cut([_line(row) for row in rows[: MOST_ROWS + 1]], len(rows))


def split_page(
    old: str,
    new: str,
    start: int,
    *,
    ignore_space: bool = False,
    unfolded: Unfolded | None = None,
) -> tuple[list[SplitLine], int]:
    """Return one page of side-by-side rows and the total number of rows, like `diff_page`."""
    shown = unfolded.shown if unfolded else ()
    rows = side_by_side(text_diff(old, new, ignore_space=ignore_space, shown=shown))
    lines = [_split_line(row, unfolded) for row in rows]
    return _page(lines, start)


def diff_page(
    old: str,
    new: str,
    start: int,
    *,
    ignore_space: bool = False,
    unfolded: Unfolded | None = None,
) -> tuple[list[DiffLine], int]:
    """
    Return the page of text diff rows that begins at *start*, and the total number of rows.

    If *start* is beyond the last row, the first page is returned. Rows of the gaps that *unfolded*
    opens are on the page of their gap, and are not counted.
    """
    shown = unfolded.shown if unfolded else ()
    rows = text_diff(old, new, ignore_space=ignore_space, shown=shown)
    if unfolded is None or not unfolded.starts:
        start = start if start < len(rows) else 0
        return [_line(row, unfolded) for row in rows[start : start + PAGE_ROWS]], len(rows)
    lines = [_line(row, unfolded) for row in rows]
    return _page(lines, start)


def _page(lines: Iterable[_Row], start: int) -> tuple[list[_Row], int]:
    """Return the lines of the page that begins at *start*, and the number of counted lines."""
    places = []
    counted, before = 0, None
    for line in lines:
        # The first line of an opened gap counts for the gap.
        counted += line.opened is None or line.opened != before
        before = line.opened
        places.append((counted - 1, line))
    start = start if start < counted else 0
    return [line for place, line in places if start <= place < start + PAGE_ROWS], counted


def _cut(lines: Sequence[DiffLine], total: int) -> list[DiffLine]:
    if total <= MOST_ROWS:
        return list(lines)
    gap = DiffLine(change=Line.GAP.value, sign="", old=None, new=None, text=_beyond(total))
    return [*lines[:MOST_ROWS], gap]


def _beyond(total: int) -> str:
    more = count(total - MOST_ROWS)
    return f"{more} more rows are not shown; download both texts to compare them"


def _split_line(row: SplitRow, unfolded: Unfolded | None) -> SplitLine:
    one = _line(row.old, unfolded) if row.old is not None else None
    other = _line(row.new, unfolded) if row.new is not None else None
    gap = one if one is not None and one.change == Line.GAP else None
    return SplitLine(old=one, new=other, gap=gap, opened=one.opened if one is not None else None)


def _line(row: DiffRow, unfolded: Unfolded | None = None) -> DiffLine:
    return DiffLine(
        change=row.kind.value,
        sign=_SIGNS[row.kind],
        old=row.old,
        new=row.new,
        text=row.text,
        pieces=row.pieces,
        hidden=row.hidden,
        url=unfolded.url_of(row) if unfolded and row.hidden else "",
        opened=unfolded.start_of(row) if unfolded else None,
    )
