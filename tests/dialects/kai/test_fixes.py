"""Fixes that add fields, in the styles of YAML."""

from __future__ import annotations

import pytest

from console.dialects.kai import DIALECT
from console.dialects.positions import apply_fix
from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import fairshare_of
from console.engine.model.amounts import UNLIMITED

JSON = (
    '{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "a"}, '
    '"spec": {"resources": {"cpu":{"quota":1000},"gpu":{"limit":-1}}}}'
)
FLOW = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: { name: a }
spec: { resources: { cpu: { quota: 1000 }, gpu: { limit: -1 } } }
"""
BLOCK = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: a
spec:
  resources:
    # The guarantee.
    cpu:
      quota: 1000
    gpu:
      limit: -1
"""


@pytest.mark.parametrize("text", [JSON, FLOW, BLOCK], ids=["json", "flow", "block"])
def test_the_first_fixes_of_all_findings_give_a_config_without_findings(text: str):
    while found := DIALECT.read(text, {}).diagnostics:
        text = apply_fix(text, found[0].fixes[0])
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    queue = fairshare_of(policy).queues["a"]
    assert (queue.quota, queue.weight, queue.limit) == (
        PerResource(1000, 0, 0),
        PerResource(1.0, 1.0, 1.0),
        PerResource(UNLIMITED, UNLIMITED, UNLIMITED),
    )


def test_resources_are_added_to_an_empty_mapping():
    text = FLOW.replace("{ cpu: { quota: 1000 }, gpu: { limit: -1 } }", "{}")
    (finding,) = DIALECT.read(text, {}).diagnostics
    assert DIALECT.read(apply_fix(text, finding.fixes[0]), {}).diagnostics == ()
