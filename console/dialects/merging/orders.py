"""The order of objects that two changes require together, and the pairs for which it matters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

from console.engine.diff.objects import ObjectKind, PolicyObject, Reach
from console.engine.diff.order import in_order

#: The workloads that each object can match; None if unknown.
_Reaches: TypeAlias = Sequence[Reach | None] | None

#: Maximum number of pairs of objects that are compared; with more, the answer is the safe one.
_MOST_PAIRS = 500_000


class Orders:
    """The order of the objects of a kind in base, theirs and yours, by their common numbers."""

    def __init__(
        self,
        kind: ObjectKind,
        base: Sequence[int],
        theirs: Sequence[int],
        yours: Sequence[int],
    ) -> None:
        self._kind = kind
        self._base, self._theirs, self._yours = (
            {number: place for place, number in enumerate(side)} for side in (base, theirs, yours)
        )
        steady = {base[i] for i, _ in in_order(base, theirs)}
        steady &= {base[i] for i, _ in in_order(base, yours)}
        #: The objects that have the same order in all three, in that order.
        self._steady = [number for number in base if number in steady]
        self._of_theirs = [self._theirs[number] for number in self._steady]
        self._of_yours = [self._yours[number] for number in self._steady]

    def allow(self, merged: Sequence[tuple[int, PolicyObject]]) -> bool:
        """
        Return whether each pair of *merged* objects is in the requested order.

        If one side moved or added an object, its order is required. Otherwise, the two objects
        must not match the same workload.
        """
        numbers = [number for number, _ in merged]
        steady = set(self._steady)
        if [number for number in numbers if number in steady] != [
            number for number in self._steady if number in set(numbers)
        ]:
            return False
        restless = [place for place, number in enumerate(numbers) if number not in steady]
        if len(restless) * len(merged) > _MOST_PAIRS:
            return False
        taken = _reaches(self._kind, [item for _, item in merged])
        return all(
            self._is_first(numbers[min(one, other)], numbers[max(one, other)])
            or not _overlap(taken, one, taken, other)
            for one in restless
            for other in range(len(merged))
            if one != other
        )

    def _is_first(self, one: int, other: int) -> bool:
        """Return whether *one* has to be tried before *other*."""
        base, theirs, yours = (
            side[one] < side[other] if one in side and other in side else None
            for side in (self._base, self._theirs, self._yours)
        )
        if theirs is None and yours is None:
            return self._is_between(one, other)
        if theirs is None or yours is None:
            return bool(theirs if yours is None else yours)
        if theirs == yours:
            return theirs
        # One side left the order unchanged; without a previous order, neither side decides.
        return base is not None and not base

    def _is_between(self, one: int, other: int) -> bool:
        """Return whether a steady object is after *one* and before *other*, each in its side."""
        for side, places, other_side, other_places in (
            (self._theirs, self._of_theirs, self._yours, self._of_yours),
            (self._yours, self._of_yours, self._theirs, self._of_theirs),
        ):
            if one in side and other in other_side:
                return bisect_left(places, side[one]) < bisect_left(other_places, other_side[other])
        return False


def can_overlap(
    kind: ObjectKind, some: Sequence[PolicyObject], others: Sequence[PolicyObject]
) -> bool:
    """
    Return whether a workload could match both one of *some* and one of *others*.

    True if there are too many pairs to compare.
    """
    if len(some) * len(others) > _MOST_PAIRS:
        return True
    taken, its = _reaches(kind, some), _reaches(kind, others)
    return any(
        _overlap(taken, one, its, other) for one in range(len(some)) for other in range(len(others))
    )


def _reaches(kind: ObjectKind, objects: Sequence[PolicyObject]) -> _Reaches:
    return None if kind.reach is None else [kind.reach(each) for each in objects]


def _overlap(some: _Reaches, one: int, others: _Reaches, other: int) -> bool:
    """Return whether a workload could match both of two objects."""
    if some is None or others is None:
        return True
    taken, its = some[one], others[other]
    return taken is not None and its is not None and taken.overlaps(its)
