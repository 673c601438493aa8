"""Pagination of several lists on one page: the address names the open list and its position."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query

#: Entries per page of a list.
PAGE_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPages:
    """The shown part of a list, and the URLs of its first and next part."""

    #: The entries from *first*, counted from 0, up to and without *end* are shown.
    first: int
    end: int
    #: Number of all entries, and number of stored entries, which can be shown.
    count: int
    stored: int
    #: Whether the address names this list.
    is_open: bool
    first_url: str = ""
    next_url: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all entries are shown."""
        return self.first == 0 and self.end == self.count


def pages_of(name: str, stored: int, count: int, path: str, query: QueryDict) -> ListPages:
    """
    Return the part of the list *name* that *query* selects at *path*; by default the first one.

    *stored* entries of *count* are stored and can be shown.
    """
    is_open = query.get("open") == name
    text = query.get("after", "") if is_open else ""
    start = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    first = start if start < stored else 0
    end = min(first + PAGE_SIZE, stored)
    return ListPages(
        first=first,
        end=end,
        count=count,
        stored=stored,
        is_open=is_open,
        first_url=_url(name, path, query, None) if first else "",
        next_url=_url(name, path, query, str(end)) if end < stored else "",
    )


def _url(name: str, path: str, query: QueryDict, after: str | None) -> str:
    return f"{with_query(path, query, open=name, after=after)}#live-{name}"
