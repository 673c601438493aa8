"""Object-by-object merge: the side that changed an object wins, independent of other changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from console.dialects.merging.blocks import Key, split_blocks
from console.dialects.merging.lines import merge_lines
from console.dialects.merging.numbers import number_objects, ordered_kinds
from console.dialects.merging.orders import can_overlap
from console.dialects.merging.pieces import Piece, whole_lines
from console.engine.diff.objects import PolicyObject, PolicyObjects

#: By kind and number: the object in each of the three policies that has it.
_Numbered = Mapping[str, Mapping[int, Sequence[PolicyObject]]]


def merge_objects(
    texts: tuple[str, str, str], sides: tuple[PolicyObjects, PolicyObjects, PolicyObjects]
) -> tuple[Piece, ...] | None:
    """
    Return the pieces of base, theirs and yours, whose *texts* describe *sides*.

    None if one of the texts cannot be split into objects, or if both sides changed the order of the
    objects that they kept, each in another way.
    """
    keys: tuple[dict[str, list[Key]], ...] = ({}, {}, {})
    numbered: dict[str, dict[int, list[PolicyObject]]] = {}
    for kind in ordered_kinds(*sides):
        one, two, three = (each.ordered(kind.name) for each in sides)
        numbers = number_objects(kind, (one, two, three))
        known = numbered.setdefault(kind.name, {})
        for items, of in zip((one, two, three), numbers, strict=True):
            for item, number in zip(items, of, strict=True):
                known.setdefault(number, []).append(item)
        for side, of in zip(keys, numbers, strict=True):
            side[kind.name] = [(kind.name, known[number][0].target, number) for number in of]
    base, theirs, yours = (
        split_blocks(text, objects, of)
        for text, objects, of in zip(texts, sides, keys, strict=True)
    )
    if base is None or theirs is None or yours is None:
        return None
    order = _order(list(base), list(theirs), list(yours))
    if order is None:
        return None
    pieces = [(key, _piece(key, base.get(key), theirs.get(key), yours.get(key))) for key in order]
    kept = [pair for pair in pieces if pair[1].is_conflict or pair[1].merged is not None]
    return tuple(_with_order_conflicts(kept, numbered))


def _with_order_conflicts(
    pieces: Iterable[tuple[Key, Piece]], numbered: _Numbered
) -> Iterator[Piece]:
    """Yield *pieces*; new ordered objects of both sides are a conflict if their order matters."""
    for kind, run in groupby(pieces, lambda pair: _new_kind(pair[0], pair[1], numbered)):
        found = list(run)
        theirs, yours = (
            [(key, piece) for key, piece in found if kind and getattr(piece, side) is not None]
            for side in ("theirs", "yours")
        )
        if kind and _order_matters(kind, theirs, yours, numbered):
            yield _order_conflict(
                kind, [piece for _, piece in theirs], [piece for _, piece in yours]
            )
        else:
            yield from (piece for _, piece in found)


def _order_matters(
    kind: str,
    theirs: Sequence[tuple[Key, Piece]],
    yours: Sequence[tuple[Key, Piece]],
    numbered: _Numbered,
) -> bool:
    some, others = ([numbered[kind][key[2]][0] for key, _ in side] for side in (theirs, yours))
    return bool(some and others) and can_overlap(some[0].kind, some, others)


def _new_kind(key: Key, piece: Piece, numbered: _Numbered) -> str:
    """Return the kind of an ordered object that only one side added; else ""."""
    kind = key[0]
    if kind is None or kind not in numbered or piece.base is not None or piece.is_conflict:
        return ""
    return kind if piece.theirs is None or piece.yours is None else ""


def _order_conflict(kind: str, theirs: Sequence[Piece], yours: Sequence[Piece]) -> Piece:
    one, other = (
        "".join(whole_lines(piece.merged or "") for piece in side) for side in (theirs, yours)
    )
    return Piece(
        noun=kind,
        name=", ".join(dict.fromkeys(piece.name for piece in (*theirs, *yours))),
        base=None,
        theirs=one + other,
        yours=other + one,
        merged=None,
        is_conflict=True,
        is_order=True,
    )


def _piece(key: Key, base: str | None, theirs: str | None, yours: str | None) -> Piece:
    noun, name, _ = key
    merged, is_conflict = _decide(base, theirs, yours)
    return Piece(
        noun=noun,
        # Lines outside of objects have no name.
        name=name if noun else "",
        base=base,
        theirs=theirs,
        yours=yours,
        merged=merged,
        is_conflict=is_conflict,
    )


def _decide(base: str | None, theirs: str | None, yours: str | None) -> tuple[str | None, bool]:
    """Return the merged text of a block, and whether it is a conflict."""
    if theirs in (base, yours):
        return yours, False
    if yours == base:
        return theirs, False
    if base is None or theirs is None or yours is None:
        return None, True
    pieces = merge_lines(base, theirs, yours)
    if any(piece.is_conflict for piece in pieces):
        return None, True
    return "".join(piece.merged or "" for piece in pieces), False


def _order(base: list[Key], theirs: list[Key], yours: list[Key]) -> list[Key] | None:
    """Return all keys in the order of the side that changed it, with keys of the other side."""
    common = set(base) & set(theirs) & set(yours)
    kept, one, other = ([key for key in side if key in common] for side in (base, theirs, yours))
    if one == kept:
        # Theirs is the result where yours has no change, so its order is the frame too.
        frame, guest = (theirs, yours) if other == kept else (yours, theirs)
    elif other in (kept, one):
        frame, guest = theirs, yours
    else:
        return None
    return _interleave(_interleave(frame, guest), base)


def _interleave(frame: list[Key], guest: list[Key]) -> list[Key]:
    """Return *frame* with the keys that only *guest* has, each after its predecessor in *guest*."""
    known = set(frame)
    behind: dict[Key | None, list[Key]] = {}
    anchor = None
    for key in guest:
        if key in known:
            anchor = key
        else:
            behind.setdefault(anchor, []).append(key)
    return [
        *behind.get(None, ()),
        *(each for key in frame for each in (key, *behind.get(key, ()))),
    ]
