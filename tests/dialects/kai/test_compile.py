"""Objects compile to exactly the policy that they describe."""

from __future__ import annotations

from fractions import Fraction

import pytest

from console.dialects.kai import DIALECT
from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import (
    FairQueue,
    NodePool,
    PlacementStrategy,
    QueueRule,
    ReclaimMethod,
    Settings,
    UsageWindow,
    WindowKind,
    fairshare_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.inventory import Node
from console.engine.model.nodes import Taint, TaintEffect
from console.engine.model.origin import Origin
from tests.dialects.kai.texts import QUEUE, policy_of

HOUR = 3_600_000


@pytest.mark.parametrize("text", ["", "\n", "---\n---\n", "# nothing\n", "null"])
def test_text_without_objects_is_the_empty_policy(text: str):
    assert policy_of(text) == DIALECT.empty_policy


def test_every_field_of_a_queue():
    text = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: team
  creationTimestamp: "2026-01-31T09:30:00Z"
  uid: 5c1b
spec:
  displayName: Team A
  parentQueue: missing
  priority: 0
  preemptMinRuntime: 1h30m
  reclaimMinRuntime: 0s
  resources:
    cpu: { quota: 1500, overQuotaWeight: 0.5, limit: -1 }
    memory: { quota: 4096, overQuotaWeight: 2, limit: 8192.5 }
    gpu: { quota: 0.5, limit: 4, overQuotaWeight: 1 }
status:
  allocated: { cpu: "1" }
"""
    assert fairshare_of(policy_of(text)).queues == {
        "team": FairQueue(
            name="team",
            parent="missing",
            quota=PerResource(1500, 4096 * 10**9, 500),
            weight=PerResource(0.5, 2.0, 1.0),
            limit=PerResource(UNLIMITED, 81925 * 10**8, 4000),
            priority=0,
            created=1_769_851_800_000,
            preempt_min_runtime=HOUR * 3 // 2,
            reclaim_min_runtime=0,
            display_name="Team A",
            origin=Origin(line=1, column=1, end_line=18, end_column=26),
        )
    }


def test_absent_fields_of_a_queue_have_the_defaults_of_kai():
    text = QUEUE.format(name="a")
    queue = fairshare_of(policy_of(text)).queues["a"]
    assert (queue.quota, queue.priority, queue.created) == (PerResource(0, 0, 0), 100, 0)
    assert (queue.weight, queue.preempt_min_runtime) == (PerResource(0.0, 0.0, 0.0), None)


def test_a_list_as_kubectl_prints_it():
    text = "apiVersion: v1\nkind: List\nmetadata: { resourceVersion: '' }\nitems:\n"
    for name in ("a", "b"):
        lines = QUEUE.format(name=name).splitlines()
        text += "\n".join(("- " if i == 0 else "  ") + line for i, line in enumerate(lines)) + "\n"
    assert list(policy_of(text).queues) == ["a", "b"]


def test_nodes():
    text = """\
apiVersion: v1
kind: Node
metadata:
  name: ready
  labels: { zone: a }
spec:
  podCIDR: 10.0.0.0/24
  taints: [{ key: lab, value: x, effect: NoSchedule }]
status:
  capacity: { cpu: "8" }
  allocatable: { cpu: 7500m, memory: 1Ki, nvidia.com/gpu: 2, pods: "110" }
  conditions: [{ type: Ready, status: "True" }]
---
apiVersion: v1
kind: Node
metadata: { name: closed }
spec: { unschedulable: true }
status: { allocatable: { cpu: 1 } }
---
apiVersion: v1
kind: Node
metadata: { name: broken }
status:
  allocatable: { cpu: 1 }
  conditions: [{ type: DiskPressure, status: "True" }, { type: Ready, status: Unknown }]
"""
    assert fairshare_of(policy_of(text)).nodes == {
        "ready": Node(
            name="ready",
            labels={"zone": "a"},
            taints=(Taint("lab", "x", TaintEffect.NO_SCHEDULE),),
            offered={"cpu": 7500, "memory": 1_024_000, "nvidia.com/gpu": 2000, "pods": 110_000},
        ),
        "closed": Node(name="closed", offered={"cpu": 1000}, is_ready=False),
        "broken": Node(name="broken", offered={"cpu": 1000}, is_ready=False),
    }


SHARD = """\
apiVersion: kai.scheduler/v1
kind: SchedulingShard
metadata: { name: default }
spec:
"""


def settings_of(spec: str) -> Settings:
    """Return the settings of a SchedulingShard with the lines of its spec."""
    return fairshare_of(policy_of(SHARD + spec)).settings


def test_every_setting():
    found = settings_of("""\
  kValue: 0.5
  jobQueueRule: has_parent
  placementStrategy: { gpu: spread, cpu: spread }
  minRuntime: { preemptMinRuntime: 1d, reclaimMinRuntime: 2w }
  args:
    full-hierarchy-fairness: "false"
    default-staleness-grace-period: 2m
    nodepool-label-key: pool
  partitionLabelValue: a100
  plugins:
    proportion: { arguments: { relcaimerSaturationMultiplier: "1.2" } }
    minruntime: { arguments: { reclaimResolveMethod: queue } }
  usageDBConfig:
    usageParams:
      windowType: tumbling
      windowSize: 2d
      halfLifePeriod: 12h
      tumblingWindowStartTime: 2026-01-01T00:00:00Z
""")
    assert found == Settings(
        k_value=0.5,
        saturation_multiplier=Fraction(6, 5),
        preempt_min_runtime=24 * HOUR,
        reclaim_min_runtime=14 * 24 * HOUR,
        reclaim_method=ReclaimMethod.QUEUE,
        queue_rule=QueueRule.HAS_PARENT,
        full_hierarchy=False,
        stale_grace=120_000,
        usage_window=UsageWindow(
            kind=WindowKind.TUMBLING,
            length=48 * HOUR,
            half_life=12 * HOUR,
            start=1_767_225_600_000,
        ),
        gpu_placement=PlacementStrategy.SPREAD,
        cpu_placement=PlacementStrategy.SPREAD,
        node_pool=NodePool(key="pool", value="a100"),
        origin=found.origin,
    )


@pytest.mark.parametrize(
    ("spec", "name", "value"),
    [
        ("  kValue: 2\n", "k_value", 2.0),
        ("  plugins: { proportion: { arguments: { kValue: '0.25' } } }\n", "k_value", 0.25),
        (
            "  plugins: { proportion: { arguments: { relcaimerSaturationMultiplier: '0.5' } } }\n",
            "saturation_multiplier",
            Fraction(1),
        ),
        (
            "  plugins: { proportion: { arguments: { reclaimerUtilizationMultiplier: 2 } } }\n",
            "saturation_multiplier",
            Fraction(2),
        ),
        (
            "  plugins: { minruntime: { arguments: { defaultPreemptMinRuntime: 5m } } }\n",
            "preempt_min_runtime",
            300_000,
        ),
        ("  args: { default-staleness-grace-period: '-1s' }\n", "stale_grace", -1),
        ("  usageDBConfig: {}\n", "usage_window", UsageWindow()),
        ("  {}\n", "usage_window", None),
        (
            "  partitionLabelValue: a\n",
            "node_pool",
            NodePool(key="kai.scheduler/node-pool", value="a"),
        ),
    ],
)
def test_a_setting(spec: str, name: str, value: object):
    found = settings_of(spec)
    others = {"node_pool": NodePool(key="kai.scheduler/node-pool"), name: value}
    assert found == Settings(origin=found.origin, **others)
