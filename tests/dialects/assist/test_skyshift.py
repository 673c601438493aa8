"""Completion and help in the SkyShift dialect, by cursor position."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.assist.renaming import rename_in
from console.dialects.skyshift.json_schema import json_schema
from console.dialects.skyshift.live_schema import live_schema
from console.engine.model.inventory import Cluster, Inventory
from tests.dialects.assist.cursor import assistant, explained, inserted, inserted_live

CLUSTERS = "kind: Cluster\nmetadata:\n  name: dev-1\n---\nkind: Cluster\nmetadata: {name: b}\n---\n"
TEMPLATE = "kind: PlacementTemplate\nmetadata: {name: t}\nspec:\n  filters:\n  - name: f\n    "
SCHEDULER = "kind: Scheduler\nspec:\n  "

OFFERED = {
    "|": ["kind: ", "metadata:", "spec:", "status: "],
    "kind: |": ["Cluster", "Scheduler", "PlacementTemplate", "FilterPolicy"],
    "kind: Cluster\nmetadata:\n  na|": ["name: ", "namespace: "],
    "kind: Cluster\nmetadata:\n  labels:\n    |": ["purpose: ", "location: ", "sky-cluster-name: "],
    "kind: Cluster\nspec:\n  manager: |": ["k8s", "slurm", "ray"],
    # The kind determines the fields.
    f"{SCHEDULER}|": ["plugins:", "on_unplaceable: ", "reserve: ", "gpu_rule: ", "rank: "],
    f"{SCHEDULER}on_unplaceable: |": ["wait", "fail"],
    f"{SCHEDULER}reserve: |": ["immediate", "none"],
    f"{SCHEDULER}gpu_rule: |": ["intended", "skyshift_head"],
    f"{SCHEDULER}rank: |": ["lexicographic", "product"],
    f"{SCHEDULER}plugins:\n  - Cluster|": ["ClusterAffinityPlugin", "ClusterAffinityPluginV2"],
    f"{SCHEDULER}plugins:\n  - name: Default|": ["DefaultPlugin"],
    f"{TEMPLATE}match_|": ["match_labels:", "match_expressions:"],
    f"{TEMPLATE}match_labels:\n      pur|": ["purpose: "],
    f"{TEMPLATE}match_expressions:\n    - key: loc|": ["location"],
    f"{TEMPLATE}match_expressions:\n    - operator: |": ["In", "NotIn"],
    # Names come from the other documents of the stream.
    f"{CLUSTERS}kind: FilterPolicy\nspec:\n  cluster_filter:\n    include: [|": ["dev-1", "b"],
}


@pytest.mark.parametrize(("marked", "expected"), OFFERED.items())
def test_completions_at_the_cursor(marked: str, expected: list[str]) -> None:
    assert inserted("skyshift", marked) == expected


LIVE = Inventory(
    clusters={
        "east": Cluster(name="east", labels={"region": "eu", "tier": "gold"}),
        "west_1": Cluster(name="west_1", labels={"region": "us"}),
    }
)
SUGGESTED = {
    "kind: Cluster\nmetadata:\n  name: |": ["east", "west_1"],
    "kind: Cluster\nmetadata:\n  labels:\n    re|": ["region: "],
    f"{TEMPLATE}match_labels:\n      |": [
        *("region: ", "tier: ", "purpose: ", "location: ", "sky-cluster-name: "),
    ],
    f"{TEMPLATE}match_labels:\n      region: |": ["eu", "us"],
    f"{TEMPLATE}match_labels: {{ tier: |": ["gold"],
    f"{TEMPLATE}match_expressions:\n    - key: |": ["region", "tier"],
    f"{TEMPLATE}match_expressions:\n    - {{ key: region, operator: In, values: [|": ["eu", "us"],
    f"{TEMPLATE}match_expressions:\n    - {{ key: other, operator: In, values: [|": [],
    "kind: FilterPolicy\nspec:\n  cluster_filter:\n    include: [|": ["east", "west_1"],
    # What the text declares comes first.
    f"{CLUSTERS}kind: FilterPolicy\nspec:\n  cluster_filter:\n    exclude: [|": [
        *("dev-1", "b", "east", "west_1"),
    ],
    f"{SCHEDULER}rank: |": ["lexicographic", "product"],
}


@pytest.mark.parametrize(("marked", "expected"), SUGGESTED.items())
def test_clusters_that_report_suggest_labels_and_names(marked: str, expected: list[str]) -> None:
    assert inserted_live("skyshift", marked, LIVE) == expected


def test_without_clusters_nothing_is_added() -> None:
    assert live_schema(Inventory()) == json_schema()


def test_help_at_the_cursor() -> None:
    told = explained("skyshift", f"{SCHEDULER}rank: prod|uct")
    assert told is not None
    assert (told.key, told.facts.default, told.facts.choices, told.facts.description) == (
        "rank",
        "lexicographic",
        ("lexicographic", "product"),
        (
            "The order of clusters: by weight and then by capacity, or by their product, as in "
            "SkyShift."
        ),
    )


def test_outline_has_all_named_objects() -> None:
    text = f"{CLUSTERS}{SCHEDULER}rank: product\n---\n{TEMPLATE}match_labels: {{a: b}}\n"
    found = assistant("skyshift", text).names
    assert [(item.kind, item.name, item.line) for item in found.items] == [
        ("cluster", "dev-1", 1),
        ("cluster", "b", 5),
        ("placement template", "t", 12),
    ]


def test_renaming_changes_names_and_references() -> None:
    text = f"{CLUSTERS}kind: FilterPolicy\nmetadata: {{name: b}}\nspec:\n  cluster_filter:\n"
    text += "    include: [b, other]\n"
    renamed = rename_in(dialects()["skyshift"], text, {"cluster": {"b": "c"}})
    assert renamed == text.replace(
        "kind: Cluster\nmetadata: {name: b}", ("kind: Cluster\nmetadata: {name: c}")
    ).replace("[b, other]", "[c, other]")
