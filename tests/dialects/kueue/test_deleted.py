"""Objects that are being deleted keep the meaning that they have in Kueue."""

from __future__ import annotations

from pathlib import Path

from console.dialects.kueue import DIALECT
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.amounts import UNLIMITED
from console.engine.model.policy import StopPolicy
from console.engine.routing.local_queues import local_routing_of

TEXT = (Path(__file__).parent / "bad" / "lint-deleted.yaml").read_text("utf-8")
SINCE = 'deletionTimestamp: "2026-01-01T00:00:00Z"'


def test_queue_being_deleted_admits_nothing_and_keeps_running_workloads():
    policy = DIALECT.read(TEXT, {}).policy
    assert policy is not None
    assert {name: queue.stop for name, queue in policy.queues.items()} == {
        "ending": StopPolicy.HOLD,
        "draining": StopPolicy.HOLD_AND_DRAIN,
        "live": StopPolicy.NONE,
    }


def test_the_local_queues_of_a_namespace_that_is_being_deleted_admit_nothing():
    policy = DIALECT.read(TEXT, {}).policy
    assert policy is not None
    routing = local_routing_of(policy)
    assert routing is not None
    local_queues = routing.local_queues
    assert {name: local_queue.stop for name, local_queue in local_queues.items()} == {
        ("gone", "q"): StopPolicy.HOLD,
        ("n", "q"): StopPolicy.NONE,
        ("n", "r"): StopPolicy.NONE,
    }
    assert list(routing.priority_classes) == ["low"]


def test_the_quota_of_a_queue_that_is_being_deleted_is_still_lent():
    queues = "".join(
        f"""---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{ name: {name}, {since} }}
spec:
  cohortName: c
  resourceGroups:
    - coveredResources: [cpu]
      flavors: [{{ name: f, resources: [{{ name: cpu, nominalQuota: 4 }}] }}]
"""
        for name, since in (("ending", SINCE), ("live", ""))
    )
    flavor = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: { name: f }\n"
    policy = DIALECT.read(flavor + queues, {}).policy
    assert policy is not None
    potential = Ledger(policy).queue("live").potential(("f", "cpu"))
    assert potential is not UNLIMITED
    assert potential == 8_000
