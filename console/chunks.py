"""
Parts of long lists: as many values as one statement may ask for.

Every value of an IN list is a parameter. SQLite takes 999 of them unless it was built to take
more, PostgreSQL 65,535; a part leaves room for the other parameters of its statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

#: Values of one part.
SIZE: Final = 500


def chunks(values: Iterable[T], size: int = SIZE) -> Iterator[list[T]]:
    """
    Yield *values* in their order, *size* at a time, taking no more than one part ahead.

    The last part may be shorter; without values there is none.
    """
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk
