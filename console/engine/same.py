"""A value as a key that is found by that very object: for what is too large to compare."""

from __future__ import annotations

from typing import Generic, TypeVar

_T = TypeVar("_T")


class Same(Generic[_T]):
    """
    Stands for *value* in the keys of a memory, which thereby holds on to it.

    Two are equal when they stand for one object. Only for what is never changed.
    """

    __slots__ = ("value",)

    def __init__(self, value: _T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
