"""Unsupported settings of Kueue: the facts that a policy records, and feature gates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from console.dialects.kueue import DIALECT
from console.dialects.kueue.feature_gates import OFF, ON
from console.dialects.kueue.unsupported import LABELS
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.policy import Policy
from console.engine.model.unsupported_settings import Unsupported, UnsupportedSetting

BAD = Path(__file__).parent / "bad"
REFERENCE = (Path(__file__).parents[3] / "docs" / "kueue-reference.md").read_text("utf-8")
CONFIGURATION = """\
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
"""


def policy_of(text: str) -> Policy:
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    return policy


def facts(settings: tuple[UnsupportedSetting, ...]) -> list[tuple[object, ...]]:
    """Return kind, subject, names and line of each setting."""
    return [
        (each.kind, each.subject, each.names, each.origin and each.origin.line) for each in settings
    ]


def test_policy_records_unsupported_settings_with_their_lines() -> None:
    policy = policy_of((BAD / "lint-unsupported.yaml").read_text("utf-8"))
    assert facts(policy.queues["a"].unsupported) == [
        (Unsupported.ADMISSION_CHECKS, "a", ("provision", "budget"), 20),
        (Unsupported.PAST_USAGE, "a", (), 17),
    ]
    assert facts(spec_of(policy).flavors["f"].unsupported) == [
        (Unsupported.TOPOLOGY, "f", ("racks",), 10)
    ]
    assert facts(policy.unsupported) == [
        (Unsupported.PODS_READY, "", (), 75),
        (Unsupported.EXCLUDED_RESOURCES, "", ("networking.example.com/",), 83),
        (Unsupported.TRANSFORMATIONS, "", ("nvidia.com/mig-1g.5gb",), 85),
    ]
    assert policy.unsupported_labels == LABELS


def test_both_versions_of_admission_checks_are_recorded_alike() -> None:
    queue = """\
apiVersion: kueue.x-k8s.io/{version}
kind: ClusterQueue
metadata: {{ name: q }}
spec: {{ namespaceSelector: {{}}, {checks} }}
"""
    old = policy_of(queue.format(version="v1beta1", checks="admissionChecks: [b, a, b]"))
    new = policy_of(
        queue.format(
            version="v1beta2",
            checks="admissionChecksStrategy: { admissionChecks: [{ name: b }, { name: a }] }",
        )
    )
    expected = [(Unsupported.ADMISSION_CHECKS, "q", ("b", "a"), 4)]
    assert facts(old.queues["q"].unsupported) == expected
    assert facts(new.queues["q"].unsupported) == expected


def test_disabled_or_empty_settings_are_not_recorded() -> None:
    text = """\
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
waitForPodsReady: { enable: false }
resources: { excludeResourcePrefixes: [], transformations: [] }
featureGates: {}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: { name: q }
spec:
  namespaceSelector: {}
  admissionChecks: []
  admissionScope: { admissionMode: NoAdmissionFairSharing }
"""
    reading = DIALECT.read(text, {})
    assert [each.code for each in reading.diagnostics if each.code == "KUE042"] == []
    assert reading.policy is not None
    assert reading.policy.unsupported == ()
    assert reading.policy.queues["q"].unsupported == ()


@pytest.mark.parametrize("gate", sorted({**ON, **OFF}))
def test_gate_with_unsupported_value_is_reported(gate: str) -> None:
    assert (gate in ON) != (gate in OFF)
    warned = {}
    for word in ("true", "false"):
        text = f"{CONFIGURATION}featureGates:\n  {gate}: {word}\n"
        (warned[word],) = [
            [
                (each.code, each.span.line, each.message)
                for each in DIALECT.read(text, {}).diagnostics
            ]
        ]
    told, silent = ("false", "true") if gate in ON else ("true", "false")
    instead = (ON if gate in ON else OFF)[gate]
    assert warned == {
        told: [("KUE042", 4, f"{gate}: {told} is not supported: {instead}.")],
        silent: [],
    }


def test_reference_documents_every_gate() -> None:
    (section,) = re.findall(r"\n### Feature gates\n(.*?)\n##? ", REFERENCE, re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| (on|off) \|", section, re.MULTILINE)
    assert dict(rows) == {**dict.fromkeys(ON, "on"), **dict.fromkeys(OFF, "off")}
    assert len(rows) == len(ON) + len(OFF)
