"""
Splitting of long lists into chunks that fit the parameters of one SQL statement.

Every value of an IN list is a parameter. SQLite takes 999 of them unless it was built to take
more, PostgreSQL 65,535. A chunk leaves space for the other parameters of the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

#: Values of one chunk.
SIZE: Final = 500


def chunks(values: Iterable[T], size: int = SIZE) -> Iterator[list[T]]:
    """
    Yield *values* in their order, *size* at a time, reading no more than one chunk ahead.

    The last chunk may be shorter; without values there is none.
    """
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk
