"""Parts of a page: each is read when the template comes to it, so that one may fail alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

T = TypeVar("T")


def lazily(read: Callable[[], T]) -> Callable[[], T]:
    """Return *read*, which templates call where they name it: once, unless it fails."""
    return cache(read)
