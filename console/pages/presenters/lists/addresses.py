"""Lists: the addresses of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.workloads.queries import Page

#: Rows of one page.
PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """Where the start and the next page of a list are; empty when there is none."""

    first_url: str = ""
    next_url: str = ""
    note: str = ""


def pager_of(path: str, query: QueryDict, page: Page[Any], name: str = "cursor") -> Pager:
    """Return the pager of a *page* shown at *path* by *query*; *name* is its cursor's parameter."""
    note = ""
    if page.next and not page.results:
        note = "No match in the rows searched so far; the next page continues the search."
    return Pager(
        first_url=with_query(path, query, **{name: None}) if query.get(name) else "",
        next_url=with_query(path, query, **{name: page.next}) if page.next else "",
        note=note,
    )


def with_query(path: str, given: QueryDict, **changes: str | None) -> str:
    """Return the address of a page with some query parameters changed; None removes one."""
    query = given.copy()
    query.pop("v", None)
    for name, value in changes.items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = value
    return f"{path}?{query.urlencode()}".rstrip("?")
