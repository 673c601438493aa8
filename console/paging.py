"""
Keyset pagination: a page costs the same at every position of a list of any length.

The driving condition of a list has an index that ends in the primary key, so a page is one short
index scan. Other conditions filter the rows of that scan, which is split into windows and stops
after a bounded number of rows. Such a page may be short or even empty and still have a next page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q, QuerySet

from console.errors import BadRequest, FieldError

M = TypeVar("M", bound=Model)
T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000

#: Rows of the driving index in each window of one page. The first window is small and therefore
#: fast, and most pages need no other.
WINDOWS = (1_000, 9_000, 30_000, 30_000, 30_000)

_LARGEST_KEY = 2**63 - 1
_CURSOR = re.compile(r"[0-9]{1,19}(?:\.[0-9]{1,19})*", re.ASCII)
_NAME_CURSOR = re.compile(r"([0-9])\.((?:[0-9a-f]{2})*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of one page, and the cursor of the next page or None."""

    results: list[T]
    next: str | None = None


def write_cursor(*keys: int) -> str:
    """Return an opaque cursor for the position after the row with these *keys*."""
    return ".".join(map(str, keys))


def read_cursor(cursor: str | None, size: int = 1) -> tuple[int, ...] | None:
    """
    Return the *size* keys that `write_cursor` wrote, or None for the start of the list.

    Raises BadRequest if *cursor* is not a cursor of this list.
    """
    if not cursor:
        return None
    keys = tuple(map(int, cursor.split("."))) if _CURSOR.fullmatch(cursor) else ()
    if len(keys) != size or max(keys) > _LARGEST_KEY:
        raise _wrong_cursor()
    return keys


def write_name_cursor(kind: int, name: str) -> str:
    """Return an opaque cursor for the position after the row of a *kind* with a *name*."""
    return f"{kind}.{name.encode().hex()}"


def read_name_cursor(cursor: str | None) -> tuple[int, str] | None:
    """
    Return the kind and name that `write_name_cursor` wrote, or None for the start of the list.

    Raises BadRequest if *cursor* is not a cursor of such a list.
    """
    if not cursor:
        return None
    found = _NAME_CURSOR.fullmatch(cursor)
    try:
        if found is not None:
            return int(found[1]), bytes.fromhex(found[2]).decode()
    except UnicodeDecodeError:
        pass
    raise _wrong_cursor()


def _wrong_cursor() -> BadRequest:
    message = "This cursor is not one of this list; use the next of an answer as it is."
    return BadRequest([FieldError("cursor", "invalid_cursor", message)])


def newest_first(driven: QuerySet[M], rest: Q | None, limit: int, cursor: str | None) -> Page[M]:
    """
    Return the next *limit* rows of *driven* in descending order of the primary key.

    *driven* has the conditions that one index answers in order; *rest* has the conditions that are
    evaluated row by row.
    """
    return _walk(driven.order_by("-pk"), rest, limit, cursor, ahead="pk__lt", within="pk__gte")


def oldest_first(driven: QuerySet[M], rest: Q | None, limit: int, cursor: str | None) -> Page[M]:
    """Return the next *limit* rows in ascending order of the primary key, like `newest_first`."""
    return _walk(driven.order_by("pk"), rest, limit, cursor, ahead="pk__gt", within="pk__lte")


def _walk(
    ordered: QuerySet[Any], rest: Q | None, limit: int, cursor: str | None, ahead: str, within: str
) -> Page[Any]:
    keys = read_cursor(cursor)
    if keys:
        ordered = ordered.filter(**{ahead: keys[0]})
    if rest is None:
        return _page(list(ordered[: limit + 1]), limit)
    found: list[Any] = []
    edge = 0
    for size in WINDOWS:
        edge = _edge(ordered, size)
        window = ordered.filter(rest)
        if edge:
            window = window.filter(**{within: edge})
        found += window[: limit + 1 - len(found)]
        if len(found) > limit or not edge:
            return _page(found, limit)
        ordered = ordered.filter(**{ahead: edge})
    return Page(found, write_cursor(edge))


def merged_newest_first(
    rows: QuerySet[M], walks: Iterable[QuerySet[M]], limit: int, cursor: str | None
) -> Page[M]:
    """
    Return the next *limit* of *rows* in descending order of the primary key.

    *walks* are disjoint querysets whose union is the list. Only their keys are read, because most
    of the rows that they find belong to later pages.
    """
    return _merged(rows, walks, limit, cursor, order="-pk", ahead="pk__lt")


def merged_oldest_first(
    rows: QuerySet[M], walks: Iterable[QuerySet[M]], limit: int, cursor: str | None
) -> Page[M]:
    """Return the next *limit* of *rows* in ascending order, like `merged_newest_first`."""
    return _merged(rows, walks, limit, cursor, order="pk", ahead="pk__gt")


def _merged(
    rows: QuerySet[M],
    walks: Iterable[QuerySet[M]],
    limit: int,
    cursor: str | None,
    *,
    order: str,
    ahead: str,
) -> Page[M]:
    keys = read_cursor(cursor)
    found: list[int] = []
    for walk in walks:
        ordered = walk.order_by(order).values_list("pk", flat=True)
        found += (ordered.filter(**{ahead: keys[0]}) if keys else ordered)[: limit + 1]
    first = sorted(found, reverse=order == "-pk")[: limit + 1]
    return _page(list(rows.filter(pk__in=first).order_by(order)), limit)


def every_row(page_at: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """
    Yield all rows of a list; *page_at* returns the page at a cursor.

    One page is in memory at a time. Each page is a separate query that ends before the next begins,
    so that writers never wait and the database holds no snapshot for the reader.
    """
    cursor = None
    while True:
        page = page_at(cursor)
        yield from page.results
        cursor = page.next
        if cursor is None:
            return


def newest_of(rows: QuerySet[M], most: int) -> QuerySet[M]:
    """Return the newest *most* of *rows*, unordered, as a bound for counts."""
    return rows.filter(pk__gte=_edge(rows.order_by("-pk"), most)).order_by()


def _edge(ordered: QuerySet[Any], count: int) -> int:
    """Return the key of row number *count*; 0 if there are fewer rows."""
    return next(iter(ordered.values_list("pk", flat=True)[count - 1 : count]), 0)


def _page(rows: list[M], limit: int) -> Page[M]:
    if len(rows) <= limit:
        return Page(rows)
    rows = rows[:limit]
    return Page(rows, write_cursor(rows[-1].pk))
