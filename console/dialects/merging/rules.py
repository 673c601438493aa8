"""Number the rules of three policies, so that one rule has one number in all of them."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable

from console.engine.diff.order import gaps, in_order
from console.engine.diff.plain import plain_fields
from console.engine.model.policy import Policy, Rule


def number_rules(
    base: Policy, theirs: Policy, yours: Policy
) -> tuple[list[int], list[int], list[int]]:
    """
    Return a number for every rule of the three policies, in order.

    Rules of *base* count from 0. A rule of a side is the one of base that means the same,
    else one that leads to the same queue, or asks the same, between the same neighbors; what
    is left is new, and the same new rule on both sides is one.
    """
    numbers = list(range(len(base.rules)))
    fresh: dict[tuple[str, int], int] = {}
    return (
        numbers,
        _numbered(base.rules, theirs.rules, fresh),
        _numbered(base.rules, yours.rules, fresh),
    )


def _numbered(
    base: tuple[Rule, ...], side: tuple[Rule, ...], fresh: dict[tuple[str, int], int]
) -> list[int]:
    before, after = ([_meaning(rule) for rule in rules] for rules in (base, side))
    known = set(before)
    kept = in_order(before, after)
    found = {new: old for old, new in kept}
    astray = {said for new, said in enumerate(after) if new not in found}
    gone: list[int] = []
    come: list[int] = []
    for gap in gaps(kept, len(base), len(side)):
        # One that stands elsewhere as it was has moved, and is no other one now.
        gone += [old for old in gap.old if before[old] in astray]
        olds, news = [old for old in gap.old if before[old] not in astray], list(gap.new)
        for key in (_queue, _asks):
            left = _by((key(base[old]), old) for old in olds)
            # An equal one elsewhere has moved rather than changed.
            found |= {
                new: same.popleft()
                for new in news
                if after[new] not in known and (same := left.get(key(side[new])))
            }
            olds = sorted(old for same in left.values() for old in same)
            news = [new for new in news if new not in found]
        gone += olds
        come += news
    moved = _by((before[old], old) for old in gone)
    copies: Counter[str] = Counter()
    for new in come:
        if elsewhere := moved.get(after[new]):
            found[new] = elsewhere.popleft()
            continue
        again = (after[new], copies[after[new]])
        copies[after[new]] += 1
        found[new] = fresh.setdefault(again, len(base) + len(fresh))
    return [found[place] for place in range(len(side))]


def _by(pairs: Iterable[tuple[Hashable, int]]) -> dict[Hashable, deque[int]]:
    """Return the numbers of each key, in order."""
    found: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for key, number in pairs:
        found[key].append(number)
    return found


def _queue(rule: Rule) -> str:
    return rule.queue


def _asks(rule: Rule) -> str:
    return repr(plain_fields(rule, ("index", "queue")))


def _meaning(rule: Rule) -> str:
    return repr(plain_fields(rule, ("index",)))
