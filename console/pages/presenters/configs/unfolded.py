"""The unchanged lines of a text diff that its reader has opened, kept in the address."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from console.engine.diff import DiffRow, Line
from console.pages.presenters.lists.addresses import with_query

#: The parameter with the numbers of the first lines of opened gaps, separated by commas.
_OPEN: Final = "open"

#: Maximum number of lines that one link opens, and of opened gaps.
_OPENED: Final = 400
_MOST: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfolded:
    """The opened gaps of a diff at *path* with *query*, and lines that are always *shown*."""

    path: str
    query: QueryDict
    starts: tuple[int, ...]
    always: frozenset[int]

    @property
    def shown(self) -> Collection[int]:
        """The numbers of the lines in the newer text that no gap leaves out."""
        opened = (range(start, start + _OPENED) for start in self.starts)
        return self.always.union(*opened)

    def start_of(self, row: DiffRow) -> int | None:
        """Return the start of the opened gap in which *row* was, or which it continues."""
        if not row.hidden or row.hidden in self.always:
            return None
        # The rest of a long gap follows its opened lines.
        last = _OPENED if row.kind is Line.GAP else _OPENED - 1
        found = [start for start in self.starts if start <= row.hidden <= start + last]
        return found[-1] if found else None

    def url_of(self, row: DiffRow) -> str:
        """Return the address that opens the gap *row*."""
        starts = [*self.starts, row.hidden][-_MOST:]
        return with_query(self.path, self.query, **{_OPEN: ",".join(map(str, starts))})


def unfolded_of(path: str, query: QueryDict, always: Collection[int] = ()) -> Unfolded:
    """Return the gaps that *query* opens; numbers that are none are ignored."""
    given = query.get(_OPEN, "").split(",")[:_MOST]
    starts = sorted(
        {int(each) for each in given if each.isascii() and each.isdigit() and len(each) < 10}
    )
    return Unfolded(path=path, query=query, starts=tuple(starts), always=frozenset(always))
