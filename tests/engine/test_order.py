"""Order-preserving matches of lists: the longest possible, or close to it for large inputs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.diff import order
from console.engine.diff.order import gaps, in_order
from console.engine.diff.ordered import Matches, match_ordered
from console.engine.disciplines.quota.policy_objects import Noun, quota_objects
from console.engine.disciplines.quota.spec import quota_policy
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from tests.engine.builders import only, rule
from tests.engine.strategies import worlds

LISTS = st.lists(st.sampled_from("abcde"), max_size=12)


@worlds(200)
@given(old=LISTS, new=LISTS)
def test_matches_are_the_longest_common_subsequence(old: list[str], new: list[str]) -> None:
    kept = in_order(old, new)
    assert len(kept) == _most(old, new)
    _assert_is_order(old, new, kept)


@worlds(200)
@given(old=LISTS, new=LISTS)
def test_fallback_for_many_copies_keeps_the_order(old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(order, "_MOST_PAIRS", 0)
        kept = in_order(old, new)
    _assert_is_order(old, new, kept)
    if len(set(old)) == len(old) and len(set(new)) == len(new):
        assert len(kept) == _most(old, new)


def test_unique_items_anchor_repeated_items() -> None:
    old = [item for number in range(1000) for item in (f"name {number}", "same", "")]
    new = old[:]
    new[1500:1500] = ["more", "same", ""]
    del new[600:603]
    # A million pairs of equal lines.
    kept = in_order(old, new)
    _assert_is_order(old, new, kept)
    assert len(kept) == 3000 - 3


@worlds(100)
@given(old=LISTS, new=LISTS)
def test_gaps_and_matches_cover_all_items(old: list[str], new: list[str]) -> None:
    kept = in_order(old, new)
    found = list(gaps(kept, len(old), len(new)))
    assert all(gap.old or gap.new for gap in found)
    for side, size in ((0, len(old)), (1, len(new))):
        places = [pair[side] for pair in kept] + [place for gap in found for place in gap[side]]
        assert sorted(places) == list(range(size))


def test_ties_keep_earlier_items() -> None:
    assert in_order("ab", "ba") == [(0, 1)]
    assert in_order("aaxaa", "aaaa") == [(0, 0), (1, 1), (3, 2), (4, 3)]


def test_fifty_thousand_equal_rules_are_matched_at_once() -> None:
    equal = [rule(index, "train") for index in range(25_000)]
    other = rule(25_000, "serve", only(team="ml"))
    more = [rule(25_001 + index, "train") for index in range(25_000)]
    matches = _match([*equal, other, *more], [*equal, *_from(25_000, more)])
    assert (len(matches.same), [each.target for each in matches.removed]) == (50_000, [other.queue])
    assert not [*matches.changed, *matches.moved, *matches.added]
    # Interleaved against grouped rules: few are equal in place, but all match somewhere.
    ones = [rule(index, "train") for index in range(0, 20_000, 2)]
    others = [rule(index, "serve") for index in range(1, 20_000, 2)]
    turns = sorted([*ones, *others], key=lambda each: each.index)
    blocks = _from(0, [*ones, *others])
    matches = _match(turns, blocks)
    assert len(matches.same) + len(matches.changed) + len(matches.moved) == 20_000
    assert not [*matches.removed, *matches.added]


def _match(old: list[Rule], new: list[Rule]) -> Matches:
    sides = [
        quota_objects(quota_policy("native", routing=route_by(rules))).ordered(Noun.RULE)
        for rules in (old, new)
    ]
    return match_ordered(sides[0][0].kind, *sides)


def _from(first: int, rules: list[Rule]) -> list[Rule]:
    return [rule(index, each.queue) for index, each in enumerate(rules, first)]


def _assert_is_order(old: list[str], new: list[str], kept: list[tuple[int, int]]) -> None:
    assert all(old[i] == new[j] for i, j in kept)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(kept))


def _most(old: list[str], new: list[str]) -> int:
    """Return the length of the longest common subsequence, by its definition."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old, 1):
        for j, other in enumerate(new, 1):
            lengths[i][j] = (
                lengths[i - 1][j - 1] + 1
                if one == other
                else max(lengths[i - 1][j], lengths[i][j - 1])
            )
    return lengths[-1][-1]
