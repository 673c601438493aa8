"""Explanations of workloads name the config settings that have no effect."""

from __future__ import annotations

from typing import Any

CONFIG = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  admissionChecksStrategy:
    admissionChecks: [{name: provision}]
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: ns}
spec: {clusterQueue: cq}
"""
SENTENCE = "Admission check provision is not supported: cq admits at once."


def test_admitted_and_pending_workloads_are_told_that_checks_are_not_waited_for(
    api: Any, owner: Any, settle: Any
) -> None:
    client = api(owner)
    body = {"text": CONFIG, "dialect": "kueue", "expected_version": 0}
    applied = client.post("config/versions", body)
    assert applied.status == 201
    work = {"name": "w", "namespace": "ns", "requests": {"cpu": 4}}
    ids = client.post("workloads", {"workloads": [work, work]}).body["ids"]
    settle(owner.org)
    for uid, state in zip(ids, ("admitted", "pending"), strict=True):
        assert client.get(f"workloads/{uid}").body["state"] == state
        stages = client.get(f"workloads/{uid}/explanation").body["stages"]
        (queue,) = [stage for stage in stages if stage["stage"] == "queue"]
        assert queue["verdict"] == "pass"
        told = [(each["text"], each["verdict"]) for each in queue["sentences"]]
        assert told == [("cq admits within quota.", "pass"), (SENTENCE, "info")]
        assert queue["sentences"][1]["range"]["line"] == 10
