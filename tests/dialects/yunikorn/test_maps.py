"""Configs in ConfigMaps: their findings have their places in the whole text."""

from __future__ import annotations

import json

import pytest

from console.dialects import dialects, likely_dialect
from console.dialects.base import Reading
from console.dialects.lints import lint
from console.dialects.positions import apply_fix
from console.engine.disciplines.hierarchy.spec import YUNIKORN, Compatibility, hierarchy_of

YUNIKORN_DIALECT = dialects()["yunikorn"]
BLOCK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: yunikorn-configs
  namespace: yunikorn
data:
  event.maxStreams: "50"
  queues.yaml: |
    # Teams.
    partitions:
      - queues:
          - name: a
            maxaplications: 3
          - name: b
            resources:
              max: {memory: 2K}
"""
GOOD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: yunikorn-configs}
data:
  queues.yaml: |
    partitions:
      - queues:
          - name: team
"""


def read(text: str) -> Reading:
    return YUNIKORN_DIALECT.read(text, {})


def test_findings_in_a_block_have_exact_places_and_lines_of_the_inner_text() -> None:
    found = read(BLOCK).diagnostics
    assert [(d.span.line, d.span.column, d.code, d.path, d.original) for d in found] == [
        (
            13,
            13,
            "DOC001",
            "data.queues.yaml.partitions[0].queues[0].maxaplications",
            "line 5: field maxaplications not found in type configs.QueueConfig",
        ),
        (
            16,
            29,
            "YUN008",
            "data.queues.yaml.partitions[0].queues[1].resources.max.memory",
            "invalid suffix",
        ),
    ]


def test_fixes_in_a_block_repair_the_whole_text() -> None:
    text = BLOCK
    while reading := read(text).diagnostics:
        text = apply_fix(text, reading[0].fixes[0])
    assert list(read(text).policy.queues) == ["root", "root.a", "root.b"]


def test_a_syntax_error_in_a_block_has_the_message_about_the_inner_text() -> None:
    [found] = read(GOOD + "         x\n").diagnostics
    assert (found.code, found.span.line) == ("YML001", 9)
    assert found.original == "yaml: line 1: did not find expected key"


def test_json_on_one_line_is_read() -> None:
    inner = "partitions:\n- queues:\n  - name: a b\n"
    data = {"queues.yaml": inner}
    text = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "yunikorn-configs"},
            "data": data,
        }
    )
    [found] = read(text).diagnostics
    assert text[found.span.column - 1 : found.span.end_column - 1] == "a b"
    assert (found.code, found.fixes) == ("YUN005", ())


def test_values_of_the_second_map_take_the_place_of_those_of_the_first() -> None:
    defaults = GOOD.replace("yunikorn-configs", "yunikorn-defaults").replace("team", "old")
    reading = read(f"{GOOD}---\n{defaults}")
    assert [d.code for d in reading.diagnostics] == ["YUN067"]
    assert list(reading.policy.queues) == ["root", "root.team"]
    listed = {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "yunikorn-defaults"},
                "data": {"queues.yaml": "partitions:\n- queues: [{name: only}]\n"},
            }
        ],
    }
    assert list(read(json.dumps(listed)).policy.queues) == ["root", "root.only"]


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ("", Compatibility()),
        ("yunikorn", YUNIKORN),
        ("zero_is_unlimited", Compatibility(zero_is_unlimited=True)),
        (
            "zero_is_unlimited, textual_rule_paths",
            Compatibility(zero_is_unlimited=True, textual_rule_paths=True),
        ),
    ],
)
def test_switches_of_a_map_and_of_a_plain_text(switches: str, expected: Compatibility) -> None:
    map_text = GOOD + f'  sluice.compatibility: "{switches}"\n'
    plain_text = f"x-compatibility: [{switches}]\npartitions: [{{queues: []}}]\n"
    for text in (map_text, plain_text):
        assert hierarchy_of(read(text).policy).compatibility == expected
    if switches:
        scalar = plain_text.replace(f"[{switches}]", switches)
        assert hierarchy_of(read(scalar).policy).compatibility == expected


@pytest.mark.parametrize("text", [BLOCK, GOOD, "partitions: []\n"])
def test_the_language_is_recognized(text: str) -> None:
    assert likely_dialect(text) is YUNIKORN_DIALECT


def test_many_empty_lines_in_a_block_are_read_in_one_pass() -> None:
    # With one search per line, this takes minutes.
    (found,) = read(f"{GOOD}{chr(10) * 30_000}    a: 1\n").diagnostics
    assert (found.code, found.span.line) == ("DOC001", 30_009)


@pytest.mark.parametrize("before", ["---\n", "# A comment.\n\n---\n"])
def test_a_block_may_begin_with_a_marker(before: str) -> None:
    inner = f"{before}partitions: [{{ queues: [{{ name: a b }}] }}]\n"
    head = GOOD.partition("    partitions")[0]
    text = head + "".join(f"    {line}\n" if line else "\n" for line in inner.splitlines())
    (found,) = read(text).diagnostics
    assert (found.code, found.span.column) == ("YUN005", 37)


def test_lints_have_their_places_in_a_block() -> None:
    dialect = YUNIKORN_DIALECT
    checked = lint(dialect, dialect.read(f"---\n{GOOD}---\nkind: Pod\napiVersion: v1\n", {}))
    (found,) = checked.lints
    assert (found.code, found.path, found.span.line, found.span.column) == (
        "LNT025",
        "[0].data.queues.yaml.partitions[0].queues",
        9,
        11,
    )


TWICE = """\
# Two lines.
partitions:
  - name: a
    queues: []
    name: b
"""
NAMED_TWICE = 'line 5: mapping key "name" already defined at line 3'


@pytest.mark.parametrize(
    ("value", "original", "place"),
    [
        ("|\n" + TWICE.replace("\n", "\n    ").join(("    ", "")), NAMED_TWICE, (10, 9)),
        (json.dumps(TWICE), NAMED_TWICE, (5, 77)),
        (
            ">\n" + TWICE.replace("\n", "\n\n    ").join(("    ", "")),
            'line 8: mapping key "name" already defined at line 4',
            (5, 16),
        ),
    ],
)
def test_messages_about_repeated_keys_have_the_lines_of_the_inner_text(
    value: str, original: str, place: tuple[int, int]
) -> None:
    before = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yunikorn-configs}\ndata:\n"
    (found,) = read(f"{before}  queues.yaml: {value.rstrip()}\n").diagnostics
    assert (found.original, found.span.line, found.span.column) == (original, *place)
