"""Fix all problems of a text that have one obvious fix, in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from console.dialects.diagnostics import Diagnostic, Fix, TextEdit
from console.dialects.positions import apply_fix

#: Maximum number of rounds. A round checks the whole text; a fix seldom uncovers another problem.
MOST_ROUNDS: Final = 5


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text after its fixes, and their number."""

    text: str
    count: int


def is_obvious(diagnostic: Diagnostic) -> bool:
    """Return whether *diagnostic* has exactly one fix: a choice of several is left to people."""
    return len(diagnostic.fixes) == 1


def fix_all(text: str, find: Callable[[str], Sequence[Diagnostic]]) -> Fixed:
    """
    Return *text* with the obvious fixes of the diagnostics that *find* returns for a text.

    Of fixes that overlap, the first is applied, and the others in the next round if they are still
    needed. It ends when no fix is left, when a text comes back, or after `MOST_ROUNDS`.
    """
    seen, count = {text}, 0
    for _ in range(MOST_ROUNDS):
        chosen = _apart(each.fixes[0] for each in find(text) if is_obvious(each))
        edits = tuple(edit for fix in chosen for edit in fix.edits)
        fixed = apply_fix(text, Fix("", edits))
        if fixed in seen:
            break
        seen.add(fixed)
        text, count = fixed, count + len(chosen)
    return Fixed(text, count)


def _apart(fixes: Iterable[Fix]) -> list[Fix]:
    """Return those of *fixes*, in order, that do not overlap with an earlier one."""
    chosen: list[Fix] = []
    taken: list[TextEdit] = []
    for fix in fixes:
        if not any(_overlaps(edit, other) for edit in fix.edits for other in taken):
            chosen.append(fix)
            taken += fix.edits
    return chosen


def _overlaps(one: TextEdit, other: TextEdit) -> bool:
    """Return whether two edits share a place; insertions at the same place do, too."""
    a, b = one.span, other.span
    starts = (a.line, a.column), (b.line, b.column)
    ends = (a.end_line, a.end_column), (b.end_line, b.end_column)
    return starts[0] == starts[1] or (starts[0] < ends[1] and starts[1] < ends[0])
