"""Completion and help in the Kueue dialect, by cursor position."""

from __future__ import annotations

import pytest

from tests.dialects.assist.cursor import explained, inserted

BETA = "apiVersion: kueue.x-k8s.io/v1beta2\n"
FLAVOR = f"{BETA}kind: ResourceFlavor\nmetadata:\n  name: spot\n---\n"
QUEUE = f"{BETA}kind: ClusterQueue\nmetadata:\n  name: vision\nspec:\n  cohortName: ml\n---\n"
GROUPS = f"{BETA}kind: ClusterQueue\nspec:\n  resourceGroups:\n  - "

OFFERED = {
    "kind: |": [
        *("ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue"),
        *("WorkloadPriorityClass", "Namespace", "Configuration", "Kueue", "List"),
    ],
    "apiVersion: kueue.x-k8s.io/v1beta|": [
        *("kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"),
        *("config.kueue.x-k8s.io/v1beta2", "config.kueue.x-k8s.io/v1beta1"),
    ],
    # Kind and apiVersion determine the fields.
    f"{BETA}kind: ClusterQueue\nspec:\n  co|": [
        *("cohortName: ", "concurrentAdmissionPolicy:", "admissionScope:"),
    ],
    f"{BETA.replace('v1beta2', 'v1beta1')}kind: ClusterQueue\nspec:\n  cohort|": ["cohort: "],
    f"{BETA}kind: LocalQueue\nspec:\n  |": ["clusterQueue: ", "stopPolicy: ", "fairSharing:"],
    # Names come from the other documents of the stream.
    f"{FLAVOR}{GROUPS}flavors:\n    - name: |": ["spot"],
    f"{QUEUE}{BETA}kind: LocalQueue\nspec:\n  clusterQueue: |": ["vision"],
    f"{QUEUE}{BETA}kind: ClusterQueue\nspec:\n  cohortName: |": ["ml"],
    f"{GROUPS}coveredResources: [nvi|": ["nvidia.com/gpu"],
    f"{BETA}kind: ClusterQueue\nspec:\n  preemption:\n    withinClusterQueue: Lower|": [
        *("LowerPriority", "LowerOrNewerEqualPriority"),
    ],
    # The same holds in lists, as kubectl prints them.
    "apiVersion: v1\nkind: List\nitems:\n- kind: Cohort\n  spec:\n    parentN|": ["parentName: "],
}


@pytest.mark.parametrize(("marked", "expected"), OFFERED.items())
def test_completions_at_the_cursor(marked: str, expected: list[str]) -> None:
    assert inserted("kueue", marked) == expected


def test_help_at_the_cursor() -> None:
    told = explained("kueue", f"{FLAVOR}{GROUPS}flavors:\n    - name: sp|ot")
    assert told is not None
    assert (told.key, told.name, told.facts.refers_to, told.facts.description) == (
        "name",
        "spot",
        "flavor",
        "A ResourceFlavor.",
    )
    assert (told.line, told.column, told.end_column) == (11, 13, 17)
