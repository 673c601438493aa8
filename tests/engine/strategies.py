"""
Hypothesis strategies for random worlds: small enough to read, and covering every setting.

The variable ``WORLDS`` sets the number of examples of each property, as in
``WORLDS=10000 pytest tests/engine/test_laws.py``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    FlavorQuotas,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
)
from console.engine.model.amounts import UNLIMITED, WEIGHT_ONE
from console.engine.model.nodes import Taint, Toleration
from console.engine.model.policy import Policy, StopPolicy, Strategy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.workload import PODS, PodSet, Workload
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule

QUEUES = ("train", "serve", "batch", "eval")
FLAVORS = ("a100", "h100", "spot")
KINDS = ("x", "y")

#: Settings of all properties of random worlds; *WORLDS* overrides the number of examples.
_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


def worlds(count: int) -> settings:
    """
    Return settings that draw *count* worlds, the same in every run.

    ``WORLDS`` overrides the number, and then each run draws other worlds.
    """
    asked = int(os.environ.get("WORLDS", "0"))
    # Shrinking a long history takes minutes; each event is noted in one line instead.
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(
        max_examples=asked or count,
        derandomize=not asked,
        deadline=None,
        suppress_health_check=_SLOW,
        phases=phases,
    )


@st.composite
def draws(draw: st.DrawFn) -> st.DrawFn:
    """Draw the draw function itself, for histories whose next event depends on decisions."""
    return draw


label_sets = st.fixed_dictionaries(
    {"queue": st.sampled_from(QUEUES)}, optional={"kind": st.sampled_from(KINDS)}
)

expressions = st.builds(
    lambda operator, value: MatchExpression(
        "kind", operator, (value,) if operator in (Operator.IN, Operator.NOT_IN) else ()
    ),
    st.sampled_from(Operator),
    st.sampled_from(KINDS),
)

selectors = st.one_of(
    st.just(EVERYTHING), st.just(EVERYTHING), expressions.map(lambda each: Selector((each,)))
)

#: Thousandths; unlimited and blocked are rare, halves exercise the arithmetic.
nominals = st.sampled_from([4000, 2000, 1000, 2500, 4000, 6000, 0, 0, UNLIMITED])
limits = st.sampled_from([UNLIMITED, UNLIMITED, UNLIMITED, 0, 1000, 2000, 3000])
cohort_nominals = st.sampled_from([0, 0, 0, 1000, 4000])

preemptions = st.builds(
    Preemption,
    within_queue=st.sampled_from(
        [
            PreemptionRule.LOWER_PRIORITY,
            PreemptionRule.LOWER_PRIORITY,
            PreemptionRule.NEVER,
            PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
        ]
    ),
    reclaim_within_cohort=st.sampled_from(
        [PreemptionRule.ANY, PreemptionRule.LOWER_PRIORITY, PreemptionRule.NEVER]
    ),
    borrow_within_cohort=st.sampled_from(
        [PreemptionRule.NEVER, PreemptionRule.NEVER, PreemptionRule.LOWER_PRIORITY]
    ),
    max_priority_threshold=st.sampled_from([None, None, 1]),
)

fungibilities = st.builds(
    Fungibility,
    when_can_borrow=st.sampled_from(FungibilityPolicy),
    when_can_preempt=st.sampled_from([FungibilityPolicy.TRY_NEXT, FungibilityPolicy.MAY_STOP]),
    preference=st.sampled_from(Preference),
)

weights = st.sampled_from([WEIGHT_ONE, WEIGHT_ONE, 2 * WEIGHT_ONE, WEIGHT_ONE // 2, 0])


@st.composite
def quotas(draw: st.DrawFn, *, shares: bool) -> Quota:
    """Draw a quota; only a queue that *shares* a cohort gets limits."""
    if not shares:
        return Quota(nominal=draw(nominals))
    return Quota(nominal=draw(nominals), borrowing_limit=draw(limits), lending_limit=draw(limits))


@st.composite
def groups(draw: st.DrawFn, *, shares: bool) -> tuple[ResourceGroup, ...]:
    """Draw resource groups: none, one, one that counts pods, or one for each resource."""
    layout = draw(
        st.sampled_from(
            [(("gpu",),), (("gpu",),), (("gpu", "cpu"),), (("gpu",), ("cpu",)), (("gpu", PODS),)]
        )
    )
    flavors = list(draw(st.permutations(FLAVORS)))
    drawn = []
    for resources in layout:
        count = draw(st.integers(1, 3 if len(layout) == 1 else 1))
        chosen, flavors = flavors[:count], flavors[count:]
        entries = tuple(
            FlavorQuotas(
                flavor=flavor, quotas={each: draw(quotas(shares=shares)) for each in resources}
            )
            for flavor in chosen
        )
        drawn.append(ResourceGroup(resources=resources, flavors=entries))
    return tuple(drawn)


@st.composite
def queues(draw: st.DrawFn, name: str, parent: str | None) -> QueueSpec:
    """Draw a queue with all its settings; a few have no quota, a few are stopped."""
    if parent is None and draw(st.integers(0, 9)) == 9:
        return QueueSpec(name=name, is_passthrough=True)
    stop = [StopPolicy.NONE] * 10 + [StopPolicy.HOLD, StopPolicy.HOLD_AND_DRAIN]
    return QueueSpec(
        name=name,
        parent=parent,
        groups=draw(groups(shares=parent is not None)),
        preemption=draw(preemptions),
        strategy=draw(st.sampled_from([Strategy.BEST_EFFORT_FIFO] * 4 + [Strategy.STRICT_FIFO])),
        fungibility=draw(fungibilities),
        stop=draw(st.sampled_from(stop)),
        fair_weight=draw(weights),
    )


@st.composite
def cohorts(draw: st.DrawFn, name: str, parent: str | None) -> Cohort:
    """Draw a cohort; most have no quota."""
    entries = tuple(
        FlavorQuotas(
            flavor=flavor,
            quotas={
                "gpu": Quota(
                    nominal=draw(cohort_nominals),
                    borrowing_limit=draw(limits) if parent else UNLIMITED,
                    lending_limit=draw(limits) if parent else UNLIMITED,
                )
            },
        )
        for flavor in FLAVORS[: draw(st.integers(0, 2))]
    )
    return Cohort(
        name=name,
        parent=parent,
        groups=(ResourceGroup(resources=("gpu",), flavors=entries),) if entries else (),
        fair_weight=draw(weights),
    )


@st.composite
def trees(draw: st.DrawFn, *, one_tree: bool) -> tuple[dict[str, Cohort], dict[str, QueueSpec]]:
    """Draw up to four queues: alone, in one cohort, or in a tree of up to three cohorts."""
    above: dict[str, str | None] = {}
    for number in range(draw(st.integers(0, 3))):
        name = f"c{number}"
        above[name] = draw(st.sampled_from(list(above))) if above else None
    names = QUEUES[: draw(st.integers(1, 4))]
    if one_tree and not above:
        names = names[:1]
    homes = list(above) if one_tree and above else [None, *above]
    return (
        {name: draw(cohorts(name, parent)) for name, parent in above.items()},
        {name: draw(queues(name, draw(st.sampled_from(homes)))) for name in names},
    )


flavors = st.fixed_dictionaries(
    {
        name: st.builds(
            Flavor,
            name=st.just(name),
            selector=selectors,
            node_labels=st.sampled_from([{}, {}, {"zone": "a"}, {"zone": "b"}]),
            taints=st.sampled_from([(), (), (), (Taint("spot"),)]),
        )
        for name in FLAVORS
    }
)


@st.composite
def priority_policies(draw: st.DrawFn) -> PriorityPolicy:
    """Draw a priority policy with ordered bounds, or without bounds."""
    if draw(st.integers(0, 2)):
        return PriorityPolicy()
    low, middle, high = sorted(draw(st.tuples(*[st.integers(0, 4)] * 3)))
    return PriorityPolicy(
        default=draw(st.sampled_from([None, middle])),
        minimum=draw(st.sampled_from([None, None, low])),
        maximum=draw(st.sampled_from([None, None, high])),
        on_violation=draw(st.sampled_from(OnViolation)),
    )


@st.composite
def policies(draw: st.DrawFn, *, one_tree: bool = False) -> Policy:
    """Draw a policy; a few have no rules, and a few refer to a missing flavor."""
    known_cohorts, known_queues = draw(trees(one_tree=one_tree))
    rules = [
        (name, Selector((MatchExpression("queue", Operator.IN, (name,)),))) for name in known_queues
    ]
    rules.append((next(iter(known_queues)), draw(selectors)))
    if draw(st.integers(0, 30)) == 30:
        rules = []
    known_flavors = dict(draw(flavors))
    if draw(st.integers(0, 15)) == 15:
        known_flavors.pop(draw(st.sampled_from(FLAVORS)))
    strategies = st.sampled_from([(), (), *_orders()])
    return quota_policy(
        "native",
        flavors=known_flavors,
        queues=known_queues,
        cohorts=known_cohorts,
        routing=route_by(
            Rule(index=index, queue=name, selector=selector, priority=draw(priority_policies()))
            for index, (name, selector) in enumerate(rules)
        ),
        settings=QuotaSettings(
            fair_sharing=draw(strategies),
            undeclared=draw(st.sampled_from(Undeclared)),
            zeros_take_flavors=draw(st.booleans()),
        ),
    )


def _orders() -> Iterator[tuple[FairStrategy, ...]]:
    final, initial = FairStrategy
    yield from ((final, initial), (final,), (initial,))


amounts = st.sampled_from([1000, 2000, 1000, 3000, 4000, 500, 0])
requests = st.fixed_dictionaries({"gpu": amounts}, optional={"cpu": amounts, "tpu": amounts})
small_requests = st.fixed_dictionaries({"gpu": st.sampled_from([1000, 500, 2000])})


@st.composite
def pod_sets(draw: st.DrawFn) -> tuple[PodSet, ...]:
    """Draw one pod, several pods with a minimum count, or two pod sets, sometimes grouped."""
    kind = draw(st.integers(0, 5))
    if kind <= 2:
        return (PodSet(requests=draw(requests)),)
    if kind == 3:
        return (
            PodSet(
                requests=draw(requests),
                node_selector=draw(st.sampled_from([{}, {"zone": "a"}])),
                tolerations=draw(st.sampled_from([(), (Toleration(operator="Exists"),)])),
            ),
        )
    count = draw(st.integers(1, 4))
    workers = PodSet(
        name="workers",
        count=count,
        min_count=draw(st.sampled_from([None, 1, count])),
        requests=draw(small_requests),
        group=draw(st.sampled_from([None, "all"])),
    )
    if kind == 4:
        return (workers,)
    # A pod set without requests is a special case in a pod set group.
    own = requests if workers.group is None else small_requests
    leader = PodSet(name="leader", requests=draw(own), group=workers.group)
    return (leader, workers)


@st.composite
def workloads(draw: st.DrawFn, sequence: int) -> Workload:
    """Draw a workload whose name is its number in the order of submission."""
    return Workload(
        id=f"w{sequence}",
        sequence=sequence,
        labels=draw(label_sets),
        priority=draw(st.sampled_from([0, 0, 1, 2, 3, None])),
        pod_sets=draw(pod_sets()),
    )
