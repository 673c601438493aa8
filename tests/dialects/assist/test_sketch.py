"""A sketch of a whole text is what YAML says; of a broken one it is what was meant so far."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given

from console.dialects import dialects
from console.dialects.assist.sketch import Node, sketch
from tests.dialects.test_contract import RELAXED, mutated_samples

SAMPLES = {
    f"{dialect.name}: {title}": text
    for dialect in dialects().values()
    for title, text in dialect.samples().items()
}


def plain(node: Node | None) -> Any:
    """Return a node as plain values; what is empty is None."""
    if node is None:
        return None
    if node.kind == "scalar":
        return node.text or None
    if node.kind == "sequence":
        return [plain(entry.value) for entry in node.entries] or None
    return {entry.key.text: plain(entry.value) for entry in node.entries if entry.key} or None


def without_empty(value: Any) -> Any:
    """Return what YAML read as `plain` returns it."""
    if isinstance(value, dict):
        return {key: without_empty(each) for key, each in value.items()} or None
    if isinstance(value, list):
        return [without_empty(each) for each in value] or None
    return value or None


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_a_whole_text_is_read_as_yaml_reads_it(text: str) -> None:
    expected = [without_empty(each) for each in yaml.load_all(text, yaml.BaseLoader)]
    assert [plain(root) for root in sketch(text).roots] == expected


BROKEN = {
    "a: [1, 2\nb: 3": {"a": ["1"], "b": "3"},
    "a:\n  - { x: 1, y\n  - z: 2": {"a": [{"x": "1"}, {"z": "2"}]},
    'a: "open\nb: 1': {"a": "open", "b": "1"},
    "a: 1\n  b: 2": {"a": {"b": "2"}},
    "a:\n  b: 1\n c: 2": {"a": {"c": "2"}},
    "a: ]\nb: }": {"a": "]", "b": "}"},
    "- a: 1\nb: 2": {"b": "2"},
    "a: |\n  b: 1\n  c\nd: 2": {"a": None, "d": "2"},
    "a: &x !!str y # note\nb: *x": {"a": "y", "b": "*x"},
    '{"a": [{"b": "c:d"}, 1.5]}': {"a": [{"b": "c:d"}, "1.5"]},
    "\ta: 1": {"a": "1"},
    "a: 'it''s'\n'b c': \"d\"": {"a": "it''s", "b c": "d"},
    # A word that is only being typed takes nothing away from what is there.
    "a:\n  - b: c\n\npri": {"a": [{"b": "c"}]},
    "a:\n  - b: c\n    d": {"a": [{"b": "c"}]},
    "a:\n  b\nc: 1": {"a": "b", "c": "1"},
    "": None,
}


@pytest.mark.parametrize(("text", "meant"), BROKEN.items())
def test_a_broken_text_is_read_as_it_was_meant(text: str, meant: Any) -> None:
    (root,) = sketch(text).roots
    assert plain(root) == meant


def test_places_count_from_one_and_end_behind_the_last_sign() -> None:
    (root,) = sketch("# note\na:\n  - b: 'c d' # e\n").roots
    assert root is not None
    value = root.entries[0].value
    assert value is not None
    inner = value.entries[0].value
    assert inner is not None
    key, text = inner.entries[0].key, inner.entries[0].value
    assert key is not None
    assert text is not None
    assert [
        (node.line, node.column, node.end_line, node.end_column)
        for node in (root, value, inner, key, text)
    ] == [(2, 1, 3, 13), (3, 3, 3, 13), (3, 5, 3, 13), (3, 5, 3, 6), (3, 8, 3, 13)]


@RELAXED
@given(mutated_samples())
def test_any_text_has_a_sketch(text: str) -> None:
    made = sketch(text)
    assert len(made.roots) >= 1
