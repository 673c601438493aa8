"""The client form: configs sent as JSON and stored as YAML keep their meaning in both ways."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.dialects import client_dialect, dialects
from console.dialects.tree import MAX_DEPTH, MAX_NODES
from tests.dialects.meaning import plain

DIALECT, FORM = client_dialect()
RELAXED = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
RESOURCES = ("gpu", "cpu", "memory_gb", "tpu")

#: Names that YAML readers interpret, and names that need escapes.
AWKWARD = ["no", "12:30", "1_000", "true", "null", "~", "<<", "a: b", "- x", "#", "a #b", "é", "😀"]
NAMES = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20),
).filter(lambda text: text.strip() and not any(ord(c) & 0xFFFE == 0xFFFE for c in text))
VALUES = st.lists(NAMES, min_size=1, max_size=3)
AMOUNTS = st.one_of(
    st.integers(0, 10**6), st.decimals(0, 10**6, places=3, allow_nan=False, allow_infinity=False)
)
ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**12), 10**12),
        st.floats(-1e12, 1e12, allow_nan=False).filter(lambda number: abs(number) > 1e-6),
        NAMES,
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def expressions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a match expression."""
    operator = draw(st.sampled_from(["in", "not_in", "exists", "does_not_exist"]))
    expression: dict[str, Any] = {"key": draw(NAMES), "operator": operator}
    if operator in ("in", "not_in"):
        expression["values"] = draw(VALUES)
    elif draw(st.booleans()):
        expression["values"] = []
    return expression


@st.composite
def flavors(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Draw a flavor with its fields in any order."""
    fields: dict[str, Any] = {"name": name}
    if draw(st.booleans()):
        fields["selector"] = draw(st.lists(expressions(), max_size=2))
    if draw(st.booleans()):
        fields["advanced_instance_config"] = draw(st.dictionaries(NAMES, ANYTHING, max_size=3))
    return draw(shuffled(fields))


@st.composite
def queues(draw: st.DrawFn, name: str, flavor_names: list[str]) -> dict[str, Any]:
    """Draw a queue with at most one resource group."""
    fields: dict[str, Any] = {"name": name}
    if draw(st.booleans()):
        fields["preemption"] = {"within_resource_queue": "lower_priority"}
    if flavor_names and draw(st.booleans()):
        covered = draw(st.lists(st.sampled_from(RESOURCES), min_size=1, unique=True))
        chosen = draw(st.lists(st.sampled_from(flavor_names), min_size=1, unique=True))
        has_cohort = draw(st.booleans())
        if has_cohort:
            fields["cohort_name"] = draw(NAMES)
        group = [
            {"name": flavor, "resources": draw(quotas(covered, has_cohort=has_cohort))}
            for flavor in chosen
        ]
        fields["resource_groups"] = [{"covered_resources": covered, "flavors": group}]
    return draw(shuffled(fields))


@st.composite
def quotas(draw: st.DrawFn, covered: list[str], *, has_cohort: bool) -> list[dict[str, Any]]:
    """Draw the quota of some of the resources."""
    rows = []
    for resource in draw(st.lists(st.sampled_from(covered), unique=True)):
        row: dict[str, Any] = {"name": resource}
        if draw(st.booleans()):
            row["nominal_quota"] = draw(AMOUNTS)
        if has_cohort and draw(st.booleans()):
            row["borrowing_limit"] = draw(AMOUNTS)
        rows.append(draw(shuffled(row)))
    return rows


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a config without errors, as a client sends it."""
    flavor_names = draw(st.lists(NAMES, max_size=3, unique=True))
    queue_names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    rules = []
    for queue in draw(st.lists(st.sampled_from(queue_names), max_size=3)):
        rule: dict[str, Any] = {"resource_queue": queue}
        if draw(st.booleans()):
            rule["selector"] = draw(st.lists(expressions(), max_size=2))
        if draw(st.booleans()):
            low, high = sorted(draw(st.tuples(st.integers(0, 9), st.integers(0, 9))))
            rule["priority_policy"] = {"min": low, "max": high, "on_violation": "reject"}
        rules.append(draw(shuffled(rule)))
    return draw(
        shuffled(
            {
                "resource_flavors": [draw(flavors(name)) for name in flavor_names],
                "resource_queues": [draw(queues(name, flavor_names)) for name in queue_names],
                "scheduling_rules": rules,
            }
        )
    )


def shuffled(fields: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the same fields in any order."""
    return st.permutations(list(fields.items())).map(dict)


def numbers(value: Any) -> Any:
    """Return *value* after a round trip through JSON, with decimals as floats."""
    return json.loads(json.dumps(value, default=float))


def test_only_the_native_dialect_has_a_client_form() -> None:
    assert [each.name for each in dialects().values() if each.client_form] == [DIALECT.name]


@RELAXED
@given(documents())
def test_document_round_trips_through_text(document: dict[str, Any]) -> None:
    text = FORM.write(document)
    reading = DIALECT.read(text, {})
    assert reading.errors == ()
    assert FORM.read(text) == numbers(document)


@RELAXED
@given(documents())
def test_rewritten_text_has_the_same_meaning(document: dict[str, Any]) -> None:
    text = FORM.write(document)
    again = FORM.write(FORM.read(text))
    assert plain(DIALECT.read(again, {}).policy) == plain(DIALECT.read(text, {}).policy)
    # Writing is idempotent.
    assert again == text


@pytest.mark.parametrize("text", DIALECT.samples().values(), ids=DIALECT.samples())
def test_client_form_of_a_sample_drops_only_comments(text: str) -> None:
    written = FORM.write(FORM.read(text))
    assert plain(DIALECT.read(written, {}).policy) == plain(DIALECT.read(text, {}).policy)
    lines = [
        re.sub(r" +# .*", "", line)
        for line in text.splitlines()
        if not line.strip().startswith("#")
    ]
    # The output has the style of the samples, without their comments.
    assert written == "\n".join(lines).strip() + "\n"


def test_anchors_are_written_out() -> None:
    text = "resource_queues: [&q {name: a}]\nscheduling_rules: [{resource_queue: a}]\n"
    assert FORM.read(text) == {
        "resource_queues": [{"name": "a"}],
        "scheduling_rules": [{"resource_queue": "a"}],
    }


@pytest.mark.parametrize("text", ["", "{}", "# nothing\n", "resource_queues:\n"])
def test_empty_text_is_an_empty_document(text: str) -> None:
    assert FORM.read(text) == {}


def test_numbers_are_written_as_people_write_them() -> None:
    amounts = [Decimal("64.0"), Decimal("2.50"), Decimal("1E+2"), 0.125, 7]
    resources = [{"name": "gpu", "nominal_quota": amount} for amount in amounts]
    text = FORM.write({"resources": resources})
    assert [line.partition("quota: ")[2] for line in text.splitlines()[1:]] == [
        "64 }",
        "2.5 }",
        "100 }",
        "0.125 }",
        "7 }",
    ]


def test_long_values_are_written_on_several_lines() -> None:
    values = [f"value-{number}" for number in range(20)]
    text = FORM.write({"selector": [{"key": "team", "operator": "in", "values": values}]})
    assert text == (
        "selector:\n  - key: team\n    operator: in\n    values:\n"
        + "".join(f"      - {value}\n" for value in values)
    )


@RELAXED
@given(st.one_of(ANYTHING, st.dictionaries(st.text(max_size=5), ANYTHING)))
def test_any_document_can_be_written_and_read(document: Any) -> None:
    reading = DIALECT.read(FORM.write(document), {})
    assert reading.ok == (not reading.errors)


@pytest.mark.parametrize("value", ["\ud800", "\0", "\uffff", "\u2028", "\x85"])
def test_unwritable_characters_are_an_error(value: str) -> None:
    text = FORM.write({"resource_queues": [{"name": f"a{value}b"}]})
    assert DIALECT.read(text, {}).errors


def test_documents_have_the_limits_of_texts() -> None:
    with pytest.raises(ValueError, match=f"more than {MAX_NODES:,} values"):
        FORM.write([0] * MAX_NODES)
    nested: Any = 0
    for _ in range(MAX_DEPTH):
        nested = [nested]
    with pytest.raises(ValueError, match=f"more than {MAX_DEPTH - 1} levels"):
        FORM.write(nested)
    assert FORM.write(nested[0])
