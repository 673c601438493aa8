"""Pages of one list among several of a page: the address names the list and where it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query

#: Entries that a list shows at a time.
PAGE_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPages:
    """What part of a list is shown, and the addresses of the others."""

    #: Shown are the entries from *first* on, counted from 0, up to *end*.
    first: int
    end: int
    #: How many entries there are, and how many of them are kept and can be shown.
    count: int
    kept: int
    #: Whether the address asks for this list.
    is_open: bool
    first_url: str = ""
    next_url: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether everything is shown."""
        return self.first == 0 and self.end == self.count


def pages_of(name: str, kept: int, count: int, path: str, query: QueryDict) -> ListPages:
    """
    Return the part of the list *name* that *query* asks for at *path*: its first one by default.

    *kept* entries of *count* can be shown.
    """
    is_open = query.get("open") == name
    text = query.get("after", "") if is_open else ""
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
    first = asked if asked < kept else 0
    end = min(first + PAGE_SIZE, kept)
    return ListPages(
        first=first,
        end=end,
        count=count,
        kept=kept,
        is_open=is_open,
        first_url=_url(name, path, query, None) if first else "",
        next_url=_url(name, path, query, str(end)) if end < kept else "",
    )


def _url(name: str, path: str, query: QueryDict, after: str | None) -> str:
    return f"{with_query(path, query, open=name, after=after)}#live-{name}"
