"""The combined meaning of two changes of one policy, with which a merged text is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from console.dialects.merging.lines import regions
from console.dialects.merging.numbers import number_objects, ordered_kinds
from console.dialects.merging.orders import Orders
from console.engine.diff.objects import PolicyObject, PolicyObjects, Role
from console.engine.diff.plain import plain

Key = TypeVar("Key")

#: Stands for an absent value.
_ABSENT = object()


class Contradiction(Exception):
    """Both sides changed the same value, each to a different one."""


def meaning_of(objects: PolicyObjects) -> dict[str, Any]:
    """Return *objects* as plain data that is equal exactly for policies with the same meaning."""
    named, ordered = _meaning(objects)
    return {**named, "in order": ordered}


@dataclass(frozen=True, slots=True)
class CombinedMeaning:
    """The combined meaning: ordered objects by number, all others as plain data."""

    _named: Mapping[str, Any]
    #: By kind.
    _ordered: Mapping[str, Mapping[int, Any]]
    _orders: Mapping[str, Orders]

    def matches(self, objects: PolicyObjects) -> bool:
        """Return whether *objects* have exactly the combined meaning."""
        named, ordered = _meaning(objects)
        return named == self._named and all(
            self._are_in_order(kind, objects.ordered(kind), ordered.get(kind, []))
            for kind in {**self._ordered, **ordered}
        )

    def _are_in_order(self, kind: str, objects: Sequence[PolicyObject], said: list[Any]) -> bool:
        expected = self._ordered.get(kind, {})
        if len(said) != len(expected):
            return False
        # Equal objects are interchangeable.
        waiting: dict[str, list[int]] = {}
        for number in sorted(expected, reverse=True):
            waiting.setdefault(repr(expected[number]), []).append(number)
        found = []
        for item, facts in zip(objects, said, strict=True):
            numbers = waiting.get(repr(facts))
            if not numbers:
                return False
            found.append((numbers.pop(), item))
        return not found or self._orders[kind].allow(found)


def combine_meanings(
    base: PolicyObjects, theirs: PolicyObjects, yours: PolicyObjects
) -> CombinedMeaning | None:
    """Return the combined meaning of both changes of *base*; None if they contradict each other."""
    sides = (base, theirs, yours)
    (named, lists), (named_theirs, lists_theirs), (named_yours, lists_yours) = map(_meaning, sides)
    ordered: dict[str, Mapping[int, Any]] = {}
    orders = {}
    try:
        combined = _combine(named, named_theirs, named_yours)
        for kind in ordered_kinds(*sides):
            one, two, three = (each.ordered(kind.name) for each in sides)
            numbers = number_objects(kind, (one, two, three))
            ordered[kind.name] = _combine_mappings(
                *(
                    dict(zip(of, found.get(kind.name, []), strict=True))
                    for of, found in zip(numbers, (lists, lists_theirs, lists_yours), strict=True)
                )
            )
            orders[kind.name] = Orders(kind, *numbers)
    except Contradiction:
        return None
    return CombinedMeaning(combined, ordered, orders)


def _meaning(objects: PolicyObjects) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return the facts of named objects by kind and key, and of ordered objects by kind."""
    named: dict[str, dict[str, Any]] = {}
    ordered: dict[str, list[Any]] = {}
    for item in objects:
        facts = _exact({name: plain(value) for name, value in item.facts.items()})
        if item.kind.role is Role.ORDERED:
            ordered.setdefault(item.kind.name, []).append(facts)
        else:
            named.setdefault(item.kind.name, {})[item.key] = facts
    return named, ordered


def _combine(base: Any, theirs: Any, yours: Any) -> Any:
    if theirs in (base, yours):
        return yours
    if yours == base:
        return theirs
    if all(isinstance(each, Mapping) for each in (base, theirs, yours)):
        return _combine_mappings(base, theirs, yours)
    if all(isinstance(each, list) for each in (base, theirs, yours)):
        return _combine_lists(base, theirs, yours)
    raise Contradiction


def _combine_mappings(
    base: Mapping[Key, Any], theirs: Mapping[Key, Any], yours: Mapping[Key, Any]
) -> dict[Key, Any]:
    merged = {
        key: _combine(base.get(key, _ABSENT), theirs.get(key, _ABSENT), yours.get(key, _ABSENT))
        for key in dict.fromkeys((*base, *theirs, *yours))
    }
    return {key: value for key, value in merged.items() if value is not _ABSENT}


def _combine_lists(base: list[Any], theirs: list[Any], yours: list[Any]) -> list[Any]:
    # Sequences are compared by hashable items, so each item is represented by its repr.
    items = {repr(item): item for item in (*base, *theirs, *yours)}
    sides = [[repr(item) for item in side] for side in (base, theirs, yours)]
    merged: list[str] = []
    for old, one, other in regions(*sides):
        if one in (old, other):
            merged += other
        elif other == old:
            merged += one
        elif len(base) == len(theirs) == len(yours):
            return [_combine(*each) for each in zip(base, theirs, yours, strict=True)]
        else:
            raise Contradiction
    return [items[word] for word in merged]


def _exact(value: Any) -> Any:
    """Return plain data in which true differs from 1, although `==` treats them as equal."""
    if isinstance(value, Mapping):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return repr(value)
