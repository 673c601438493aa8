"""Differences between configs, as lines and as meaning."""

from __future__ import annotations

from console.engine.diff import compare_policies, text_diff
from console.dialects import dialects
from console.engine.policy import Policy


def policy(*rules: str, flavor: str = "[]", queues: str = "ab") -> Policy:
    lines = ["resource_flavors:", f"  - {{name: f, selector: {flavor}}}", "resource_queues:"]
    lines += [f"  - name: {queue}" for queue in queues]
    lines += ["scheduling_rules:"] + [f"  - {{{rule}}}" for rule in rules]
    reading = dialects()["native"].read("\n".join(lines), {})
    assert reading.policy, reading.diagnostics
    return reading.policy


def summary(old: Policy, new: Policy) -> list[tuple[str, ...]]:
    return [
        (change.kind.value, change.noun, change.name, *change.parts)
        for change in compare_policies(old, new)
    ]


A = "resource_queue: a"
B = "resource_queue: b"
TEAM_A = "resource_queue: a, selector: [{key: team, operator: exists}]"
PRIORITY_A = "resource_queue: a, priority_policy: {default: 5}"


def test_equal_configs_do_not_differ():
    assert summary(policy(A, B), policy(A, B)) == []


def test_flavors_and_queues_by_name():
    other = policy(B, flavor="[{key: x, operator: exists}]", queues="bc")
    assert summary(policy(B), other) == [
        ("changed", "flavor", "f", "selector"),
        ("added", "queue", "c"),
        ("removed", "queue", "a"),
    ]


def test_rules_by_meaning():
    assert summary(policy(B), policy(TEAM_A, B)) == [("added", "rule", "0 to a")]
    assert summary(policy(TEAM_A, B), policy(B)) == [("removed", "rule", "0 to a")]
    assert summary(policy(A), policy(PRIORITY_A)) == [("changed", "rule", "0 to a", "priority")]
    assert summary(policy(TEAM_A, B), policy(B, TEAM_A)) in (
        [("moved", "rule", "0 to b", "index")],
        [("moved", "rule", "1 to a", "index")],
    )
    assert summary(policy(TEAM_A, B), policy(TEAM_A, PRIORITY_A, B)) == [
        ("added", "rule", "1 to a")
    ]


def rows(old: str, new: str) -> list[str]:
    marks = {"same": " ", "added": "+", "removed": "-", "gap": "@"}
    return [f"{marks[row.kind]}{row.text}" for row in text_diff(old, new)]


def test_lines_with_context():
    old = "\n".join(f"line {i}" for i in range(1, 21))
    new = old.replace("line 10", "line ten")
    assert rows(old, old) == []
    assert rows("", "") == []
    assert rows("", "a") == ["+a"]
    assert rows(old, new) == [
        "@6 unchanged lines",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        " line 11",
        " line 12",
        " line 13",
        "@7 unchanged lines",
    ]
    assert [(row.old, row.new) for row in text_diff(old, new)][3:6] == [
        (9, 9),
        (10, None),
        (None, 10),
    ]


def test_huge_texts_are_compared_too():
    old = "\n".join(f"a{i}" for i in range(30_000))
    new = "\n".join(f"b{i}" for i in range(30_000))
    assert len(text_diff(old, new)) == 60_000
    assert rows(old, old.replace("a15000\n", "")) == [
        "@14997 unchanged lines",
        " a14997",
        " a14998",
        " a14999",
        "-a15000",
        " a15001",
        " a15002",
        " a15003",
        "@14996 unchanged lines",
    ]
