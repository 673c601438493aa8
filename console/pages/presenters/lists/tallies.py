"""Tallies: counts of a list's rows by kind, as bars that filter the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import QueryDict
from django.utils import timezone

from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.lists.filters import without


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One kind: count, width of its bar in percent, and the URL that toggles its filter."""

    value: str
    title: str
    count: int
    width: int
    url: str
    is_chosen: bool


def tallies_of(
    path: str,
    query: QueryDict,
    name: str,
    counts: Mapping[str, int],
    title_of: Callable[[str], str],
) -> tuple[Tally, ...]:
    """Return a tally for each of *counts*, largest first; its URL toggles the filter *name*."""
    most = max(counts.values(), default=1)
    chosen = query.getlist(name)
    return tuple(
        Tally(
            value=value,
            title=title_of(value),
            count=count,
            width=max(1, round(100 * count / most)),
            url=without(path, query, name, value)
            if value in chosen
            else _with(path, query, name, value),
            is_chosen=value in chosen,
        )
        for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    )


def permalink(path: str, query: QueryDict) -> str:
    """Return the URL of the list as it is now, without rows that are added later."""
    if query.get("until"):
        return with_query(path, query, cursor=None)
    # The current second is included.
    until = (timezone.now() + timedelta(seconds=1)).replace(microsecond=0)
    return with_query(path, query, until=f"{until:%Y-%m-%dT%H:%M:%SZ}", cursor=None)


def kept_since(days: int) -> datetime | None:
    """Return the start of the retention of *days*; None if all rows are retained."""
    return timezone.now() - timedelta(days=days) if days else None


def _with(path: str, query: QueryDict, name: str, value: str) -> str:
    more = query.copy()
    more.appendlist(name, value)
    return with_query(path, more, cursor=None)
