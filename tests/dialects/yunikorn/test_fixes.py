"""Fixes that add and remove parts of a text, in the styles of YAML."""

from __future__ import annotations

import pytest

from console.dialects.positions import apply_fix
from tests.dialects.yunikorn.texts import in_partition, read

BLOCK = "partitions:\n  - queues:\n      - name: a # Comment.\n        childtemplate: {}\n"
BEHIND = "partitions:\n  - queues:\n      - childtemplate: {}\n        name: a\n"
NAMELESS = "partitions:\n  - placementrules: []\n"
FLOW = "partitions: [{ queues: [{ name: a, childtemplate: {} }] }]\n"
JSON = '{"partitions": [{"placementrules": []}]}'
LIMITS = """\
partitions:
  - limits:
      - maxapplications: 1
        users: NAMES
    queues: []
"""
PAIRS = {
    BLOCK: BLOCK.replace("# Comment.\n", "# Comment.\n        parent: true\n"),
    BEHIND: BEHIND.replace("name: a\n", "name: a\n        parent: true\n"),
    BLOCK.replace("a #", "a\n        parent: false #"): BLOCK.replace(
        "a #", "a\n        parent: true #"
    ),
    NAMELESS: "partitions:\n  - queues: []\n    placementrules: []\n",
    FLOW: FLOW.replace("{ name", '{"parent": true,  name'),
    JSON: JSON.replace('{"placementrules"', '{"queues": [], "placementrules"'),
    "partitions: [{}]\n": 'partitions: [{"queues": []}]\n',
    LIMITS.replace("NAMES", "ann, team/bob"): LIMITS.replace("NAMES", "[ann, team/bob]"),
    LIMITS.replace("NAMES", "a"): LIMITS.replace("NAMES", "[a]"),
    LIMITS.replace("NAMES", "[a, b, a]"): LIMITS.replace("NAMES", "[a, b]"),
    LIMITS.replace("NAMES", "[a, a, b]"): LIMITS.replace("NAMES", "[a, b]"),
    LIMITS.replace("NAMES", "\n          - a\n          - a # Again.\n          - b"): (
        LIMITS.replace("NAMES", "\n          - a\n          - b")
    ),
    "partitions:\n  - queues: []\n    statedumpfilepath: a # Old.\n": (
        "partitions:\n  - queues: []\n"
    ),
}


@pytest.mark.parametrize(("text", "expected"), PAIRS.items())
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_first_fix_gives_a_text_without_findings(
    text: str, expected: str, line_end: str
) -> None:
    text, expected = text.replace("\n", line_end), expected.replace("\n", line_end)
    (finding,) = read(text).diagnostics
    fixed = apply_fix(text, finding.fixes[0])
    assert fixed.replace("\r\n", "\n") == expected.replace("\r\n", "\n")
    assert read(fixed).diagnostics == ()


@pytest.mark.parametrize(
    "text",
    [
        # The field is there, and its value is reported.
        "partitions:\n  - queues: text\n",
        # An anchor is before the first key.
        "partitions:\n  - &a placementrules: []\n",
        LIMITS.replace("NAMES", "[a]").replace("queues: []", "queues: [{ name: root }]"),
    ],
)
def test_no_fix_is_offered_where_an_edit_is_not_simple(text: str) -> None:
    fixes = [fix.title for each in read(text).diagnostics for fix in each.fixes]
    assert "Add queues: []" not in fixes
    assert "Remove the name" not in fixes


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (in_partition("{name: a, nam: b}"), []),
        (in_partition("{nmae: a, nam: b}"), ['Replace with "name"']),
        (
            in_partition("{name: a, resources: {max: {vcores: 1, cpu: 2}}}"),
            ['Replace with "vcore"'],
        ),
        (
            in_partition("{name: a, properties: {priority.offset: 1, priority.ofset: 2}}"),
            [],
        ),
        (
            in_partition("{name: a, properties: {priority.ofset: 1, priority.offst: 2}}"),
            ['Replace with "priority.offset"'],
        ),
    ],
)
def test_fixes_write_no_key_twice(text: str, titles: list[str]) -> None:
    found = [fix.title for each in read(text).diagnostics for fix in each.fixes]
    assert [title for title in found if title.startswith("Replace")] == titles


def test_an_expression_stays_one_item_of_a_list() -> None:
    text = LIMITS.replace("NAMES", "^(a,b)$")
    (fix,) = [fix for each in read(text).diagnostics for fix in each.fixes]
    assert apply_fix(text, fix) == LIMITS.replace("NAMES", '["^(a,b)$"]')


QUANTITIES = {
    ("vcore", "0.5"): "500m",
    ("vcore", "1.25"): "1250m",
    ("vcore", "0.0005"): None,
    ("vcore", "1mi"): None,
    ("vcore", "2K"): "2k",
    ("memory", "0.5G"): "500M",
    ("memory", "1.5Gi"): "1536Mi",
    ("memory", "0.3"): None,
    ("memory", "9.5E"): None,
    ("memory", "500m"): "500M",
    ("memory", "500mi"): "500Mi",
    ("memory", "16 GB"): "16G",
    ("memory", "16GiB"): "16Gi",
    ("memory", "5KB"): "5k",
    ("pods", "1ki"): "1Ki",
    ("pods", "-1"): None,
    ("pods", "1e3"): None,
}


@pytest.mark.parametrize(("stated", "instead"), QUANTITIES.items())
def test_fixes_of_quantities(stated: tuple[str, str], instead: str | None) -> None:
    resource, quantity = stated
    text = in_partition(f"{{name: a, resources: {{max: {{{resource}: '{quantity}'}}}}}}")
    (finding,) = read(text).diagnostics
    fixed = [apply_fix(text, fix) for fix in finding.fixes]
    assert [read(each).diagnostics for each in fixed] == [()] * len(fixed)
    assert [each.count(instead or "") > 0 for each in fixed] == ([True] if instead else [])
