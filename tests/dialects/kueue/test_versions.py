"""One config in every version and form compiles to the same policy."""

from __future__ import annotations

import json

import pytest
import yaml

from console.dialects.kueue import DIALECT
from console.engine.disciplines.quota.spec import spec_of
from tests.dialects.meaning import plain

NEW = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: { name: spot }
spec: { nodeLabels: { capacity: spot } }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: { name: research }
spec: { parentName: all }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: { name: all }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: a }
spec:
  cohortName: research
  namespaceSelector: {}
  flavorFungibility: { whenCanBorrow: MayStopSearch, whenCanPreempt: MayStopSearch }
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: 1500m }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: { name: b }
spec:
  cohortName: research
  namespaceSelector: {}
  admissionChecksStrategy: { admissionChecks: [{ name: check }] }
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: "3" }] }]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: q, namespace: n }
spec: { clusterQueue: a }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: { name: r, namespace: n }
spec: { clusterQueue: b }
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: { name: high }
value: 10
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: { preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare] }
"""
OLD = (
    NEW.replace("v1beta2", "v1beta1")
    .replace("cohortName:", "cohort:")
    .replace("whenCanBorrow: MayStopSearch", "whenCanBorrow: Borrow")
    .replace("whenCanPreempt: MayStopSearch", "whenCanPreempt: Preempt")
    .replace(
        "admissionChecksStrategy: { admissionChecks: [{ name: check }] }",
        "admissionChecks: [check]",
    )
    .replace("fairSharing: {", "fairSharing: { enable: true,")
)
OLDEST = OLD.replace(
    "kueue.x-k8s.io/v1beta1\nkind: Cohort", "kueue.x-k8s.io/v1alpha1\nkind: Cohort"
).replace("parentName", "parent")


def objects() -> list[object]:
    """Return the objects of the newest version."""
    return list(yaml.safe_load_all(NEW))


def as_list(documents: list[object]) -> str:
    """Return objects as the List that kubectl prints."""
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": documents})


FORMS = {
    "v1beta1": OLD,
    "v1alpha1 cohorts": OLDEST,
    "a list": as_list(objects()),
    "lists in a list": as_list(
        [yaml.safe_load(as_list(objects()[:4])), *objects()[4:]],
    ),
    "a list and a stream": f"{as_list(objects()[:5])}---\n{yaml.safe_dump_all(objects()[5:])}",
    "a list of its own kind": as_list(objects()).replace("kind: List", "kind: ClusterQueueList"),
    "JSON": json.dumps({"kind": "List", "items": objects()}),
    "empty documents between": f"---\n{NEW}---\n---\n# nothing\n---\nnull\n",
    "Windows line ends": NEW.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_compiles_to_one_policy(text: str):
    expected, actual = DIALECT.read(NEW, {}), DIALECT.read(text, {})
    assert actual.errors == ()
    assert plain(expected.policy) == plain(actual.policy)
    for reading in (expected, actual):
        codes = {d.code for d in reading.diagnostics} - {"KUE040"}
        assert codes == {"KUE042", "KUE062"}


def test_paths_of_findings_include_document_and_item():
    stream = DIALECT.read(f"{NEW}---\nkind: ClusterQueue\n", {})
    assert [(d.code, d.path) for d in stream.errors] == [("DOC002", "[9].apiVersion")]
    items = DIALECT.read("kind: List\nitems:\n- kind: ClusterQueue\n", {})
    assert [(d.code, d.path) for d in items.errors] == [("DOC002", "items[0].apiVersion")]
    both = DIALECT.read("kind: List\nitems:\n- kind: ClusterQueue\n---\n", {})
    assert [(d.code, d.path) for d in both.errors] == [("DOC002", "[0].items[0].apiVersion")]


def test_v1beta1_fair_sharing_needs_enable_and_defaults_to_both_strategies():
    head = "apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\n"
    strategies = {
        text: spec_of(DIALECT.read(head + text, {}).policy).settings.fair_sharing
        for text in (
            "",
            "fairSharing: {}",
            "fairSharing: { preemptionStrategies: [LessThanInitialShare] }",
            "fairSharing: { enable: false }",
            "fairSharing: { enable: true }",
            "fairSharing: { enable: true, preemptionStrategies: [LessThanInitialShare] }",
        )
    }
    both = ("less_than_or_equal_to_final_share", "less_than_initial_share")
    assert list(strategies.values()) == [(), (), (), (), both, both[1:]]


def test_anchors_are_local_to_their_document():
    text = "metadata: &a { name: x }\n---\nmetadata: *a\n"
    assert "YML011" in [d.code for d in DIALECT.read(text, {}).errors]
