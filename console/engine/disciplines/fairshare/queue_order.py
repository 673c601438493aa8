"""The order of sibling queues: eight rules, of which the first that tells two apart decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, fits, plus
from console.engine.disciplines.fairshare.standing import Standing, dominant_share


class Rule(StrEnum):
    """A rule, in the order in which they are compared."""

    #: A queue that uses more than its fair share of every resource is later.
    OVER_FAIR_SHARE = "over_fair_share"
    #: A queue that stays within its quota with the workload is earlier.
    IN_QUOTA = "in_quota"
    #: The queue with the higher priority is earlier.
    PRIORITY = "priority"
    #: A queue that would use a resource of which it may use none is later.
    NO_SHARE = "no_share"
    #: The queue with the smaller dominant share, including the workload, is earlier.
    SHARE_WITH_WORKLOAD = "share_with_workload"
    #: The queue with the smaller dominant share is earlier.
    SHARE = "share"
    #: A queue that may use less is earlier.
    ALLOCATABLE = "allocatable"
    #: The older queue is earlier; of two of the same age, the one whose name sorts first.
    AGE = "age"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A queue that competes with its siblings for the next turn."""

    standing: Standing
    #: What its next workload would start with.
    request: Amounts = NOTHING
    #: What victims release, which only the dominant share with the workload takes into account.
    released: Amounts = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Which of two contenders is earlier, and the rule that decided."""

    is_left_first: bool
    rule: Rule


def compare(left: Contender, right: Contender, total: Amounts) -> Comparison:
    """Compare two siblings; *total* is the capacity of the cluster."""
    for rule, key in _KEYS:
        one, other = key(left, total), key(right, total)
        if one != other:
            return Comparison(is_left_first=one < other, rule=rule)
    one_bound, other_bound = left.standing.allocatable, right.standing.allocatable
    if one_bound != other_bound:
        if fits(one_bound, other_bound):
            return Comparison(is_left_first=True, rule=Rule.ALLOCATABLE)
        if fits(other_bound, one_bound):
            return Comparison(is_left_first=False, rule=Rule.ALLOCATABLE)
    return Comparison(is_left_first=_age(left) < _age(right), rule=Rule.AGE)


def sort_key(contender: Contender, total: Amounts) -> tuple[Any, ...]:
    """
    Return a key that sorts contenders by the rules before `Rule.ALLOCATABLE`.

    The result is that of `compare`, for each contender once.
    """
    return tuple([key(contender, total) for _, key in _KEYS])


def _is_over_fair_share(contender: Contender, total: Amounts) -> bool:
    standing = contender.standing
    return all(share < used for share, used in zip(standing.fair_share, standing.used, strict=True))


def _is_beyond_quota(contender: Contender, total: Amounts) -> bool:
    standing = contender.standing
    return not fits(plus(standing.used, contender.request), standing.quota)


def _lacks_share(contender: Contender, total: Amounts) -> bool:
    standing = contender.standing
    used = plus(standing.used, contender.request)
    return any(
        bound == 0 and amount > 0 for bound, amount in zip(standing.allocatable, used, strict=True)
    )


def _age(contender: Contender) -> tuple[int, str]:
    return contender.standing.created, contender.standing.name


#: The rules that compare a value of each contender; the smaller one is earlier.
_KEYS: Final[tuple[tuple[Rule, Callable[[Contender, Amounts], Any]], ...]] = (
    (Rule.OVER_FAIR_SHARE, _is_over_fair_share),
    (Rule.IN_QUOTA, _is_beyond_quota),
    (Rule.PRIORITY, lambda each, total: -each.standing.priority),
    (Rule.NO_SHARE, _lacks_share),
    (
        Rule.SHARE_WITH_WORKLOAD,
        lambda each, total: dominant_share(each.standing, total, each.request, each.released),
    ),
    (Rule.SHARE, lambda each, total: dominant_share(each.standing, total)),
)
