"""Fixes are exact edits, in block style, in flow style and in JSON."""

from __future__ import annotations

import pytest

from console.dialects.kueue import DIALECT
from console.dialects.positions import apply_fix

HEAD = """\
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
"""
GROUP = """\
  resourceGroups:
  - coveredResources: [cpu, memory, pods]
    flavors:
    - name: f
      resources:
"""

#: The wrong text, the finding, the title of its first fix, and the repaired text.
REPAIRS = {
    "a line goes": (
        "      - name: cpu\n        borrowingLimit: 4  # all\n        nominalQuota: 1\n",
        "KUE013",
        "Remove borrowingLimit",
        "      - name: cpu\n        nominalQuota: 1\n",
    ),
    "the first key of an item stays": (
        "      - borrowingLimit: 4\n        name: cpu\n        nominalQuota: 1\n",
        "KUE013",
        "Remove the value of borrowingLimit",
        "      - borrowingLimit: null\n        name: cpu\n        nominalQuota: 1\n",
    ),
    "a key in flow style stays": (
        "      - {name: cpu, lendingLimit: 4, nominalQuota: 1}\n",
        "KUE013",
        "Remove the value of lendingLimit",
        "      - {name: cpu, lendingLimit: null, nominalQuota: 1}\n",
    ),
    "items change places": (
        """\
      - name: pods
        nominalQuota: 3
      - {nominalQuota: 1, name: cpu}  # cpu
      - name: memory
        nominalQuota: 2
""",
        "KUE010",
        "Put them in the order of coveredResources",
        """\
      - {nominalQuota: 1, name: cpu}
      - name: memory
        nominalQuota: 2  # cpu
      - name: pods
        nominalQuota: 3
""",
    ),
    "a quantity": (
        "      - {name: memory, nominalQuota: 16gb}\n",
        "KUE006",
        "Write 16G",
        "      - {name: memory, nominalQuota: 16G}\n",
    ),
    "a quoted quantity": (
        "      - {name: memory, nominalQuota: '16 GiB'}\n",
        "KUE006",
        'Write "16Gi"',
        '      - {name: memory, nominalQuota: "16Gi"}\n',
    ),
}


@pytest.mark.parametrize(("wrong", "code", "title", "right"), REPAIRS.values(), ids=REPAIRS)
def test_a_fix_is_an_exact_edit(wrong: str, code: str, title: str, right: str):
    text = HEAD + GROUP + wrong
    (diagnostic,) = [d for d in DIALECT.read(text, {}).diagnostics if d.code == code]
    assert title == diagnostic.fixes[0].title
    assert HEAD + GROUP + right == apply_fix(text, diagnostic.fixes[0])


def test_aliased_items_are_not_moved():
    text = (
        HEAD
        + GROUP
        + "      - &m {name: memory, nominalQuota: 1}\n"
        + "      - {name: cpu, nominalQuota: 1}\n      - {name: pods, nominalQuota: 1}\n"
        + "    - name: g\n      resources:\n"
        + "      - *m\n      - {name: cpu, nominalQuota: 1}\n      - *m\n"
    )
    found = [d for d in DIALECT.read(text, {}).diagnostics if d.code == "KUE010"]
    assert [len(d.fixes) for d in found] == [1]


def test_missing_flavor_is_appended():
    text = HEAD.replace("name: f", "name: g") + GROUP.replace("[cpu, memory, pods]", "[cpu]")
    text += "      - {name: cpu, nominalQuota: 1}"
    (error,) = DIALECT.read(text, {}).errors
    assert error.fixes[-1].title == "Add ResourceFlavor f"
    after = apply_fix(text, error.fixes[-1])
    assert after == (
        f"{text}\n---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
        "metadata: { name: f }\n"
    )
    assert DIALECT.read(after, {}).ok


@pytest.mark.parametrize(
    ("spec", "after"),
    [
        ("spec:\n  stopPolicy: None\n", "spec:\n  namespaceSelector: {}\n  stopPolicy: None\n"),
        (
            "spec:\n    stopPolicy: None\n",
            "spec:\n    namespaceSelector: {}\n    stopPolicy: None\n",
        ),
        ("spec: { stopPolicy: None }\n", None),
        ("spec:\n  namespaceSelector:\n  stopPolicy: None\n", None),
    ],
)
def test_all_namespaces_are_admitted_by_one_more_line(spec: str, after: str | None):
    head = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
    (finding,) = [d for d in DIALECT.read(head + spec, {}).diagnostics if d.code == "KUE052"]
    assert [apply_fix(head + spec, fix) for fix in finding.fixes] == (
        [head + after] if after else []
    )
