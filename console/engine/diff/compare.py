"""Compares two policies: objects that were added, removed, renamed, moved or changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from console.engine.diff.objects import (
    DISCIPLINE,
    LANGUAGE,
    OF_ADMISSION,
    SETTINGS,
    FactType,
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    Role,
    fact_differences,
    kinds_of,
)
from console.engine.diff.ordered import Matches, match_ordered, ordered_changes
from console.engine.diff.renames import Renames, find_renames
from console.engine.diff.values import Change, ChangeKind, Difference


class Comparison:
    """The comparison of two policies: matching objects, renames and changes."""

    def __init__(self, old: PolicyObjects, new: PolicyObjects) -> None:
        self._old, self._new = old, new
        #: The renamed objects.
        self.renames = find_renames(old, new)
        self._known = self.renames.apply(old)
        self._matches: dict[str, Matches] = {}

    def matches(self, kind: ObjectKind) -> Matches:
        """Return the matching objects of an ordered *kind*."""
        if kind.name not in self._matches:
            self._matches[kind.name] = match_ordered(
                kind, self._known.ordered(kind.name), self._new.ordered(kind.name)
            )
        return self._matches[kind.name]

    def changes(self) -> Iterator[Change]:
        """
        Yield the changes by kind of object; comments and layout are ignored.

        An object that only refers to a renamed one by the new name is not changed.
        """
        old, new = self._known, self._new
        for kind in kinds_of(new, old):
            if kind.role is Role.NAMED:
                yield from _named(kind, old.of(kind.name), new.of(kind.name), self.renames)
            elif kind.role is Role.ORDERED:
                yield from ordered_changes(self.matches(kind))
        yield from _settings(self._old, new)


def _named(
    kind: ObjectKind,
    old: Mapping[str, PolicyObject],
    new: Mapping[str, PolicyObject],
    renames: Renames,
) -> Iterator[Change]:
    for name, item in new.items():
        if name not in old:
            yield Change(
                kind=ChangeKind.ADDED,
                noun=kind.name,
                name=name,
                details=tuple(fact_differences(kind, None, item.facts)),
                origin=item.origin,
            )
            continue
        before = old[name]
        details = tuple(fact_differences(kind, before.facts, item.facts))
        old_name = renames.old_name(kind.name, name)
        if old_name or details:
            yield Change(
                kind=ChangeKind.RENAMED if old_name else ChangeKind.CHANGED,
                noun=kind.name,
                name=name,
                old_name=old_name,
                details=(*details, *renames.followers(kind.name, name)),
                origin=item.origin,
                old_origin=before.origin,
            )
    for name, item in old.items():
        if name not in new:
            yield Change(
                kind=ChangeKind.REMOVED,
                noun=kind.name,
                name=name,
                details=tuple(map(_swapped, fact_differences(kind, None, item.facts))),
                old_origin=item.origin,
            )


def _swapped(detail: Difference) -> Difference:
    return dataclasses.replace(detail, old=detail.new, new=detail.old)  # type: ignore[arg-type]


def _settings(old: PolicyObjects, new: PolicyObjects) -> Iterator[Change]:
    """Yield the change of the settings of the whole policy, compared as one object."""
    kind = _whole_kind(new, old)
    before, after = _whole(old), _whole(new)
    without: tuple[str, ...] = ()
    if old.is_empty or new.is_empty:
        # The language and discipline of an empty policy are not compared.
        of_one = _whole_kind(old).facts.keys() ^ _whole_kind(new).facts.keys()
        without = (LANGUAGE, DISCIPLINE, *of_one)
    details = tuple(fact_differences(kind, before, after, without))
    if details:
        origins = [
            next((each.origin for each in objects.whole() if each.kind.name == SETTINGS), None)
            for objects in (old, new)
        ]
        yield Change(
            kind=ChangeKind.CHANGED,
            noun=SETTINGS,
            name=OF_ADMISSION,
            details=details,
            origin=origins[1],
            old_origin=origins[0],
        )


def _whole(objects: PolicyObjects) -> dict[str, Any]:
    return {
        name: value
        for each in objects.whole()
        for name, value in each.facts.items()
        if each.kind.facts[name].is_compared
    }


def _whole_kind(*some: PolicyObjects) -> ObjectKind:
    facts: dict[str, FactType] = {}
    for kind in kinds_of(*some):
        if kind.role is Role.WHOLE:
            facts |= {name: fact for name, fact in kind.facts.items() if fact.is_compared}
    return ObjectKind(name=SETTINGS, role=Role.WHOLE, facts=facts)
