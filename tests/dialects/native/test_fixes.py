"""Every fix of the native dialect repairs its finding."""

from __future__ import annotations

import pytest

from console.dialects.native import DIALECT
from console.dialects.positions import apply_fix

#: The wrong text, the finding, the title of its first fix, and the repaired text.
REPAIRS = [
    ("resource_queue: []", "DOC001", 'Replace with "resource_queues"', "resource_queues: []"),
    ("resourceFlavors: []", "DOC001", 'Replace with "resource_flavors"', "resource_flavors: []"),
    ("{'rules':[]}", "DOC001", 'Replace with "scheduling_rules"', '{"scheduling_rules":[]}'),
    (
        "resource_flavors: [{name: a, selector: [{key: k, operator: in, values: [true]}]}]",
        "DOC007",
        "Quote it",
        'resource_flavors: [{name: a, selector: [{key: k, operator: in, values: ["true"]}]}]',
    ),
    (
        "a:\n\tb: 1\n  \tc: 1",
        "YML007",
        "Replace tabs in the indentation with spaces",
        "a:\n  b: 1\n    c: 1",
    ),
    ("a: \x07b\x08", "YML003", "Remove these characters", "a: b"),
    ("\ufeffa: \x07b", "YML003", "Remove the character", "\ufeffa: b"),
    ("a: !!str b", "YML010", "Remove the tag", "a: b"),
    ("a: &x !y b", "YML010", "Remove the tag", "a: &x b"),
    ("? &x\n  !y b\n: c", "YML010", "Remove the tag", "? &x\n  b\n: c"),
    ("a: *b", "YML011", "Quote it", 'a: "*b"'),
    (
        "scheduling_rules: [{resource_queue: 'defualt'}]\nresource_queues: [{name: \"default\"}]",
        "NAT001",
        'Replace with "default"',
        'scheduling_rules: [{resource_queue: default}]\nresource_queues: [{name: "default"}]',
    ),
    (
        "scheduling_rules: [{resource_queue: 'a, b'}]\nresource_queues: [{name: \"a, c\"}]",
        "NAT001",
        'Replace with "a, c"',
        'scheduling_rules: [{resource_queue: "a, c"}]\nresource_queues: [{name: "a, c"}]',
    ),
    ("resource_queues: one", "DOC004", "Make it a list", "resource_queues: [one]"),
]


@pytest.mark.parametrize(("text", "code", "title", "repaired"), REPAIRS)
def test_a_fix_is_an_exact_edit(text: str, code: str, title: str, repaired: str):
    (diagnostic,) = [d for d in DIALECT.read(text, {}).diagnostics if d.code == code]
    assert title == diagnostic.fixes[0].title
    assert repaired == apply_fix(text, diagnostic.fixes[0])
