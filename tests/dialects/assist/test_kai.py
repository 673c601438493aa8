"""Completion and help in the KAI dialect, by cursor position."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.assist.renaming import rename_in
from tests.dialects.assist.cursor import assistant, explained, inserted

QUEUE = "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata:\n  name: team\nspec:\n  "
CHILD = QUEUE.replace("team", "child")
NODE = "apiVersion: v1\nkind: Node\nmetadata: { name: a }\nstatus:\n  allocatable:\n    "
SHARD = "apiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: { name: a }\nspec:\n  "
PROPORTION = f"{SHARD}plugins:\n    proportion:\n      arguments:\n        "

OFFERED = {
    "kind: |": ["Queue", "PriorityClass", "Node", "SchedulingShard", "List"],
    f"{NODE}|": ["cpu: ", "memory: ", "nvidia.com/gpu: "],
    f"{QUEUE}|": [
        *("displayName: ", "parentQueue: ", "priority: ", "resources:"),
        *("preemptMinRuntime: ", "reclaimMinRuntime: "),
    ],
    f"{QUEUE}resources:\n    |": ["cpu:", "memory:", "gpu:"],
    f"{QUEUE}resources:\n    gpu:\n      |": ["quota: ", "overQuotaWeight: ", "limit: "],
    f"{QUEUE}resources: {{}}\n---\n{CHILD}parentQueue: |": ["team", "child"],
    f"{QUEUE}preemptMinRuntime: |": ["0s", "90s", "5m", "30m", "1h"],
    f"{SHARD}|": [
        *("placementStrategy:", "kValue: ", "minRuntime:", "usageDBConfig:", "jobQueueRule: "),
        *("args:", "plugins:", "partitionLabelValue: ", "actions: ", "queueDepthPerAction: "),
    ],
    f"{SHARD}jobQueueRule: |": ["any_leaf", "has_parent"],
    f"{SHARD}placementStrategy: {{ gpu: |": ["binpack", "spread"],
    f"{SHARD}args:\n    |": ["default-staleness-grace-period: ", "full-hierarchy-fairness: "],
    f"{PROPORTION}|": [
        *("kValue: ", "relcaimerSaturationMultiplier: ", "reclaimerUtilizationMultiplier: "),
    ],
}


@pytest.mark.parametrize(("marked", "expected"), OFFERED.items())
def test_completions_at_the_cursor(marked: str, expected: list[str]):
    assert inserted("kai", marked) == expected


def test_help_at_the_cursor():
    told = explained("kai", f"{QUEUE}resources:\n    memory:\n      lim|it: 4096")
    assert told is not None
    assert (told.key, told.facts.default, told.facts.minimum, told.facts.description) == (
        "limit",
        "0",
        -1,
        (
            "The most that may be used, including the quota, in MB of 1,000,000 bytes. -1: no "
            "limit. 0 or absent: nothing may be used."
        ),
    )


def test_outline_has_all_named_objects():
    text = f"{QUEUE}priority: 1\n---\n{NODE}cpu: 1\n---\n{SHARD}kValue: 1\n"
    found = assistant("kai", text).names
    assert [(item.kind, item.name, item.line) for item in found.items] == [
        ("queue", "team", 1),
        ("node", "a", 8),
    ]


def test_renaming_changes_names_and_references():
    text = f"{QUEUE}priority: 1\n---\n{CHILD}parentQueue: team\n"
    renamed = rename_in(dialects()["kai"], text, {"queue": {"team": "lab"}})
    assert renamed == text.replace("team", "lab")
