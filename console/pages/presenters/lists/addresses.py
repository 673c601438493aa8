"""URLs of lists: query parameters, and links to the first and the next page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.workloads.queries import Page

#: Rows per page.
PAGE_SIZE = 50

#: Rows of a page of a table whose rows are cards of several lines on phones.
CARD_PAGE_SIZE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """URLs of the first and the next page of a list; empty if there is none."""

    first_url: str = ""
    next_url: str = ""
    note: str = ""


def pager_of(path: str, query: QueryDict, page: Page[Any], name: str = "cursor") -> Pager:
    """Return the pager of *page* at *path* with *query*; *name* is the cursor's parameter."""
    note = ""
    if page.next and not page.results:
        note = "No match in the rows searched so far; the next page continues the search."
    return Pager(
        first_url=with_query(path, query, **{name: None}) if query.get(name) else "",
        next_url=with_query(path, query, **{name: page.next}) if page.next else "",
        note=note,
    )


def with_query(path: str, given: QueryDict, **changes: str | None) -> str:
    """Return *path* with the query *given* and *changes* to it; None removes a parameter."""
    query = given.copy()
    query.pop("v", None)
    for name, value in changes.items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = value
    return f"{path}?{query.urlencode()}".rstrip("?")
