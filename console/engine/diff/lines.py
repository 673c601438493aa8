"""Compares two texts line by line: unified or side by side, with marked words in changed lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

from console.engine.diff.order import Gap, gaps, in_order
from console.engine.diff.words import Marker, Piece
from console.engine.model.origin import lines_of

#: Number of unchanged lines shown around a change.
_CONTEXT = 3
#: Maximum number of pairs of changed lines with marked words.
_MARKED = 2000
#: Maximum number of lines between the common beginning and end for `difflib`, whose result is the
#: most readable; longer texts are matched by `in_order`.
_MATCHED = 4000


class Line(StrEnum):
    """The kind of a row; a gap stands for unchanged lines that are left out."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    GAP = "gap"


class DiffRow(NamedTuple):
    """
    One row of a unified diff.

    Line numbers count from 1; None if the text has no such line. *pieces* is the text of a line
    that has a counterpart, with marked differences; otherwise empty. *hidden* is the number of
    the first line in the newer text that a gap leaves out, or of a line that only the reader's
    choice shows; 0 for other rows.
    """

    kind: Line
    old: int | None
    new: int | None
    text: str
    pieces: tuple[Piece, ...] = ()
    hidden: int = 0


class SplitRow(NamedTuple):
    """One row of a side-by-side diff; None: no counterpart. Gaps are on both sides."""

    old: DiffRow | None
    new: DiffRow | None


def text_diff(
    old: str, new: str, *, ignore_space: bool = False, shown: Collection[int] = ()
) -> list[DiffRow]:
    """
    Return the unified diff of two texts; empty when they are equal.

    With *ignore_space*, lines that differ only in white space are equal; the newer one is shown.
    No gap leaves out the lines of the newer text with the numbers *shown*.
    """
    before, after = lines_of(old), lines_of(new)
    key: Callable[[str], str] = _squeezed if ignore_space else str
    opcodes = opcodes_of([*map(key, before)], [*map(key, after)])
    if all(tag == "equal" for tag, *_ in opcodes):
        return []
    rows: list[DiffRow] = []
    marked = 0
    marker = Marker()
    for place, (tag, i, i_end, j, j_end) in enumerate(opcodes):
        if tag == "equal":
            head = _CONTEXT if place > 0 else 0
            tail = _CONTEXT if place < len(opcodes) - 1 else 0
            rows += _same(after, (i, j), i_end - i, range(head, i_end - i - tail), shown)
        else:
            both = min(i_end - i, j_end - j, _MARKED - marked)
            rows += _changed(before, after, (i, i_end, j, j_end), both, marker)
            marked += both
    return rows


def side_by_side(rows: Sequence[DiffRow]) -> list[SplitRow]:
    """Return the rows of a unified diff as two columns."""
    found: list[SplitRow] = []
    removed: list[DiffRow] = []
    added: list[DiffRow] = []

    def flush() -> None:
        found.extend(SplitRow(one, other) for one, other in zip_longest(removed, added))
        removed.clear()
        added.clear()

    for row in rows:
        match row.kind:
            case Line.REMOVED:
                removed.append(row)
            case Line.ADDED:
                added.append(row)
            case _:
                flush()
                found.append(SplitRow(row, row))
    flush()
    return found


Opcode = tuple[str, int, int, int, int]


def opcodes_of(before: Sequence[str], after: Sequence[str]) -> list[Opcode]:
    """Return the operations that turn *before* into *after*, as `difflib` does."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old = before[start : len(before) - end]
    new = after[start : len(after) - end]
    found: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    if max(len(old), len(new)) > _MATCHED:
        opcodes: Iterable[Opcode] = _in_order(old, new)
    else:
        opcodes = SequenceMatcher(None, old, new).get_opcodes()
    for tag, i, i_end, j, j_end in opcodes:
        found.append((tag, i + start, i_end + start, j + start, j_end + start))
    if end:
        found.append(("equal", len(before) - end, len(before), len(after) - end, len(after)))
    return found


def _in_order(old: Sequence[str], new: Sequence[str]) -> Iterator[Opcode]:
    matched = in_order(old, new)
    i = j = 0
    end = Gap(range(len(old), len(old)), range(len(new), len(new)))
    for gap in (*gaps(matched, len(old), len(new)), end):
        if i < gap.old.start:
            yield "equal", i, gap.old.start, j, gap.new.start
        if gap.old or gap.new:
            tag = "replace" if gap.old and gap.new else "delete" if gap.old else "insert"
            yield tag, gap.old.start, gap.old.stop, gap.new.start, gap.new.stop
        i, j = gap.old.stop, gap.new.stop


def _changed(
    before: Sequence[str],
    after: Sequence[str],
    span: tuple[int, int, int, int],
    both: int,
    marker: Marker,
) -> Iterator[DiffRow]:
    """Yield the lines of a change, with marked words in the first *both* pairs."""
    i, i_end, j, j_end = span
    pieces = [marker.changed_words(before[i + n], after[j + n]) for n in range(both)]
    for x in range(i, i_end):
        marked = pieces[x - i][0] if x - i < both else ()
        yield DiffRow(Line.REMOVED, x + 1, None, before[x], marked)
    for y in range(j, j_end):
        marked = pieces[y - j][1] if y - j < both else ()
        yield DiffRow(Line.ADDED, None, y + 1, after[y], marked)


def _squeezed(line: str) -> str:
    return "".join(line.split())


def _same(
    after: Sequence[str],
    start: tuple[int, int],
    size: int,
    between: range,
    shown: Collection[int],
) -> Iterator[DiffRow]:
    """Yield *size* unchanged lines, with gaps for those *between* that are not *shown*."""
    i, j = start
    n = 0
    while n < size:
        end = n
        while end in between and j + end + 1 not in shown:
            end += 1
        if end - n >= 2:
            yield DiffRow(Line.GAP, None, None, f"{end - n} unchanged lines", hidden=j + n + 1)
            n = end
        else:
            hidden = j + n + 1 if n in between else 0
            yield DiffRow(Line.SAME, i + n + 1, j + n + 1, after[j + n], hidden=hidden)
            n += 1


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    count = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        count += 1
    return count
