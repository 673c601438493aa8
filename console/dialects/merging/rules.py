"""Number the rules of three policies, so that one rule has one number in all of them."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from console.dialects.merging.lines import MOST_LINES
from console.engine.diff.plain import plain_fields
from console.engine.policy import Policy, Rule


def number_rules(
    base: Policy, theirs: Policy, yours: Policy
) -> tuple[list[int], list[int], list[int]] | None:
    """
    Return a number for every rule of the three policies, in order.

    Rules of *base* count from 0. A rule of a side is the one of base that means the same,
    else one that leads to the same queue between the same neighbors; what is left is new,
    and the same new rule on both sides is one. None when there are too many to match.
    """
    if max(len(policy.rules) for policy in (base, theirs, yours)) > MOST_LINES:
        return None
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
    found: dict[int, int] = {}
    gone: list[int] = []
    come: list[int] = []
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for tag, i, i_end, j, j_end in opcodes:
        if tag == "equal":
            found |= zip(range(j, j_end), range(i, i_end), strict=True)
            continue
        olds, news = list(range(i, i_end)), list(range(j, j_end))
        for new in list(news):
            same = next((old for old in olds if base[old].queue == side[new].queue), None)
            # An equal one elsewhere has moved rather than changed.
            if same is not None and after[new] not in known:
                found[new] = same
                olds.remove(same)
                news.remove(new)
        gone += olds
        come += news
    copies: Counter[str] = Counter()
    for new in come:
        moved = next((old for old in gone if before[old] == after[new]), None)
        if moved is not None:
            found[new] = moved
            gone.remove(moved)
            continue
        again = (after[new], copies[after[new]])
        copies[after[new]] += 1
        found[new] = fresh.setdefault(again, len(base) + len(fresh))
    return [found[place] for place in range(len(side))]


def _meaning(rule: Rule) -> str:
    return repr(plain_fields(rule, ("index",)))
