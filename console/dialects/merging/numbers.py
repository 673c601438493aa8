"""Number the ordered objects of three policies, so that one object has the same number in all."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence

from console.engine.diff.objects import ObjectKind, PolicyObject, PolicyObjects, Role, kinds_of
from console.engine.diff.order import gaps, in_order
from console.engine.diff.ordered import keys_between, meaning

#: The objects of one kind in three policies: base, theirs and yours.
_Sides = tuple[Sequence[PolicyObject], Sequence[PolicyObject], Sequence[PolicyObject]]


def ordered_kinds(*some: PolicyObjects) -> list[ObjectKind]:
    """Return the kinds whose objects are tried in order."""
    return [kind for kind in kinds_of(*some) if kind.role is Role.ORDERED]


def number_objects(kind: ObjectKind, sides: _Sides) -> tuple[list[int], list[int], list[int]]:
    """
    Return a number for every object of an ordered *kind* of the three policies, in order.

    Objects of base count from 0. An object of a side is the object of base with the same meaning;
    else one between the same neighbors with the same target, or else with the same other facts. The
    others are new, and an equal new object on both sides has the same number.
    """
    base, theirs, yours = sides
    fresh: dict[tuple[str, int], int] = {}
    return (
        list(range(len(base))),
        _numbered(kind, base, theirs, fresh),
        _numbered(kind, base, yours, fresh),
    )


def _numbered(
    kind: ObjectKind,
    base: Sequence[PolicyObject],
    side: Sequence[PolicyObject],
    fresh: dict[tuple[str, int], int],
) -> list[int]:
    before, after = ([meaning(each) for each in objects] for objects in (base, side))
    known = set(before)
    kept = in_order(before, after)
    found = {new: old for old, new in kept}
    astray = {said for new, said in enumerate(after) if new not in found}
    gone: list[int] = []
    come: list[int] = []
    for gap in gaps(kept, len(base), len(side)):
        # An object found unchanged elsewhere has moved, and is not another one now.
        gone += [old for old in gap.old if before[old] in astray]
        olds, news = [old for old in gap.old if before[old] not in astray], list(gap.new)
        for key in keys_between(kind):
            left = _group_by_key((key(base[old]), old) for old in olds)
            # If an equal object exists elsewhere, it has moved rather than changed.
            found |= {
                new: same.popleft()
                for new in news
                if after[new] not in known and (same := left.get(key(side[new])))
            }
            olds = sorted(old for same in left.values() for old in same)
            news = [new for new in news if new not in found]
        gone += olds
        come += news
    moved = _group_by_key((before[old], old) for old in gone)
    copies: Counter[str] = Counter()
    for new in come:
        if elsewhere := moved.get(after[new]):
            found[new] = elsewhere.popleft()
            continue
        again = (after[new], copies[after[new]])
        copies[after[new]] += 1
        found[new] = fresh.setdefault(again, len(base) + len(fresh))
    return [found[place] for place in range(len(side))]


def _group_by_key(pairs: Iterable[tuple[Hashable, int]]) -> dict[Hashable, deque[int]]:
    """Return the numbers of each key, in order."""
    found: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for key, number in pairs:
        found[key].append(number)
    return found
