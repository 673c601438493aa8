"""
The division of an amount of one resource among sibling queues.

Numbers are floats in the unit of the resource that is never divided: a thousandth of a core, a
byte, a device. The order of the operations is that of the original, because equal fractions
are ties, and a different order of the same operations rounds differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf


@dataclass(slots=True, kw_only=True)
class Claims:
    """The claims of queues on one resource, by the number of the queue, and what they get."""

    #: What the queue is guaranteed; infinite: everything that is divided.
    quotas: Sequence[float]
    weights: Sequence[float]
    #: The smaller one of the limit of the queue and its request.
    requestable: Sequence[float]
    #: The part of the cluster that the queue has used in the past, from 0 to 1.
    usage: Sequence[float] | None
    k_value: float
    #: The fair shares.
    shares: list[float]
    #: The part of each fair share that its quota guarantees.
    guarantees: list[float]
    #: The part of each fair share that is a unit, or less, which rounding left over.
    roundings: list[float]


def divide(total: float, classes: Sequence[Sequence[int]], claims: Claims) -> float:
    """
    Divide *total* among siblings, note their shares in *claims*, and return what remains.

    *classes* have the numbers of the siblings by descending priority, and inside a class those
    that win ties first.
    """
    remaining = _guarantee(total, classes, claims)
    if remaining <= 0:
        return 0.0
    fractions: list[dict[int, float]] = []
    for members in classes:
        remembered: dict[int, float] = {}
        remaining = _share_surplus(remaining, members, claims, remembered)
        fractions.append(remembered)
        if remaining <= 0:
            return 0.0
    return _round(remaining, classes, fractions, claims)


def _guarantee(total: float, classes: Sequence[Sequence[int]], claims: Claims) -> float:
    """Give each sibling what its quota guarantees, even if the total is smaller."""
    quotas, requestable, remaining = claims.quotas, claims.requestable, total
    for members in classes:
        for each in members:
            quota, share = quotas[each], requestable[each]
            if quota == inf:
                quota = total
            share = min(share, quota)
            claims.shares[each] = claims.guarantees[each] = share
            remaining -= share
    return remaining


def _share_surplus(
    surplus: float, members: Sequence[int], claims: Claims, remembered: dict[int, float]
) -> float:
    """
    Share *surplus* among the siblings of one priority, and return what remains.

    A sibling that needs less than its part gets what it needs; the others get whole units, and
    the fractions that they lose are *remembered*. While a sibling needed less, there is another
    round for the others.
    """
    requestable, weights, shares = claims.requestable, claims.weights, claims.shares
    again = True
    while again and surplus > 0:
        again = False
        needing = [each for each in members if requestable[each] - shares[each] > 0]
        total_weight = sum([weights[each] for each in needing])
        if total_weight == 0:
            break
        parts = _parts(needing, total_weight, claims)
        total_part = sum(parts)
        if total_part == 0:
            break
        round_surplus = surplus
        for each, part in zip(needing, parts, strict=True):
            if weights[each] <= 0:
                continue
            given = round_surplus * (part / total_part)
            need = requestable[each] - shares[each]
            if need <= given:
                again = again or need < given
                given = need
                remembered.pop(each, None)
            else:
                whole = floor(given)
                if given > whole:
                    remembered[each] = given - whole
                given = whole
            shares[each] += given
            surplus -= given
    return surplus


def _parts(needing: Sequence[int], total_weight: float, claims: Claims) -> list[float]:
    """Return the weights among those that need more, reduced by past usage above the weight."""
    weights, usage, k_value = claims.weights, claims.usage, claims.k_value
    if usage is None:
        normalized = [weights[each] / total_weight for each in needing]
        return [max(0.0, each + k_value * each) for each in normalized]
    return [
        max(0.0, normal + k_value * (normal - usage[each]))
        for each in needing
        for normal in (weights[each] / total_weight,)
    ]


def _round(
    remaining: float,
    classes: Sequence[Sequence[int]],
    fractions: Sequence[dict[int, float]],
    claims: Claims,
) -> float:
    """Give a unit to each sibling that lost a fraction, the largest fractions first."""
    for members, remembered in zip(classes, fractions, strict=True):
        # The sort is stable: members are in the order in which they win ties.
        losers = [each for each in members if each in remembered]
        for each in sorted(losers, key=lambda loser: -remembered[loser]):
            unit = min(1.0, remaining)
            claims.shares[each] += unit
            claims.roundings[each] = unit
            remaining -= unit
            if remaining == 0:
                return 0.0
    return remaining
