"""Lazy parts of a page: a template reads each part when used, so one can fail by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

T = TypeVar("T")


def lazily(read: Callable[[], T]) -> Callable[[], T]:
    """Return *read* with its result (not an error) cached; templates call it where they name it."""
    return cache(read)
