"""Match expressions have Kubernetes' meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector

words = st.sampled_from(["a", "b", "A", ""])
label_sets = st.dictionaries(words, words)
values = st.lists(words, min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("operator", "values", "with_a", "with_b", "without"),
    [
        (Operator.IN, ("a",), True, False, False),
        (Operator.IN, ("a", "b"), True, True, False),
        (Operator.NOT_IN, ("a",), False, True, True),
        (Operator.NOT_IN, ("a", "b"), False, False, True),
        (Operator.EXISTS, (), True, True, False),
        (Operator.DOES_NOT_EXIST, (), False, False, True),
    ],
)
def test_operators(
    operator: Operator, values: tuple[str, ...], with_a: bool, with_b: bool, without: bool
) -> None:
    expression = MatchExpression("zone", operator, values)
    answers = [expression.matches(labels) for labels in ({"zone": "a"}, {"zone": "b"}, {})]
    assert answers == [with_a, with_b, without]


def test_keys_and_values_are_compared_exactly() -> None:
    expression = MatchExpression("zone", Operator.IN, ("a",))
    assert not expression.matches({"zone": "A"})
    assert not expression.matches({"Zone": "a"})
    assert not expression.matches({"zone": "a "})


@given(key=words, values=values, labels=label_sets)
def test_an_operator_and_its_negation_partition_all_label_sets(
    key: str, values: tuple[str, ...], labels: dict[str, str]
) -> None:
    within = MatchExpression(key, Operator.IN, values)
    outside = MatchExpression(key, Operator.NOT_IN, values)
    assert within.matches(labels) != outside.matches(labels)
    present = MatchExpression(key, Operator.EXISTS)
    absent = MatchExpression(key, Operator.DOES_NOT_EXIST)
    assert present.matches(labels) != absent.matches(labels)


@given(label_sets)
def test_a_selector_without_expressions_matches_everything(labels: dict[str, str]) -> None:
    assert EVERYTHING.matches(labels)


@given(st.lists(st.builds(MatchExpression, words, st.sampled_from(Operator), values)), label_sets)
def test_a_selector_names_the_first_expression_that_is_false(
    expressions: list[MatchExpression], labels: dict[str, str]
) -> None:
    selector = Selector(tuple(expressions))
    false = [each for each in expressions if not each.matches(labels)]
    assert selector.first_false(labels) is (false[0] if false else None)
    assert selector.matches(labels) is (not false)
