"""Rows of text diffs: unified or side by side, with changed words marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.engine.diff import DiffRow, Line, Piece, side_by_side, text_diff
from console.pages.templatetags.ui import count

#: Maximum number of rows on a page.
MOST_ROWS = 3000

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitLine:
    """One row of a side-by-side diff; a side is None if the line has no counterpart."""

    old: DiffLine | None
    new: DiffLine | None
    gap: str = ""


def diff_lines(old: str, new: str, *, ignore_space: bool = False) -> list[DiffLine]:
    """Return the rows of the text diff, truncated to `MOST_ROWS`; empty for equal texts."""
    rows = text_diff(old, new, ignore_space=ignore_space)
    return _cut([_line(row) for row in rows[: MOST_ROWS + 1]], len(rows))


def split_page(
    old: str, new: str, start: int, *, ignore_space: bool = False
) -> tuple[list[SplitLine], int]:
    """Return one page of side-by-side rows and the total number of rows, like `diff_page`."""
    rows = side_by_side(text_diff(old, new, ignore_space=ignore_space))
    start = start if start < len(rows) else 0
    found = []
    for row in rows[start : start + MOST_ROWS]:
        one = _line(row.old) if row.old is not None else None
        other = _line(row.new) if row.new is not None else None
        gap = one.text if one is not None and one.change == Line.GAP else ""
        found.append(SplitLine(old=one, new=other, gap=gap))
    return found, len(rows)


def diff_page(
    old: str, new: str, start: int, *, ignore_space: bool = False
) -> tuple[list[DiffLine], int]:
    """
    Return the page of text diff rows that begins at *start*, and the total number of rows.

    If *start* is beyond the last row, the first page is returned.
    """
    rows = text_diff(old, new, ignore_space=ignore_space)
    start = start if start < len(rows) else 0
    return [_line(row) for row in rows[start : start + MOST_ROWS]], len(rows)


def _cut(lines: Sequence[DiffLine], total: int) -> list[DiffLine]:
    if total <= MOST_ROWS:
        return list(lines)
    gap = DiffLine(change=Line.GAP.value, sign="", old=None, new=None, text=_beyond(total))
    return [*lines[:MOST_ROWS], gap]


def _beyond(total: int) -> str:
    more = count(total - MOST_ROWS)
    return f"{more} more rows are not shown; download both texts to compare them"


def _line(row: DiffRow) -> DiffLine:
    return DiffLine(
        change=row.kind.value,
        sign=_SIGNS[row.kind],
        old=row.old,
        new=row.new,
        text=row.text,
        pieces=row.pieces,
    )
