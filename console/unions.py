"""
Several lists of rows in one statement, which would be a statement each.

What is read then takes as many statements for ten queues as for two, and of each list no more
rows than it is cut to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from django.db.models import Model, QuerySet

from console.chunks import chunks

M = TypeVar("M", bound=Model)

#: Lists of one statement. SQLite takes 500 of them, and each has several parameters.
SIZE: Final = 50


def united(lists: Iterable[QuerySet[M]]) -> Iterator[QuerySet[M]]:
    """
    Yield the rows of *lists* as one queryset without an order, for every `SIZE` lists.

    A list may be in some order and cut to its first rows. A row is there once in a queryset,
    however many lists it is in; without lists there is none.
    """
    for some in chunks(lists, SIZE):
        rows: QuerySet[M] = QuerySet(some[0].model)
        if len(some) == 1:
            yield rows.filter(pk__in=some[0].values("pk"))
            continue
        # SQLite refuses an order and a cut in a part of a union, but not one level below.
        parts = [rows.filter(pk__in=each.values("pk")).order_by().values("pk") for each in some]
        yield rows.filter(pk__in=parts[0].union(*parts[1:], all=True)).order_by()
