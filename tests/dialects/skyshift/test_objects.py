"""Policy objects: differences between two configs, and the effective text."""

from __future__ import annotations

import pytest

from console.dialects.assist.renaming import rename_in
from console.dialects.merging import Verdict, merge_configs
from console.dialects.skyshift import DIALECT
from console.engine.diff import Comparison, write_effective
from console.engine.diff.objects import PolicyObjects
from console.pages.presenters.configs.changes import change_line

TEXT = """\
kind: Cluster
metadata: { name: a, labels: { purpose: dev } }
---
kind: Cluster
metadata: { name: b, labels: { purpose: staging } }
---
kind: PlacementTemplate
metadata: { name: t }
spec:
  filters:
    - { name: f, match_labels: { purpose: dev } }
    - { name: g, match_labels: { purpose: staging } }
  preferences:
    - { name: p, match_labels: { purpose: dev }, weight: 100 }
---
kind: FilterPolicy
metadata: { name: web }
spec:
  labels_selector: { app: web }
  cluster_filter: { include: [a] }
"""
SCHEDULER = "---\nkind: Scheduler\nspec: { plugins: [DefaultPlugin], rank: product }\n"


def objects_of(text: str) -> PolicyObjects:
    """Return the objects of a text without errors."""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    return DIALECT.objects(policy)


def sentences(old: str, new: str) -> list[str]:
    """Return the changes from one text to another as text."""
    return [
        " / ".join((line.text, *(detail.text for detail in line.details)))
        for line in (
            change_line(each, DIALECT.vocabulary)
            for each in Comparison(objects_of(old), objects_of(new)).changes()
        )
    ]


CHANGES = {
    "a label of a cluster": (
        TEXT.replace("labels: { purpose: dev } }", "labels: { purpose: prod, zone: x } }", 1),
        ["Cluster a changed / label purpose dev → prod / label zone none → x"],
    ),
    "the manager of a cluster": (
        TEXT.replace("purpose: staging } }", "purpose: staging } }\nspec: { manager: k8s }", 1),
        ["Cluster b changed / manager none → k8s"],
    ),
    "a cluster under another name is another one": (
        TEXT.replace("name: b,", "name: c,"),
        ["Cluster c added / label purpose staging", "Cluster b removed / label purpose staging"],
    ),
    "the name of a template": (
        TEXT.replace("name: t }", "name: u }"),
        ["Placement template t renamed to u"],
    ),
    "a weight": (
        TEXT.replace("weight: 100", "weight: 50"),
        ["Placement template t changed / preferences p weight 100 → 50"],
    ),
    "a filter that is removed": (
        TEXT.replace("    - { name: f, match_labels: { purpose: dev } }\n", ""),
        ["Placement template t changed / filters f {match_labels: {purpose: dev}} → none"],
    ),
    "the order of filters": (
        TEXT.replace("name: f, match_labels: { purpose: dev }", "name: x")
        .replace("name: g, match_labels: { purpose: staging }", "name: y")
        .replace("name: x", "name: g, match_labels: { purpose: staging }")
        .replace("name: y", "name: f, match_labels: { purpose: dev }"),
        [],
    ),
    "a label that becomes an expression": (
        TEXT.replace(
            "match_labels: { purpose: staging }",
            "match_expressions: [{ key: purpose, operator: In, values: [staging] }]",
        ),
        [
            (
                "Placement template t changed / filters g match expressions none → "
                "{key: purpose, operator: In, values: staging} / filters g match labels "
                "{purpose: staging} → none"
            )
        ],
    ),
    "a cluster of a filter policy": (
        TEXT.replace("include: [a]", "include: [a, b]"),
        ["Filter policy web changed / include a → a, b"],
    ),
    "the name of a filter policy": (
        TEXT.replace("name: web", "name: site"),
        ["Filter policy web renamed to site"],
    ),
    "the settings": (
        TEXT + SCHEDULER,
        [
            (
                "Settings of admission changed / plugins DefaultPlugin, ClusterAffinityPluginV2 → "
                "DefaultPlugin / rank lexicographic → product"
            )
        ],
    ),
    "a Scheduler with the defaults": (TEXT + "---\nkind: Scheduler\n", []),
    "everything": (
        "",
        [
            "Cluster a removed / label purpose dev",
            "Cluster b removed / label purpose staging",
            (
                "Placement template t removed / filters f {match_labels: {purpose: dev}} / filters "
                "g {match_labels: {purpose: staging}} / preferences p {match_labels: "
                "{purpose: dev}, weight: 100}"
            ),
            "Filter policy web removed / job labels app web / include a",
            "Queue jobs removed",
        ],
    ),
}


@pytest.mark.parametrize(("new", "expected"), CHANGES.values(), ids=CHANGES)
def test_change_has_sentences(new: str, expected: list[str]) -> None:
    assert sentences(TEXT, new) == expected


def test_the_effective_text_has_every_default() -> None:
    text = """\
kind: Cluster
metadata: { name: a }
---
kind: PlacementTemplate
metadata: { name: t }
spec: { preferences: [{ name: p, match_labels: { purpose: dev }, weight: 2 }] }
---
kind: FilterPolicy
metadata: { name: web }
"""
    assert (
        write_effective(objects_of(text))
        == """\
settings:
  discipline: placement
  plugins: [DefaultPlugin, ClusterAffinityPluginV2]
  on_unplaceable: wait
  reserve: immediate
  gpu_rule: intended
  rank: lexicographic

cluster a:
  labels: {}
  manager: null

placement_template t:
  filters: {}
  preferences:
    p:
      match_labels:
        purpose: dev
      weight: 2

filter_policy web:
  job_labels: {}
  include: []
  exclude: []

queue jobs:
"""
    )


def test_plugin_with_a_weight_shows_it() -> None:
    old = "kind: Scheduler\nspec: { plugins: [DefaultPlugin] }\n"
    assert sentences(old, old.replace("[DefaultPlugin]", "[{name: DefaultPlugin, weight: 2}]")) == [
        "Settings of admission changed / plugins DefaultPlugin → DefaultPlugin (weight 2)"
    ]


@pytest.mark.parametrize(
    ("theirs", "yours"),
    [
        (("purpose: dev } }\n---", "purpose: prod } }\n---"), ("weight: 100", "weight: 50")),
        (("include: [a]", "include: [a, b]"), ("name: f,", "name: h,")),
        (
            ("kind: FilterPolicy", "kind: Cluster\nmetadata: { name: c }\n---\nkind: FilterPolicy"),
            ("weight: 100", "weight: 50"),
        ),
    ],
)
def test_merge_contains_both_changes(theirs: tuple[str, str], yours: tuple[str, str]) -> None:
    for one, other in ((theirs, yours), (yours, theirs)):
        merged = merge_configs(TEXT, TEXT.replace(*one), TEXT.replace(*other), objects_of)
        expected = TEXT.replace(*theirs).replace(*yours)
        assert (merged.verdict, merged.text) == (Verdict.SAFE, expected)


def test_merge_follows_the_name_of_a_template() -> None:
    theirs = TEXT.replace("name: t }", "name: u }")
    merged = merge_configs(
        TEXT,
        theirs,
        TEXT.replace("weight: 100", "weight: 50"),
        objects_of,
        rename=lambda text, names: rename_in(DIALECT, text, names),
    )
    assert (merged.verdict, merged.text) == (
        Verdict.SAFE,
        theirs.replace("weight: 100", "weight: 50"),
    )


def test_one_label_changed_by_both_is_a_conflict() -> None:
    theirs, yours = (
        TEXT.replace("purpose: staging } }\n---", f"purpose: {word} }} }}\n---")
        for word in ("one", "two")
    )
    merged = merge_configs(TEXT, theirs, yours, objects_of)
    assert merged.verdict is Verdict.CONFLICTS
    assert [(piece.noun, piece.name) for piece in merged.conflicts] == [("cluster", "b")]
