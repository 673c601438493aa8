"""
Union of several querysets in one SQL statement instead of one statement each.

Reading ten queues takes as many statements as reading two, and of each queryset no more rows than
its limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from django.db.models import Model, QuerySet

from console.chunks import chunks

M = TypeVar("M", bound=Model)

#: Querysets of one statement. SQLite takes 500 of them, and each has several parameters.
SIZE: Final = 50


def union_querysets(lists: Iterable[QuerySet[M]]) -> Iterator[QuerySet[M]]:
    """
    Yield one unordered queryset with the rows of *lists* for every `SIZE` lists.

    A list may be ordered and sliced. A row of several lists appears once in a queryset; without
    lists, no queryset is yielded.
    """
    for some in chunks(lists, SIZE):
        rows: QuerySet[M] = QuerySet(some[0].model)
        if len(some) == 1:
            yield rows.filter(pk__in=some[0].values("pk"))
            continue
        # SQLite refuses ORDER BY and LIMIT in a part of a union, but not in a subquery of the part.
        parts = [rows.filter(pk__in=each.values("pk")).order_by().values("pk") for each in some]
        yield rows.filter(pk__in=parts[0].union(*parts[1:], all=True)).order_by()
