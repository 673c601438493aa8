"""Merge object by object: who changed an object has their way, whatever else the other changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from console.dialects.merging.blocks import Key, cut
from console.dialects.merging.lines import merge_lines
from console.dialects.merging.orders import may_meet
from console.dialects.merging.pieces import Piece, whole_lines
from console.dialects.merging.rules import number_rules
from console.engine.diff import Noun
from console.engine.model.policy import Policy, Rule


def merge_objects(
    texts: tuple[str, str, str], policies: tuple[Policy, Policy, Policy]
) -> tuple[Piece, ...] | None:
    """
    Return the pieces of base, theirs and yours, whose *texts* read as *policies*.

    None when one of the texts cannot be cut into objects, or both sides put what they kept
    into another order.
    """
    numbers = number_rules(*policies)
    rules: dict[int, list[Rule]] = {}
    for policy, of in zip(policies, numbers, strict=True):
        for rule, number in zip(policy.rules, of, strict=True):
            rules.setdefault(number, []).append(rule)
    base, theirs, yours = (
        cut(text, policy, [(Noun.RULE, rules[number][0].queue, number) for number in of])
        for text, policy, of in zip(texts, policies, numbers, strict=True)
    )
    if base is None or theirs is None or yours is None:
        return None
    order = _order(list(base), list(theirs), list(yours))
    if order is None:
        return None
    pieces = [(key, _piece(key, base.get(key), theirs.get(key), yours.get(key))) for key in order]
    kept = [pair for pair in pieces if pair[1].is_conflict or pair[1].merged is not None]
    return tuple(_with_questions(kept, rules))


def _with_questions(
    pieces: Iterable[tuple[Key, Piece]], rules: Mapping[int, Sequence[Rule]]
) -> Iterator[Piece]:
    """Yield *pieces*; where both sides added rules at one place and it matters, which are first."""
    for is_new, run in groupby(pieces, lambda pair: _is_new_rule(*pair)):
        found = list(run)
        theirs, yours = (
            [(key, piece) for key, piece in found if is_new and getattr(piece, side) is not None]
            for side in ("theirs", "yours")
        )
        if may_meet(*([rules[key[2]][0] for key, _ in side] for side in (theirs, yours))):
            yield _question([piece for _, piece in theirs], [piece for _, piece in yours])
        else:
            yield from (piece for _, piece in found)


def _is_new_rule(key: Key, piece: Piece) -> bool:
    """Say whether a piece is a rule that one side alone added."""
    is_new = key[0] is Noun.RULE and piece.base is None and not piece.is_conflict
    return is_new and (piece.theirs is None or piece.yours is None)


def _question(theirs: Sequence[Piece], yours: Sequence[Piece]) -> Piece:
    one, other = (
        "".join(whole_lines(piece.merged or "") for piece in side) for side in (theirs, yours)
    )
    return Piece(
        noun=Noun.RULE,
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
