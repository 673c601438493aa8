"""The samples compile to exactly the policies that their comments describe."""

from __future__ import annotations

from collections import Counter

from console.dialects.kueue import DIALECT
from console.dialects.kueue.unsupported import LABELS, RUN_TIME_LABEL
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
    spec_of,
)
from console.engine.model.amounts import UNLIMITED
from console.engine.model.nodes import FlavorToleration, Taint, TaintEffect
from console.engine.model.origin import Origin
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.routing.local_queues import (
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    local_routing_of,
)
from tests.dialects.kueue.dump import SAMPLE, dump
from tests.dialects.meaning import plain

RESOURCES = ("cpu", "memory", "nvidia.com/gpu")
GIB = 2**30 * 1000


def quotas(flavor: str, cpu: int, gib: int, gpus: int, **limits: int) -> FlavorQuotas:
    """Return a flavor's quotas; *limits* are those of GPUs."""
    return FlavorQuotas(
        flavor=flavor,
        quotas={
            "cpu": Quota(nominal=cpu * 1000),
            "memory": Quota(nominal=gib * GIB),
            "nvidia.com/gpu": Quota(nominal=gpus * 1000, **limits),
        },
    )


def team(name: str, reserved: FlavorQuotas, **fields: object) -> QueueSpec:
    """Return the queue of a team."""
    return QueueSpec(
        name=name,
        parent="research",
        groups=(ResourceGroup(resources=RESOURCES, flavors=(reserved, quotas("spot", 0, 0, 0))),),
        namespaces=Selector((MatchExpression("team", Operator.IN, (name,)),)),
        **fields,
    )


TWO_TEAMS = quota_policy(
    "kueue",
    flavors={
        "reserved": Flavor(name="reserved", node_labels={"capacity": "reserved"}),
        "spot": Flavor(
            name="spot",
            node_labels={"capacity": "spot"},
            taints=(Taint("capacity", "spot", TaintEffect.NO_SCHEDULE),),
            tolerations=(FlavorToleration("capacity", "Equal", "spot", "NoSchedule"),),
        ),
    },
    cohorts={
        "research": Cohort(
            name="research",
            groups=(ResourceGroup(resources=RESOURCES, flavors=(quotas("spot", 96, 768, 8),)),),
        )
    },
    queues={
        "vision": team(
            "vision",
            quotas("reserved", 192, 1536, 16, borrowing_limit=8_000, lending_limit=12_000),
            preemption=Preemption(
                within_queue=PreemptionRule.LOWER_PRIORITY, reclaim_within_cohort=PreemptionRule.ANY
            ),
        ),
        "speech": team(
            "speech",
            quotas("reserved", 96, 768, 8),
            fungibility=Fungibility(when_can_borrow=FungibilityPolicy.TRY_NEXT),
            preemption=Preemption(
                within_queue=PreemptionRule.LOWER_PRIORITY,
                reclaim_within_cohort=PreemptionRule.LOWER_PRIORITY,
            ),
        ),
    },
    least_priority=-(2**31),
    run_time_label=RUN_TIME_LABEL,
    unsupported_labels=LABELS,
    routing=LocalQueueRouting(
        default_local_queue="default",
        local_queues={
            (name, "training"): LocalQueue(namespace=name, name="training", queue=name)
            for name in ("vision", "speech")
        },
        namespaces={
            name: {"kubernetes.io/metadata.name": name, "team": name}
            for name in ("vision", "speech")
        },
        priority_classes={
            "production": PriorityClass(name="production", value=1000),
            "experiment": PriorityClass(name="experiment", value=100),
        },
    ),
    settings=QuotaSettings(undeclared=Undeclared.BLOCK, zeros_take_flavors=True),
)


def test_two_teams_share_one_cohort():
    text = DIALECT.samples()["Two teams share one cohort"]
    assert plain(TWO_TEAMS) == plain(DIALECT.read(text, {}).policy)


def test_dump_equals_the_output_of_its_generator():
    assert SAMPLE.read_text("utf-8") == dump()


def test_the_dump_compiles_with_one_note():
    text = SAMPLE.read_text("utf-8")
    reading = DIALECT.read(text, {})
    (note,) = reading.diagnostics
    assert (note.code, note.message) == (
        "KUE040",
        (
            "Set by the server and not read: creationTimestamp, finalizers, generation, "
            "resourceVersion, status and uid."
        ),
    )
    policy = reading.policy
    assert policy is not None
    routing = local_routing_of(policy)
    assert routing is not None
    assert {name: cohort.parent for name, cohort in spec_of(policy).cohorts.items()} == {
        "organization": None,
        "research": "organization",
        "vision": "research",
        "language": "research",
        "production": "organization",
    }
    assert Counter(queue.parent for queue in policy.queues.values()) == {
        "research": 6,
        "vision": 10,
        "language": 12,
        "production": 12,
    }
    assert Hierarchy(policy).roots == ("organization",)
    local_queues = routing.local_queues
    assert [local_queue.queue for local_queue in local_queues.values()] == list(policy.queues)
    for local_queue in local_queues.values():
        labels = routing.namespaces[local_queue.namespace]
        selector = policy.queues[local_queue.queue].namespaces
        assert selector is not None
        assert selector.matches(labels)


TEXT = """\
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ResourceFlavor
  metadata:
    name: f
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: Cohort
  metadata:
    name: c
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata:
    name: q
  spec:
    cohortName: implicit
    fairSharing:
      weight: 1500m
    flavorFungibility:
      whenCanBorrow: TryNextFlavor
    namespaceSelector:
      matchLabels:
        team: a
      matchExpressions:
      - {key: tier, operator: NotIn, values: [x, "y"]}
    preemption:
      withinClusterQueue: LowerPriority
    queueingStrategy: StrictFIFO
    stopPolicy: Hold
    resourceGroups:
    - coveredResources: [cpu]
      flavors:
      - name: f
        resources:
        - {name: cpu, nominalQuota: 1, lendingLimit: 0, borrowingLimit: 500m}
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: l, namespace: n}
  spec: {clusterQueue: q}
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: p}, value: -1}
- apiVersion: config.kueue.x-k8s.io/v1beta2
  kind: Configuration
  resources:
    quotaCheckStrategy: IgnoreUndeclared
"""


def test_every_part_of_a_policy_has_its_origin():
    policy = DIALECT.read(TEXT, {}).policy
    assert policy is not None
    queue, routing = policy.queues["q"], local_routing_of(policy)
    assert routing is not None
    assert queue.namespaces is not None
    group = queue.groups[0]
    first, second = queue.namespaces.expressions
    assert {
        "flavor": spec_of(policy).flavors["f"].origin,
        "cohort": spec_of(policy).cohorts["c"].origin,
        "implicit cohort": spec_of(policy).cohorts["implicit"].origin,
        "queue": queue.origin,
        "fungibility": queue.fungibility.origin,
        "selector": queue.namespaces.origin,
        "label": first.origin,
        "expression": second.origin,
        "preemption": queue.preemption.origin,
        "group": group.origin,
        "flavor of the group": group.flavors[0].origin,
        "quota": group.flavors[0].quotas["cpu"].origin,
        "local queue": routing.local_queues["n", "l"].origin,
        "priority class": routing.priority_classes["p"].origin,
        "settings": spec_of(policy).settings.origin,
    } == {
        "flavor": Origin(4, 3, 7, 12),
        "cohort": Origin(8, 3, 11, 12),
        "implicit cohort": None,
        "queue": Origin(12, 3, 36, 78),
        "fungibility": Origin(21, 7, 21, 35),
        "selector": Origin(23, 7, 26, 55),
        "label": Origin(24, 9, 24, 16),
        "expression": Origin(26, 9, 26, 55),
        "preemption": Origin(28, 7, 28, 40),
        "group": Origin(32, 7, 36, 78),
        "flavor of the group": Origin(34, 9, 36, 78),
        "quota": Origin(36, 11, 36, 78),
        "local queue": Origin(37, 3, 40, 26),
        "priority class": Origin(41, 3, 41, 100),
        "settings": Origin(42, 3, 45, 41),
    }


def test_meaning_of_fields():
    policy = DIALECT.read(TEXT, {}).policy
    assert policy is not None
    queue = policy.queues["q"]
    assert (queue.strategy, queue.stop, queue.fair_weight, queue.is_passthrough) == (
        "strict_fifo",
        "hold",
        1_500_000_000,
        False,
    )
    assert plain(queue.groups[0].flavors[0].quotas["cpu"]) == {
        "nominal": 1000,
        "borrowing_limit": 500,
        "lending_limit": 0,
    }
    assert plain(queue.namespaces) == plain(
        Selector(
            (
                MatchExpression("team", Operator.IN, ("a",)),
                MatchExpression("tier", Operator.NOT_IN, ("x", "y")),
            )
        )
    )
    assert spec_of(policy).settings.undeclared is Undeclared.IGNORE
    assert policy.queues["q"].groups[0].flavors[0].quotas["cpu"].nominal is not UNLIMITED


def test_maximum_quota_is_unlimited():
    policy = DIALECT.read(TEXT.replace("nominalQuota: 1,", "nominalQuota: 9P,"), {}).policy
    assert policy is not None
    assert policy.queues["q"].groups[0].flavors[0].quotas["cpu"].nominal == 9 * 10**18
    policy = DIALECT.read(TEXT.replace("nominalQuota: 1,", "nominalQuota: 10P,"), {}).policy
    assert policy is not None
    assert policy.queues["q"].groups[0].flavors[0].quotas["cpu"].nominal is UNLIMITED


def test_missing_namespace_selector_matches_none_and_an_empty_one_all():
    head, tail = TEXT[: TEXT.index("    namespaceSelector")], TEXT[TEXT.index("    preemption") :]
    selectors = []
    for middle in ("", "    namespaceSelector:\n", "    namespaceSelector: {}\n"):
        policy = DIALECT.read(head + middle + tail, {}).policy
        assert policy is not None
        selectors.append(policy.queues["q"].namespaces)
    assert selectors[:2] == [None, None]
    assert selectors[2] is not None
    assert selectors[2].expressions == ()


def test_kueue_queues_have_no_fixed_specs():
    assert DIALECT.read(TEXT, {}).queue_specs == {}
