"""Converts parts of a policy to plain JSON values, without origins, and compares these."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

from console.engine.diff.values import FieldChange, Plain
from console.engine.model.amounts import Unlimited
from console.engine.model.selectors import Selector

#: Types of plain values; most values of a large policy have one of these.
_AS_IT_IS = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Plain:
    """
    Return *value* as plain data, which is equal for two values if and only if they mean the same.

    >>> plain(Selector())
    []
    """
    if type(value) in _AS_IT_IS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Selector):
        return [plain(expression) for expression in value.expressions]
    if isinstance(value, Enum):
        return plain(value.value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain_fields(value)
    if isinstance(value, Unlimited):
        return "unlimited"
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value)


def plain_fields(item: Any, without: tuple[str, ...] = ()) -> dict[str, Plain]:
    """Return the fields of a dataclass as plain data, except for its origin and *without*."""
    kind: Any = type(item)
    return {name: plain(getattr(item, name)) for name in _field_names(kind) if name not in without}


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the init fields of a dataclass, except for its origin."""
    return tuple(
        field.name for field in dataclasses.fields(kind) if field.init and field.name != "origin"
    )


def differing(
    old: Mapping[str, Plain], new: Mapping[str, Plain], path: tuple[str, ...] = ()
) -> Iterator[FieldChange]:
    """Yield every field that differs; nested mappings are compared entry by entry."""
    for name in dict.fromkeys((*new, *old)):
        before, after = old.get(name), new.get(name)
        here = (*path, name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from differing(before, after, here)
        elif not _same(before, after):
            yield FieldChange(path=here, old=before, new=after)
        elif (name in old) != (name in new):
            # A key with a null value is not equal to an absent key.
            yield FieldChange(path=here, old=before, new=after)


def _same(one: Plain, other: Plain) -> bool:
    """Return whether two plain values are equal; True is not 1."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
