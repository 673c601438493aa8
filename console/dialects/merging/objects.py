"""Merge object by object: who changed an object has their way, whatever else the other changed."""

from __future__ import annotations

from console.dialects.merging.blocks import Key, cut
from console.dialects.merging.lines import merge_lines
from console.dialects.merging.pieces import Piece
from console.dialects.merging.rules import number_rules
from console.engine.policy import Policy


def merge_objects(
    texts: tuple[str, str, str], policies: tuple[Policy, Policy, Policy]
) -> tuple[Piece, ...] | None:
    """
    Return the pieces of base, theirs and yours, whose *texts* read as *policies*.

    None when one of the texts cannot be cut into objects, or both sides put what they kept
    into another order.
    """
    numbers = number_rules(*policies)
    base, theirs, yours = (
        cut(text, policy, rules)
        for text, policy, rules in zip(texts, policies, numbers, strict=True)
    )
    if base is None or theirs is None or yours is None:
        return None
    order = _order(list(base), list(theirs), list(yours))
    if order is None:
        return None
    pieces = (_piece(key, base.get(key), theirs.get(key), yours.get(key)) for key in order)
    return tuple(piece for piece in pieces if piece.is_conflict or piece.merged is not None)


def _piece(key: Key, base: str | None, theirs: str | None, yours: str | None) -> Piece:
    noun, name, _ = key
    merged, is_conflict = _decide(base, theirs, yours)
    return Piece(
        noun=noun,
        # What belongs to no object has no name either.
        name=name if noun else "",
        base=base,
        theirs=theirs,
        yours=yours,
        merged=merged,
        is_conflict=is_conflict,
    )


def _decide(base: str | None, theirs: str | None, yours: str | None) -> tuple[str | None, bool]:
    """Return what becomes of a block, and whether that is for a person to say."""
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
    """Return all keys: in the order of the side that changed it, the other's where they stood."""
    common = set(base) & set(theirs) & set(yours)
    kept, one, other = ([key for key in side if key in common] for side in (base, theirs, yours))
    if one == kept:
        # Theirs is what comes out where yours says nothing else, so its order is the frame too.
        frame, guest = (theirs, yours) if other == kept else (yours, theirs)
    elif other in (kept, one):
        frame, guest = theirs, yours
    else:
        return None
    return _woven(_woven(frame, guest), base)


def _woven(frame: list[Key], guest: list[Key]) -> list[Key]:
    """Return *frame* with what only *guest* has, each behind what stands before it there."""
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
