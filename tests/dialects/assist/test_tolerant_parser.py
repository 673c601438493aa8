"""The tolerant parser agrees with YAML on valid texts, and recovers from broken ones."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given

from console.dialects import dialects
from console.dialects.assist import LONGEST, assist
from console.dialects.assist.tolerant_parser import Node, parse_tolerantly
from console.dialects.tree import MAX_DEPTH
from tests.dialects.test_contract import RELAXED, mutated_samples

SAMPLES = {
    f"{dialect.name}: {title}": text
    for dialect in dialects().values()
    for title, text in dialect.samples().items()
}


def plain(node: Node | None) -> Any:
    """Return a node as plain values; empty nodes become None."""
    if node is None:
        return None
    if node.kind == "scalar":
        return node.text or None
    if node.kind == "sequence":
        return [plain(entry.value) for entry in node.entries] or None
    return {entry.key.text: plain(entry.value) for entry in node.entries if entry.key} or None


def without_empty(value: Any) -> Any:
    """Return a YAML value with empty values as None, like `plain`."""
    if isinstance(value, dict):
        return {key: without_empty(each) for key, each in value.items()} or None
    if isinstance(value, list):
        return [without_empty(each) for each in value] or None
    return value or None


@pytest.mark.parametrize("text", SAMPLES.values(), ids=SAMPLES)
def test_valid_text_is_parsed_like_yaml(text: str) -> None:
    expected = [without_empty(each) for each in yaml.load_all(text, yaml.BaseLoader)]
    assert [plain(root) for root in parse_tolerantly(text).roots] == expected


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
    # An unfinished word does not remove nodes.
    "a:\n  - b: c\n\npri": {"a": [{"b": "c"}]},
    "a:\n  - b: c\n    d": {"a": [{"b": "c"}]},
    "a:\n  b\nc: 1": {"a": "b", "c": "1"},
    "": None,
}


@pytest.mark.parametrize(("text", "meant"), BROKEN.items())
def test_broken_text_is_recovered(text: str, meant: Any) -> None:
    (root,) = parse_tolerantly(text).roots
    assert plain(root) == meant


def test_positions_start_at_one_and_end_after_the_last_character() -> None:
    (root,) = parse_tolerantly("# note\na:\n  - b: 'c d' # e\n").roots
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
def test_any_text_is_parsed(text: str) -> None:
    made = parse_tolerantly(text)
    assert len(made.roots) >= 1


#: Pathological lines of the maximum length that the assistant reads.
ENDLESS = {
    what: part * (LONGEST // len(part))
    for what, part in {
        "spaces": " ",
        "a word": "a",
        "a word and spaces": f"a{' ' * (LONGEST - 2)}",
        "colons": "a:",
        "dashes": "- ",
        "brackets": "[",
        "braces": "{a: ",
        "escapes": '"\\',
        "words": "a ",
        "anchors": "&a ",
    }.items()
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_very_long_line_has_no_completions_and_no_help(text: str) -> None:
    found = assist(dialects()["native"], text)
    assert found.complete(1, len(text) + 1) == ()
    assert found.explain(1, len(text)) is None


def test_nesting_beyond_the_limit_is_dropped() -> None:
    depths = []
    for text in ("- " * 500, "[" * 500, "\n".join(f"{' ' * n}a:" for n in range(800))):
        node, depth = parse_tolerantly(f"{text}\n").roots[0], 0
        while node is not None and node.entries:
            node, depth = node.entries[-1].value, depth + 1
        depths.append(depth)
    assert depths == [MAX_DEPTH, MAX_DEPTH, MAX_DEPTH]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_mark(end: str) -> None:
    text = "resource_flavors:\n  - name: a\x85b\u2028\nresource_queues:\n"
    marked = "\ufeff" + text.replace("\n", end)
    assert parse_tolerantly(marked).roots == parse_tolerantly(text).roots
    native = dialects()["native"]
    assert assist(native, marked).complete(3, 5) == assist(native, text).complete(3, 5) != ()
