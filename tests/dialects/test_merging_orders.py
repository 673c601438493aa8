"""Merges of rules that were moved, and of rules that both sides added at one place."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.merging import Merge, Verdict, merge_configs
from console.engine.diff.objects import PolicyObjects
from console.engine.disciplines.quota.policy_objects import Noun
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import rules_of

HEAD = "resource_queues:\n  - name: a\n  - name: b\n  - name: c\nscheduling_rules:\n"
LAST = "  - resource_queue: c\n"


def rule(queue: str, key: str, *values: str) -> str:
    """Return a rule for workloads whose label *key* has one of *values*, or exists."""
    asks = f"in, values: [{', '.join(values)}]" if values else "exists"
    return f"  - selector: [{{ key: {key}, operator: {asks} }}]\n    resource_queue: {queue}\n"


def merge(base: list[str], theirs: list[str], yours: list[str]) -> Merge:
    """Merge three lists of rules."""

    def read(text: str) -> PolicyObjects | None:
        return dialects()["native"].read_objects(text, {})

    return merge_configs(*(HEAD + "".join(each) + LAST for each in (base, theirs, yours)), read)


def written(*rules: str) -> str:
    """Return a config with *rules*."""
    return HEAD + "".join(rules) + LAST


X, Y, Z = rule("a", "team", "x"), rule("b", "late"), rule("c", "user", "u")
WIDE_X = rule("a", "team", "x", "y")


def test_moved_and_changed_rule_gets_both_changes() -> None:
    for theirs, yours in (([Y, X, Z], [WIDE_X, Y, Z]), ([WIDE_X, Y, Z], [Y, X, Z])):
        merged = merge([X, Y, Z], theirs, yours)
        assert (merged.verdict, merged.text) == (Verdict.SAFE, written(Y, WIDE_X, Z))


def test_retargeted_and_widened_rule_is_a_conflict() -> None:
    elsewhere = X.replace("queue: a", "queue: b")
    (piece,) = merge([X, Y], [elsewhere, Y], [WIDE_X, Y]).conflicts
    assert (piece.noun, piece.name, piece.is_order) == (Noun.RULE, "a", False)
    assert (piece.base, piece.theirs, piece.yours) == (X, elsewhere, WIDE_X)


def test_disjoint_rules_added_at_one_place_merge_safely() -> None:
    one, other = rule("a", "team", "p"), rule("b", "team", "q")
    merged = merge([X], [one, X], [other, X])
    assert (merged.verdict, merged.conflicts) == (Verdict.SAFE, ())
    assert merged.text in (written(one, other, X), written(other, one, X))


def test_overlapping_rules_added_at_one_place_are_a_conflict() -> None:
    one, two, other = rule("a", "team", "p"), rule("c", "user", "w"), rule("b", "team", "p", "q")
    merged = merge([X], [one, two, X], [other, X])
    (piece,) = merged.conflicts
    assert (merged.verdict, merged.text) == (Verdict.CONFLICTS, None)
    assert (piece.noun, piece.is_order, piece.base, piece.theirs, piece.yours) == (
        Noun.RULE,
        True,
        None,
        one + two + other,
        other + one + two,
    )
    assert sorted(piece.name.split(", ")) == ["a", "b", "c"]
    assert merged.resolved([piece.theirs]) == written(one, two, other, X)
    assert merged.resolved([piece.yours]) == written(other, one, two, X)


def test_rules_added_apart_keep_their_order() -> None:
    one, other = rule("a", "team"), rule("b", "team")
    merged = merge([X, Y], [one, X, Y], [X, other, Y])
    assert (merged.verdict, merged.text) == (Verdict.SAFE, written(one, X, other, Y))


def test_rule_added_after_a_moved_rule_is_safe_only_if_order_does_not_matter() -> None:
    # Your rule must stay before the second rule, but follows the first, which moved behind it.
    for added, verdict in (("now", Verdict.UNSURE), ("never", Verdict.SAFE)):
        first, second = rule("a", "late", "x"), rule("b", "late", "now", "then")
        own, third = rule("c", "late", added), rule("c", "late", "z")
        merged = merge([first, second, third], [second, third, first], [first, own, second, third])
        assert (merged.verdict, merged.text) == (verdict, written(second, third, first, own))


RULES = [
    rule("abc"[n % 3], "team", *values)
    for n, values in enumerate([("p",), ("q",), ("p", "q"), ("r",), ("q", "r")])
]


def taken_by(policy: Policy, team: str) -> tuple[str, tuple[str, ...]]:
    """Return the rule that matches workloads of *team*, by its queue and values."""
    route = Router(policy).route(Workload(id="w", sequence=0, labels={"team": team}))
    assert route.rule is not None
    rule = rules_of(policy)[route.rule]
    return rule.queue, sum((each.values for each in rule.selector.expressions), ())


@settings(deadline=None, max_examples=150)
@given(
    st.permutations(range(3)),
    st.permutations(range(3)),
    st.lists(st.integers(3, 4), max_size=1),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_safe_merge_routes_every_workload_as_the_changing_side(
    theirs_order: list[int], yours_order: list[int], more: list[int], at: int, its: int
) -> None:
    base = RULES[:3]
    theirs, yours = [base[i] for i in theirs_order], [base[i] for i in yours_order]
    theirs[at:at] = [RULES[3]]
    yours[its:its] = [RULES[i] for i in more]
    merged = merge(base, theirs, yours)
    if merged.verdict is not Verdict.SAFE:
        return
    assert merged.text is not None
    led = []
    for text in (written(*base), written(*theirs), written(*yours), merged.text):
        policy = dialects()["native"].read(text, {}).policy
        assert policy is not None
        led.append([taken_by(policy, team) for team in "pqrs"])
    for old, one, other, both in zip(*led, strict=True):
        if one == other:
            assert both == one
        elif old in (one, other):
            assert both == (other if one == old else one)
