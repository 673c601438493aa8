"""Renames in a merge: an object renamed on one side gets its new name in all three texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from console.dialects.merging.meaning import meaning_of
from console.dialects.merging.pieces import Choice, Renamed
from console.engine.diff.objects import PolicyObjects
from console.engine.diff.renames import find_renames

#: (text, new names by old names, by kind of object) -> the text with the new names.
Rename: TypeAlias = Callable[[str, Mapping[str, Mapping[str, str]]], str]
Read: TypeAlias = Callable[[str], PolicyObjects | None]

#: Base, theirs and yours.
_Three: TypeAlias = tuple[PolicyObjects, PolicyObjects, PolicyObjects]
#: New names by old names, by kind of object.
_Names: TypeAlias = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Base, theirs and yours, prepared for merging."""

    texts: tuple[str, str, str]
    #: The objects of the texts.
    objects: _Three
    #: The same objects; an object has the same name in all three.
    known: _Three
    renamed: tuple[Renamed, ...] = ()


def follow_renames(
    texts: tuple[str, str, str],
    sides: _Three,
    read: Read,
    rename: Rename | None,
) -> Sides:
    """
    Return the three sides, with the names that either side gave to objects of base.

    Renames are applied to all three texts if *rename* can do so without any other change, and to
    none otherwise. An object that both sides renamed differently keeps its name in each text. In
    all cases `known` treats it as one object.
    """
    base, theirs, yours = sides
    names = _names(base, theirs), _names(base, yours)
    carried = _adoptable(names[0], names[1], yours), _adoptable(names[1], names[0], theirs)
    agreed = _same_on_both(*names)
    made = None
    if rename is not None and any(each for of in (*carried, agreed) for each in of.values()):
        wanted = _joined(*carried, agreed), carried[1], carried[0]
        made = _rename_all(texts, sides, wanted, read, rename)
    if made is None:
        return Sides(texts=texts, objects=sides, known=(base, *_with_base_names(sides, names)))
    left = [_without(of, _joined(own, agreed)) for of, own in zip(names, carried, strict=True)]
    renamed = tuple(
        Renamed(noun=noun, old=old, new=new, by=side)
        for side, of in zip((Choice.THEIRS, Choice.YOURS), carried, strict=True)
        for noun, pairs in of.items()
        for old, new in pairs.items()
    )
    return Sides(
        texts=made[0],
        objects=made[1],
        known=(made[1][0], *_with_base_names(made[1], left)),
        renamed=renamed,
    )


def _names(base: PolicyObjects, side: PolicyObjects) -> _Names:
    found = find_renames(base, side).old_names
    return {noun: {old: new for new, old in pairs.items()} for noun, pairs in found.items()}


def _adoptable(mine: _Names, its: _Names, other: PolicyObjects) -> _Names:
    """Return the renames of one side that do not conflict with a name of the other side."""
    return {
        noun: {
            old: new
            for old, new in pairs.items()
            if old not in its.get(noun, {}) and new not in other.of(noun)
        }
        for noun, pairs in mine.items()
    }


def _same_on_both(theirs: _Names, yours: _Names) -> _Names:
    """Return the renames that both sides made."""
    return {
        noun: {old: new for old, new in pairs.items() if yours[noun].get(old) == new}
        for noun, pairs in theirs.items()
    }


def _joined(*some: _Names) -> _Names:
    joined: _Names = {}
    for names in some:
        for noun, pairs in names.items():
            joined.setdefault(noun, {}).update(pairs)
    return joined


def _without(names: _Names, some: _Names) -> _Names:
    return {
        noun: {old: new for old, new in pairs.items() if old not in some[noun]}
        for noun, pairs in names.items()
    }


def _rename_all(
    texts: tuple[str, str, str],
    sides: _Three,
    wanted: tuple[_Names, _Names, _Names],
    read: Read,
    rename: Rename,
) -> tuple[tuple[str, str, str], _Three] | None:
    base, theirs, yours = (
        _rename_one(text, objects, names, read, rename)
        for text, objects, names in zip(texts, sides, wanted, strict=True)
    )
    if base is None or theirs is None or yours is None:
        return None
    return (base[0], theirs[0], yours[0]), (base[1], theirs[1], yours[1])


def _rename_one(
    text: str, objects: PolicyObjects, names: _Names, read: Read, rename: Rename
) -> tuple[str, PolicyObjects] | None:
    """Return *text* with other *names* and its objects; None if anything else would change."""
    if not any(names.values()):
        return text, objects
    changed = rename(text, names)
    found = read(changed)
    if found is None or meaning_of(found) != meaning_of(objects.renamed(names)):
        return None
    return changed, found


def _with_base_names(sides: _Three, names: Sequence[_Names]) -> tuple[PolicyObjects, PolicyObjects]:
    """Return the objects of theirs and yours with the names that they have in base."""
    theirs, yours = (
        objects.renamed(
            {noun: {new: old for old, new in each.items()} for noun, each in of.items()}
        )
        for objects, of in zip(sides[1:], names, strict=True)
    )
    return theirs, yours
