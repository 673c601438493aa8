"""Placements as plain values are read like those of a text, and no value raises an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.skyshift import DIALECT
from console.dialects.skyshift.plain import placement_to_plain
from console.engine.disciplines.placement.read_placement import parse_placement
from console.engine.disciplines.placement.spec import (
    Criterion,
    Expression,
    Operator,
    Placement,
    placement_of,
)
from tests.dialects.test_contract import RELAXED

DEV = {"purpose": "dev"}
NAME_RULE = "Use lower-case letters, digits and -, up to 63; begin and end with a letter or digit."
WEIGHT_RULE = "This has to be a whole number from 1 to 100."


def named(**fields: Any) -> dict[str, Any]:
    """Return one filter with other *fields*."""
    return {"filters": [{"name": "f", "match_labels": DEV, **fields}]}


def weighted(weight: Any) -> dict[str, Any]:
    """Return one preference with *weight*."""
    return {"preferences": [{"name": "p", "match_labels": DEV, "weight": weight}]}


def expression(**fields: Any) -> dict[str, Any]:
    """Return a filter with one expression."""
    whole = {"key": "a", "operator": "In", "values": ["b"], **fields}
    return {"filters": [{"name": "f", "match_expressions": [whole]}]}


def test_placement_is_read_with_all_fields() -> None:
    value = {
        "filters": [
            {
                "name": "f",
                "match_labels": DEV,
                "match_expressions": [
                    {"key": "location", "operator": "NotIn", "values": ["eu", ""]},
                    {"key": "zone", "operator": "In"},
                ],
            }
        ],
        "preferences": [
            {"name": "p", "match_labels": DEV, "weight": 100},
            {"name": "q", "match_labels": DEV, "weight": "50"},
            {"name": "r", "match_labels": DEV},
        ],
    }
    assert parse_placement(value) == Placement(
        filters=(
            Criterion(
                name="f",
                labels=DEV,
                expressions=(
                    Expression(key="location", operator=Operator.NOT_IN, values=("eu", "")),
                    Expression(key="zone", operator=Operator.IN),
                ),
            ),
        ),
        preferences=(
            Criterion(name="p", labels=DEV, weight=100),
            Criterion(name="q", labels=DEV, weight=50),
            Criterion(name="r", labels=DEV, weight=1),
        ),
    )


@pytest.mark.parametrize("value", [{}, {"filters": []}, {"filters": [], "preferences": []}])
def test_placement_may_be_empty(value: dict[str, Any]) -> None:
    assert parse_placement(value) == Placement()


REFUSED = {
    "unknown field": (
        {"filter": []},
        [("filter", '"filter" is not known here; did you mean filters?')],
    ),
    "unknown field without a similar one": (
        {"rules": []},
        [("rules", '"rules" is not known here; known are filters, preferences.')],
    ),
    "filters that are no list": (
        {"filters": {"name": "f"}},
        [("filters", "This has to be a list, not a mapping.")],
    ),
    "filters that are null": (
        {"filters": None},
        [("filters", "This has to be a list, not null.")],
    ),
    "filter that is no mapping": (
        {"filters": ["f"]},
        [("filters[0]", "This has to be a mapping, not a text.")],
    ),
    "missing name": (
        {"filters": [{"match_labels": DEV}]},
        [("filters[0].name", f"A name is required. {NAME_RULE}")],
    ),
    "bad name": (named(name="F_1"), [("filters[0].name", f'"F_1" is not a name. {NAME_RULE}')]),
    "name that is a number": (
        named(name=1),
        [("filters[0].name", "This has to be a text, not a number.")],
    ),
    "no condition": (
        named(match_labels={}),
        [("filters[0]", "This has to have match_labels or match_expressions.")],
    ),
    "two filters of one name": (
        {"filters": [{"name": "f", "match_labels": DEV}] * 2},
        [("filters[1].name", '"f" is used twice; rename one.')],
    ),
    "blank label key": (
        named(match_labels={" ": "dev"}),
        [("filters[0].match_labels", "The key of a label has to be a text that is not blank.")],
    ),
    "label value that is a number": (
        named(match_labels={"purpose": 1}),
        [("filters[0].match_labels.purpose", "This has to be a text, not a number.")],
    ),
    "labels that are a list": (
        named(match_labels=["a"]),
        [("filters[0].match_labels", "This has to be a mapping, not a list.")],
    ),
    "expressions that are one mapping": (
        named(match_expressions={"key": "a"}),
        [("filters[0].match_expressions", "This has to be a list, not a mapping.")],
    ),
    "blank key": (
        expression(key=" "),
        [("filters[0].match_expressions[0].key", "This has to be the key of a label.")],
    ),
    "operator in lower case": (
        expression(operator="in"),
        [("filters[0].match_expressions[0].operator", "This has to be In or NotIn.")],
    ),
    "empty operator": (
        expression(operator=""),
        [("filters[0].match_expressions[0].operator", "This has to be In or NotIn.")],
    ),
    "value that is true": (
        expression(values=[True]),
        [
            (
                "filters[0].match_expressions[0].values[0]",
                "This has to be a text, not true or false.",
            )
        ],
    ),
    "weight of a filter": (
        named(weight=2),
        [
            (
                "filters[0].weight",
                '"weight" is not known here; known are name, match_labels, match_expressions.',
            )
        ],
    ),
    **{
        f"weight {weight!r}": (weighted(weight), [("preferences[0].weight", WEIGHT_RULE)])
        for weight in (0, 101, -1, 99.9, "ten", "", "99.9", True, None, [1], float("nan"), 10**30)
    },
}


@pytest.mark.parametrize(("value", "problems"), REFUSED.values(), ids=REFUSED)
def test_placement_is_refused(value: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert parse_placement(value) == problems


@pytest.mark.parametrize(("weight", "expected"), [(1, 1), (100, 100), ("50", 50), (50.0, 50)])
def test_weight_is_accepted(weight: Any, expected: int) -> None:
    placement = parse_placement(weighted(weight))
    assert isinstance(placement, Placement)
    assert placement.preferences[0].weight == expected


WORDS = st.sampled_from(["a", "b", "dev", "F_1", "", " ", "x" * 64, "In", "NotIn", "in", "50", "0"])
SCALARS = st.one_of(
    WORDS, st.none(), st.booleans(), st.integers(-2, 102), st.sampled_from([1.5, 50.0])
)
KEYS = st.sampled_from(
    [
        *("filters", "preferences", "name", "match_labels", "match_expressions", "weight"),
        *("key", "operator", "values", "filter", "a", ""),
    ]
)
ANY_MAPPING = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)
        ),
        max_leaves=12,
    ),
    max_size=3,
)

EXPRESSIONS = st.lists(
    st.fixed_dictionaries(
        {"key": WORDS, "operator": st.sampled_from(["In", "NotIn", "in"])},
        optional={"values": st.lists(WORDS, max_size=2)},
    ),
    max_size=2,
)
CRITERION = {
    "name": st.sampled_from(["a", "b", "dev", "F_1", ""]),
    "match_labels": st.dictionaries(WORDS, WORDS, max_size=2),
}
LIKELY = st.fixed_dictionaries(
    {},
    optional={
        "filters": st.lists(
            st.fixed_dictionaries(CRITERION, optional={"match_expressions": EXPRESSIONS}),
            max_size=2,
        ),
        "preferences": st.lists(
            st.fixed_dictionaries(
                CRITERION,
                optional={"match_expressions": EXPRESSIONS, "weight": st.integers(-1, 102)},
            ),
            max_size=2,
        ),
    },
)


@RELAXED
@given(value=ANY_MAPPING)
def test_any_mapping_is_read_or_has_problems(value: dict[str, Any]) -> None:
    found = parse_placement(value)
    if isinstance(found, Placement):
        assert parse_placement(placement_to_plain(found)) == found
    else:
        assert found
        for path, sentence in found:
            assert isinstance(path, str)
            assert sentence.endswith((".", "?"))
            assert "\n" not in sentence


@RELAXED
@given(value=LIKELY)
def test_text_and_plain_value_have_the_same_rules(value: dict[str, Any]) -> None:
    text = json.dumps({"kind": "PlacementTemplate", "metadata": {"name": "t"}, "spec": value})
    policy, found = DIALECT.read(text, {}).policy, parse_placement(value)
    assert (policy is not None) == isinstance(found, Placement) or _has_blank_value(value)
    if policy is not None:
        assert placement_of(policy).templates["t"].placement == found


def _has_blank_value(value: dict[str, Any]) -> bool:
    """Return whether a text refuses a value of spaces alone, which the plain form accepts."""
    return '" "' in json.dumps(value)
