"""Text diffs as rows for a page: unified or side by side, with changed words marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from console.engine.diff import DiffRow, Line, Piece, side_by_side, text_diff
from console.pages.templatetags.ui import count

#: Rows that a page shows.
MOST_ROWS = 3000

_SIGNS = {Line.SAME: "", Line.ADDED: "+", Line.REMOVED: "−", Line.GAP: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One row of a text diff; *pieces* are its text with marks, empty for nothing marked."""

    change: str
    sign: str
    old: int | None
    new: int | None
    text: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitLine:
    """One row side by side; a side is None where it has no counterpart."""

    old: DiffLine | None
    new: DiffLine | None
    gap: str = ""


def diff_lines(old: str, new: str, *, ignore_space: bool = False) -> list[DiffLine]:
    """Return the text diff, cut when it is very long; empty when the texts are equal."""
    rows = text_diff(old, new, ignore_space=ignore_space)
    return _cut([_line(row) for row in rows[: MOST_ROWS + 1]], len(rows))


def split_page(
    old: str, new: str, start: int, *, ignore_space: bool = False
) -> tuple[list[SplitLine], int]:
    """Return the rows of the text diff side by side, as `diff_page` does."""
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
    Return the rows of the text diff from *start* on, one page of them, and how many there are.

    The first page where there are not so many.
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
