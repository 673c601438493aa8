"""Objects compile to exactly the policy that they describe."""

from __future__ import annotations

import pytest

from console.dialects.skyshift import DIALECT
from console.dialects.skyshift.routing import JobRouting
from console.engine.diff.plain import plain
from console.engine.disciplines.placement.spec import (
    QUEUE,
    Criterion,
    DeclaredCluster,
    Expression,
    FilterPolicy,
    GpuRule,
    OnUnplaceable,
    Operator,
    Placement,
    PlacementQueue,
    PlacementSpec,
    PluginUse,
    Rank,
    Reserve,
    Template,
    placement_of,
)
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy
from console.engine.model.routing import NoRouting
from console.engine.model.workload import Workload

QUEUES = {QUEUE: PlacementQueue(name=QUEUE)}


def policy_of(text: str) -> Policy:
    """Return the policy of a text without errors."""
    policy = DIALECT.read(text, {}).policy
    assert policy is not None
    return policy


@pytest.mark.parametrize("text", ["", "\n", "---\n---\n", "# nothing\n", "null"])
def test_text_without_objects_is_the_empty_policy(text: str) -> None:
    assert policy_of(text) == DIALECT.empty_policy
    assert policy_of(text).routing == NoRouting()


def test_text_with_objects_that_are_not_read_is_the_empty_policy() -> None:
    assert policy_of("kind: Namespace\nmetadata: { name: a }\n") == DIALECT.empty_policy


def test_every_object_is_compiled_with_its_origin() -> None:
    text = """\
kind: Cluster
metadata:
  name: dev_1
  labels: { purpose: dev, zone: "" }
spec: { manager: slurm }
---
kind: PlacementTemplate
metadata: { name: dev }
spec:
  filters:
    - name: f
      match_labels: { purpose: dev }
      match_expressions:
        - { key: zone, operator: NotIn, values: [a, ""] }
  preferences:
    - { name: p, match_labels: { purpose: dev }, weight: "50" }
---
kind: FilterPolicy
metadata: { name: web }
spec:
  labels_selector: { app: web }
  cluster_filter: { include: [dev-underscore-1, other], exclude: [other] }
---
kind: Scheduler
spec:
  plugins: [DefaultPlugin, { name: ClusterAffinityPlugin, weight: 3 }]
  on_unplaceable: fail
  reserve: none
  gpu_rule: skyshift_head
  rank: product
"""
    assert policy_of(text) == Policy(
        dialect="skyshift",
        routing=JobRouting(),
        spec=PlacementSpec(
            queues=QUEUES,
            clusters={
                "dev-underscore-1": DeclaredCluster(
                    name="dev-underscore-1",
                    labels={"purpose": "dev", "zone": ""},
                    manager="slurm",
                    origin=Origin(1, 1, 5, 25),
                )
            },
            templates={
                "dev": Template(
                    name="dev",
                    placement=Placement(
                        filters=(
                            Criterion(
                                name="f",
                                labels={"purpose": "dev"},
                                expressions=(
                                    Expression(
                                        key="zone", operator=Operator.NOT_IN, values=("a", "")
                                    ),
                                ),
                            ),
                        ),
                        preferences=(Criterion(name="p", labels={"purpose": "dev"}, weight=50),),
                    ),
                    origin=Origin(7, 1, 16, 64),
                )
            },
            filter_policies={
                "web": FilterPolicy(
                    name="web",
                    job_labels={"app": "web"},
                    include=("dev-underscore-1", "other"),
                    exclude=("other",),
                    origin=Origin(18, 1, 22, 75),
                )
            },
            plugins=(
                PluginUse(name="DefaultPlugin", origin=Origin(26, 13, 26, 26)),
                PluginUse(name="ClusterAffinityPlugin", weight=3, origin=Origin(26, 28, 26, 70)),
            ),
            on_unplaceable=OnUnplaceable.FAIL,
            reserve=Reserve.NONE,
            gpu_rule=GpuRule.SKYSHIFT_HEAD,
            rank=Rank.PRODUCT,
            settings_origin=Origin(24, 1, 30, 16),
        ),
    )


def test_fields_that_are_absent_have_their_defaults() -> None:
    text = """\
kind: Cluster
metadata: { name: a }
---
kind: PlacementTemplate
metadata: { name: a }
---
kind: FilterPolicy
metadata: { name: a }
---
kind: Scheduler
"""
    assert policy_of(text).spec == PlacementSpec(
        queues=QUEUES,
        clusters={"a": DeclaredCluster(name="a", origin=Origin(1, 1, 2, 22))},
        templates={"a": Template(name="a", placement=Placement(), origin=Origin(4, 1, 5, 22))},
        filter_policies={"a": FilterPolicy(name="a", origin=Origin(7, 1, 8, 22))},
        settings_origin=Origin(10, 1, 10, 16),
    )


def test_order_of_objects_does_not_matter() -> None:
    objects = DIALECT.samples()["Clusters by purpose and location, with a template"].split("---\n")
    one, other = (
        DIALECT.objects(policy_of("---\n".join(each))) for each in (objects, objects[::-1])
    )
    assert {(each.kind.name, each.key): plain(each.facts) for each in one} == {
        (each.kind.name, each.key): plain(each.facts) for each in other
    }


def test_every_workload_is_routed_to_the_queue_with_priority_0() -> None:
    policy = policy_of("kind: Scheduler\n")
    routing = policy.routing
    for workload in (
        Workload(id="a", sequence=1),
        Workload(id="b", sequence=2, priority=7, labels={"a": "b"}, namespace="n"),
    ):
        route = routing.finder(policy.queues).route(workload)
        assert (route.queue, route.priority) == (QUEUE, 0)
        assert routing.attributes(workload) is None
        assert routing.label_values(workload, route) == {}
    assert routing.entrances() == {QUEUE: QUEUE}


@pytest.mark.parametrize(
    ("text", "is_recognized"),
    [
        ("kind: Cluster\n", True),
        ("metadata: {name: a}\nkind: 'Scheduler'\n", True),
        ('{"kind": "FilterPolicy"}', True),
        ("kind: PlacementTemplate\n", True),
        ("kind: Job\n", False),
        ("kind: ClusterQueue\n", False),
        ("apiVersion: cluster.x-k8s.io/v1\nkind: Cluster\n", False),
    ],
)
def test_language_is_recognized_by_the_kinds(text: str, is_recognized: bool) -> None:
    assert DIALECT.recognizes(text) is is_recognized


def test_sample_has_the_clusters_and_the_placement_of_my_job() -> None:
    text = DIALECT.samples()["Clusters by purpose and location, with a template"]
    spec = placement_of(policy_of(text))
    dev, staging = {"purpose": "dev"}, {"purpose": "staging"}
    assert {name: cluster.labels for name, cluster in spec.clusters.items()} == {
        "staging-us": staging | {"location": "us"},
        "dev-us": dev | {"location": "us"},
        "dev-na": dev | {"location": "na"},
        "dev-1": {"sky-cluster-name": "mycluster-dev-1"} | dev | {"location": "us"},
        "dev-eu": dev | {"location": "eu"},
        "staging-ap": staging | {"location": "ap"},
    }
    assert {name: template.placement for name, template in spec.templates.items()} == {
        "my-job": Placement(
            filters=(
                Criterion(name="filter-1", labels=dev, expressions=(location("NotIn", "eu"),)),
                Criterion(
                    name="filter-2", labels=staging, expressions=(location("NotIn", "eu", "ap"),)
                ),
            ),
            preferences=(
                Criterion(
                    name="pref-1", labels={"sky-cluster-name": "mycluster-dev-1"}, weight=100
                ),
                Criterion(
                    name="pref-2", labels=dev, expressions=(location("In", "na"),), weight=50
                ),
                Criterion(name="pref-3", labels=dev, weight=25),
            ),
        )
    }
    defaults = PlacementSpec()
    for name in ("on_unplaceable", "reserve", "gpu_rule", "rank"):
        assert getattr(spec, name) == getattr(defaults, name)


def location(operator: str, *values: str) -> Expression:
    """Return an expression about the label location."""
    return Expression(key="location", operator=Operator(operator), values=values)
