"""Parts of a policy without the places they were written at, as what JSON can say."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

from console.engine.diff.values import FieldChange, Plain
from console.engine.model.amounts import Unlimited
from console.engine.model.selectors import Selector

#: Types whose values are plain already; most of what a large policy says is of these.
_AS_IT_IS = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Plain:
    """
    Return *value* as plain data; two values mean the same if and only if these are equal.

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
    """Return the fields of a dataclass as plain data, without places and those of *without*."""
    kind: Any = type(item)
    return {name: plain(getattr(item, name)) for name in _field_names(kind) if name not in without}


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    """Return what the fields of a dataclass are called, but for places in a text."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.name != "origin")


def said_fields(item: Any, without: tuple[str, ...] = ()) -> dict[str, Plain]:
    """Return the fields that are not at their default, as plain data."""
    kind: Any = type(item)
    defaults = _defaults(kind)
    found = {}
    for name in _other_fields(item, defaults, without):
        value = plain(getattr(item, name))
        if name not in defaults or value != plain(defaults[name]):
            found[name] = value
    return found


def field_changes(old: Any, new: Any, without: tuple[str, ...] = ()) -> Iterator[FieldChange]:
    """
    Yield every field in which two dataclasses of one kind differ, but for places.

    Without *old*: in which *new* differs from what it is when nothing is said; a field without a
    default was None. Only what differs is made plain: most fields of most objects are alike.
    """
    kind: Any = type(new)
    before: Mapping[str, Any] = _defaults(kind)
    if old is not None:
        before = {name: getattr(old, name) for name in _field_names(kind)}
    if names := _other_fields(new, before, without):
        yield from differing(
            {name: plain(before.get(name)) for name in names},
            {name: plain(getattr(new, name)) for name in names},
        )


def _other_fields(item: Any, before: Mapping[str, Any], without: tuple[str, ...]) -> list[str]:
    """Return the fields of *item* whose values are not those of *before*, as they are stored."""
    kind: Any = type(item)
    found = []
    for name in _field_names(kind):
        value, known = getattr(item, name), before.get(name, before)
        is_alike = value is known or (type(value) is type(known) and value == known)
        if not is_alike and name not in without:
            found.append(name)
    return found


@cache
def _defaults(kind: Any) -> Mapping[str, Any]:
    """Return what the fields of a dataclass are when nothing is said, of those that have that."""
    return {
        field.name: field.default
        if field.default_factory is dataclasses.MISSING
        else field.default_factory()
        for field in dataclasses.fields(kind)
        if field.name != "origin"
        and (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
    }


def differing(
    old: Mapping[str, Plain], new: Mapping[str, Plain], path: tuple[str, ...] = ()
) -> Iterator[FieldChange]:
    """Yield every field that differs, the innermost mappings entry by entry."""
    for name in dict.fromkeys((*new, *old)):
        before, after = old.get(name), new.get(name)
        here = (*path, name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from differing(before, after, here)
        elif not _same(before, after):
            yield FieldChange(path=here, old=before, new=after)
        elif (name in old) != (name in new):
            # A key whose value is null is not the same as no such key.
            yield FieldChange(path=here, old=before, new=after)


def _same(one: Plain, other: Plain) -> bool:
    """Say whether two plain values are equal; true is not 1."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
