"""The samples compile to exactly the policies that their comments describe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from console.dialects.native import DIALECT
from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
    spec_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.origin import Origin
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.routing.rule_routing import route_by, rules_of
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule
from tests.dialects.meaning import plain

VECTORS = Path(__file__).parents[2] / "vectors" / "native"


def label_in(key: str, value: str) -> MatchExpression:
    """Return the expression that matches one value of a label."""
    return MatchExpression(key, Operator.IN, (value,))


def quotas(flavor: str, **thousandths: int) -> FlavorQuotas:
    """Return a flavor with nominal quotas."""
    return FlavorQuotas(
        flavor=flavor,
        quotas={
            resource: Quota(nominal=amount, borrowing_limit=UNLIMITED, lending_limit=UNLIMITED)
            for resource, amount in thousandths.items()
        },
    )


CAP = quota_policy(
    "native",
    flavors={
        "m5-2xlarge": Flavor(
            name="m5-2xlarge", selector=Selector((label_in("instance-type", "m5.2xlarge"),))
        )
    },
    queues={
        "q-m5-2xlarge-cap3": QueueSpec(
            name="q-m5-2xlarge-cap3",
            groups=(
                ResourceGroup(
                    resources=("cpu", "memory_gb"),
                    flavors=(quotas("m5-2xlarge", cpu=24_000, memory_gb=96_000),),
                ),
            ),
        ),
        "default": QueueSpec(name="default", is_passthrough=True),
    },
    routing=route_by(
        (
            Rule(
                index=0,
                queue="q-m5-2xlarge-cap3",
                selector=Selector((label_in("instance-type", "m5.2xlarge"),)),
                priority=PriorityPolicy(
                    default=50, minimum=0, maximum=100, on_violation=OnViolation.FORCE_UPDATE
                ),
            ),
            Rule(index=1, queue="default"),
        )
    ),
)
RESEARCH = quota_policy(
    "native",
    flavors={
        "gpu_a100_spot": Flavor(
            name="gpu_a100_spot",
            selector=Selector(
                (label_in("accelerator-type", "A100"), label_in("market-type", "SPOT"))
            ),
        ),
        "research_gpu_pool": Flavor(
            name="research_gpu_pool", selector=Selector((label_in("team", "research"),))
        ),
    },
    queues={
        "ml_training": QueueSpec(
            name="ml_training",
            groups=(
                ResourceGroup(
                    resources=("gpu", "cpu"),
                    flavors=(
                        quotas("gpu_a100_spot", gpu=64_000, cpu=512_000),
                        quotas("research_gpu_pool", gpu=16_000, cpu=128_000),
                    ),
                ),
            ),
            preemption=Preemption(within_queue=PreemptionRule.LOWER_PRIORITY),
        ),
        "default": QueueSpec(name="default", is_passthrough=True),
    },
    routing=route_by(
        (
            Rule(
                index=0,
                queue="ml_training",
                selector=Selector((label_in("team", "research"),)),
                priority=PriorityPolicy(
                    default=50, minimum=0, maximum=100, on_violation=OnViolation.REJECT
                ),
            ),
            Rule(index=1, queue="default"),
        )
    ),
)
RESERVATION = quota_policy(
    "native",
    flavors={
        "a4_reserved": Flavor(
            name="a4_reserved",
            selector=Selector((label_in("instance-type", "a4-highgpu-8g"),)),
            launch_config={
                "instance_properties": {
                    "reservation_affinity": {
                        "key": "compute.googleapis.com/reservation-name",
                        "consume_reservation_type": "SPECIFIC_RESERVATION",
                        "values": ["my-a4-reservation"],
                    }
                }
            },
        )
    },
    queues={
        "reservation": QueueSpec(
            name="reservation",
            groups=(
                ResourceGroup(resources=("gpu",), flavors=(quotas("a4_reserved", gpu=80_000),)),
            ),
        ),
        "default": QueueSpec(name="default", is_passthrough=True),
    },
    routing=route_by(
        (
            Rule(
                index=0,
                queue="reservation",
                selector=Selector((label_in("use-reservation", "true"),)),
            ),
            Rule(index=1, queue="default"),
        )
    ),
)
EXPECTED = {
    "Cap one instance type": CAP,
    "Share research GPUs by priority": RESEARCH,
    "Guard a capacity reservation": RESERVATION,
}


@pytest.mark.parametrize("title", EXPECTED)
def test_sample_compiles_to_its_policy(title: str):
    assert list(EXPECTED) == list(DIALECT.samples())
    assert plain(EXPECTED[title]) == plain(DIALECT.read(DIALECT.samples()[title], {}).policy)


def test_every_part_of_a_policy_has_its_origin():
    text = """\
resource_flavors:
  - name: f
    selector:
      - key: team
        operator: exists

# A comment that belongs to nobody.
resource_queues:
  - name: q
    preemption:
      within_resource_queue: lower_priority
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: f
            resources:
              - { name: gpu, nominal_quota: 1 }
scheduling_rules:
  - resource_queue: q
    priority_policy: { max: 5 }
"""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    flavor, queue, rule = spec_of(policy).flavors["f"], policy.queues["q"], rules_of(policy)[0]
    group = queue.groups[0]
    gpu, cpu = group.flavors[0].quotas["gpu"], group.flavors[0].quotas["cpu"]
    assert {
        "flavor": flavor.origin,
        "selector": flavor.selector.origin,
        "expression": flavor.selector.expressions[0].origin,
        "queue": queue.origin,
        "preemption": queue.preemption.origin,
        "group": group.origin,
        "flavor of the group": group.flavors[0].origin,
        "listed quota": gpu.origin,
        "unlisted quota": cpu.origin,
        "rule": rule.origin,
        "priority policy": rule.priority.origin,
    } == {
        "flavor": Origin(2, 5, 5, 25),
        "selector": Origin(4, 7, 5, 25),
        "expression": Origin(4, 9, 5, 25),
        "queue": Origin(9, 5, 17, 48),
        "preemption": Origin(11, 7, 11, 44),
        "group": Origin(13, 9, 17, 48),
        "flavor of the group": Origin(15, 13, 17, 48),
        "listed quota": Origin(17, 17, 17, 48),
        "unlisted quota": Origin(15, 13, 17, 48),
        "rule": Origin(19, 5, 20, 32),
        "priority policy": Origin(20, 22, 20, 32),
    }
    assert (gpu.nominal, cpu.nominal) == (1000, UNLIMITED)


def test_origin_excludes_the_anchor():
    text = """\
resource_flavors:
  - &base # A comment.
    # Another.
    name: f
resource_queues: &queues
  - &q { name: q }
"""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    assert spec_of(policy).flavors["f"].origin == Origin(4, 5, 4, 12)
    assert policy.queues["q"].origin == Origin(6, 8, 6, 19)


def test_opaque_mapping_keeps_strings():
    text = """\
resource_flavors:
  - name: f
    advanced_instance_config:
      flags: [true, false, null, ~, no, on]
      numbers: [1, -2, 1.5, 010, 1_000, 0x10, 12:30, 2024-01-01, .inf]
      quoted: ["true", '1', "null"]
      1: { deep: { "": "x" } }
"""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    assert spec_of(policy).flavors["f"].launch_config == {
        "flags": [True, False, None, None, "no", "on"],
        "numbers": [1, -2, 1.5, "010", "1_000", "0x10", "12:30", "2024-01-01", ".inf"],
        "quoted": ["true", "1", "null"],
        "1": {"deep": {"": "x"}},
    }


CASES = [
    case
    for name in ("hand", "random")
    for case in json.loads((VECTORS / f"{name}.json").read_text())
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_conformance_configs_compile(case: dict[str, Any]):
    assert DIALECT.read(case["config"], {}).errors == ()


def test_cohort_is_created_by_its_queues():
    groups = "resource_groups: [{ covered_resources: [gpu], flavors: [{ name: f }] }]"
    text = f"""\
resource_flavors: [{{ name: f }}]
resource_queues:
  - {{ name: a, cohort_name: red, {groups} }}
  - {{ name: b, {groups} }}
  - {{ name: c, cohort_name: red, {groups} }}
"""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    assert spec_of(policy).cohorts == {"red": Cohort(name="red")}
    assert {queue.name: queue.parent for queue in policy.queues.values()} == {
        "a": "red",
        "b": None,
        "c": "red",
    }
