"""Values that the JSON Schema rejects are errors, for every field of every kind."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from console.dialects.kueue import DIALECT
from tests.dialects.kueue.field_paths import kinds, paths
from tests.dialects.kueue.test_field_table import document

VALIDATOR = Draft202012Validator(DIALECT.schema())
FIELDS = [
    pytest.param(kind, api, path, own, id=f"{kind}-{api.rpartition('/')[2]}-{path}")
    for kind, api, schema in kinds()
    for path, own in paths(schema).items()
    # The manifests of this test need a name.
    if path != "metadata"
]
WRONG: list[Any] = [
    *([], {}, [[]], [1], ["a", "a"], {"bogus": 1}, {"a": []}),
    *(5, -5, 1.5, True, "", "bogus value!", "5", "1.5", "x" * 300),
]


def replaced(own: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return the fields *own* with another value at *path*."""
    made = copy.deepcopy(own)
    at: Any = made
    keys = path.replace("[]", ".[]").replace("*", "a").split(".")
    for key in keys[:-1]:
        at = at[0] if key == "[]" else at[key]
    last = keys[-1]
    at[0 if last == "[]" else last] = value
    return made


def is_allowed(text: str) -> bool:
    """Return whether the JSON Schema accepts a manifest."""
    return VALIDATOR.is_valid(json.loads(text))


@pytest.mark.parametrize(("kind", "api", "path", "own"), FIELDS)
def test_value_rejected_by_the_schema_is_an_error(
    kind: str, api: str, path: str, own: dict[str, Any]
):
    for value in WRONG:
        text = document(kind, api, replaced(own, path, value))
        if not is_allowed(text):
            assert not DIALECT.read(text, {}).ok, value


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text("ab-.:/ 059KiMe", max_size=8),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc/", max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(field=st.sampled_from([each.values for each in FIELDS]), value=VALUES)
def test_any_value_rejected_by_the_schema_is_an_error(field: tuple[Any, ...], value: Any):
    kind, api, path, own = field
    text = document(kind, api, replaced(own, path, value))
    if not is_allowed(text):
        assert not DIALECT.read(text, {}).ok
