"""The rule index omits no rule, and gives the same routes as trying all rules in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.trace import RuleTried, RuleVerdict
from console.engine.routing.regions import region_of
from console.engine.routing.router import Router
from console.engine.routing.rule_index import RuleIndex
from console.engine.routing.rules import Rule, effective_priority
from tests.engine.builders import only, policy, queue, rule, workload
from tests.engine.strategies import priority_policies, worlds

KEYS, VALUES = ("team", "tier", "zone"), ("a", "b", "c")


@st.composite
def expressions(draw: st.DrawFn) -> MatchExpression:
    operator = draw(st.sampled_from([Operator.IN, Operator.IN, *Operator]))
    values: list[str] = []
    if operator in (Operator.IN, Operator.NOT_IN):
        values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=2))
    return MatchExpression(draw(st.sampled_from(KEYS)), operator, tuple(values))


@st.composite
def rules(draw: st.DrawFn) -> tuple[Rule, ...]:
    selectors = draw(st.lists(st.lists(expressions(), max_size=3), max_size=12))
    return tuple(
        Rule(
            index=index,
            queue=draw(st.sampled_from(["train", "serve"])),
            selector=Selector(tuple(asked)),
            priority=draw(priority_policies()),
        )
        for index, asked in enumerate(selectors)
    )


LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))


@worlds(100)
@given(rules=rules(), labels=LABELS)
def test_matching_rules_are_found_in_order(rules: tuple[Rule, ...], labels: dict[str, str]) -> None:
    holding = [each for each in rules if each.selector.matches(labels)]
    assert list(RuleIndex(rules).matching(labels)) == holding


@worlds(100)
@given(rules=rules())
def test_overlapping_earlier_rules_are_not_omitted(rules: tuple[Rule, ...]) -> None:
    index = RuleIndex(rules)
    for asked in rules:
        region = region_of(asked)
        before = [each.index for each in index.overlapping_before(asked.index)]
        assert before == sorted(set(before) & set(range(asked.index)))
        if region is None:
            continue
        for other in rules[: asked.index]:
            theirs = region_of(other)
            assert theirs is None or not region.overlaps(theirs) or other.index in before


@worlds(100)
@given(rules=rules(), labels=LABELS, requested=st.none() | st.integers(-20, 120))
def test_a_route_is_that_of_trying_one_rule_after_the_other(
    rules: tuple[Rule, ...], labels: dict[str, str], requested: int | None
) -> None:
    world = policy(queue("train"), queue("serve"), rules=rules)
    route = Router(world).route(workload("a", labels=labels, priority=requested))
    verdicts = [_verdict(each, labels, requested) for each in rules]
    if RuleVerdict.TOOK in verdicts:
        del verdicts[verdicts.index(RuleVerdict.TOOK) + 1 :]
        took = rules[len(verdicts) - 1]
        priority = effective_priority(took, requested).effective
        assert (route.rule, route.queue, route.priority) == (took.index, took.queue, priority)
    elif rules:
        assert (route.rule, route.queue, route.priority) == (None, None, None)
    else:
        assert (route.rule, route.queue, route.priority) == (None, None, requested or 0)
    tried: tuple[RuleTried, ...] = route.rules
    assert [(each.index, each.verdict) for each in tried] == list(enumerate(verdicts))
    assert route.priorities == tuple(
        effective_priority(rules[index], requested)
        for index, verdict in enumerate(verdicts)
        if verdict is not RuleVerdict.SELECTOR_FALSE
    )


def test_workload_is_compared_only_with_rules_of_its_team() -> None:
    index = RuleIndex(
        [*(rule(each, "train", only(team=f"team-{each}")) for each in range(1000)), rule(1000, "a")]
    )
    assert [each.index for each in index.matching({"team": "team-7", "tier": "x"})] == [7, 1000]
    assert index.tried_count == 2


def _verdict(rule: Rule, labels: dict[str, str], requested: int | None) -> RuleVerdict:
    if not rule.selector.matches(labels):
        return RuleVerdict.SELECTOR_FALSE
    if effective_priority(rule, requested).effective is None:
        return RuleVerdict.PRIORITY_OUT_OF_RANGE
    return RuleVerdict.TOOK
