"""Random worlds for Hypothesis: small enough to read, with every setting in them."""

from __future__ import annotations

from hypothesis import strategies as st

from console.engine.amounts import UNLIMITED
from console.engine.policy import (
    Flavor,
    FlavorQuotas,
    OnViolation,
    Policy,
    Preemption,
    PreemptionRule,
    PriorityPolicy,
    Queue,
    Quota,
    ResourceGroup,
    Rule,
)
from console.engine.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.workload import PodSet, Workload

QUEUES = ("train", "serve", "batch")
FLAVORS = ("a100", "h100", "spot")
KINDS = ("x", "y")

label_sets = st.fixed_dictionaries(
    {"queue": st.sampled_from(QUEUES[:1] * 3 + QUEUES)}, optional={"kind": st.sampled_from(KINDS)}
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

#: Thousandths; unlimited and blocked are rare, halves keep the arithmetic honest.
nominals = st.sampled_from([UNLIMITED, 0, 1000, 2000, 2500, 4000, 4000, 6000])


@st.composite
def queues(draw: st.DrawFn, name: str) -> Queue:
    """Draw a queue: no group, one, or one for each resource."""
    layout = draw(st.sampled_from([(("gpu",),), (("gpu", "cpu"),), (("gpu",), ("cpu",)), ()]))
    flavors = draw(st.permutations(FLAVORS))
    groups = []
    for resources in layout:
        count = draw(st.integers(1, 2 if len(layout) == 1 else 1))
        chosen, flavors = flavors[:count], flavors[count:]
        entries = tuple(
            FlavorQuotas(
                flavor=flavor, quotas={each: Quota(nominal=draw(nominals)) for each in resources}
            )
            for flavor in chosen
        )
        groups.append(ResourceGroup(resources=resources, flavors=entries))
    within = draw(st.sampled_from([PreemptionRule.NEVER, *[PreemptionRule.LOWER_PRIORITY] * 3]))
    return Queue(
        name=name,
        groups=tuple(groups),
        is_passthrough=not groups,
        preemption=Preemption(within_queue=within),
    )


@st.composite
def priority_policies(draw: st.DrawFn) -> PriorityPolicy:
    """Draw a priority policy with ordered bounds, or an open one."""
    if draw(st.booleans()):
        return PriorityPolicy()
    low, middle, high = sorted(draw(st.tuples(*[st.integers(0, 4)] * 3)))
    return PriorityPolicy(
        default=draw(st.sampled_from([None, middle])),
        minimum=draw(st.sampled_from([None, None, low])),
        maximum=draw(st.sampled_from([None, None, high])),
        on_violation=draw(st.sampled_from(OnViolation)),
    )


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Draw a policy whose references are valid; now and then one without rules."""
    names = QUEUES[: draw(st.integers(1, 3))]
    rules = [(name, Selector((MatchExpression("queue", Operator.IN, (name,)),))) for name in names]
    rules.append((names[0], draw(selectors)))
    if draw(st.integers(0, 20)) == 20:
        rules = []
    return Policy(
        dialect="native",
        flavors={name: Flavor(name=name, selector=draw(selectors)) for name in FLAVORS},
        queues={name: draw(queues(name)) for name in names},
        rules=tuple(
            Rule(index=index, queue=name, selector=selector, priority=draw(priority_policies()))
            for index, (name, selector) in enumerate(rules)
        ),
    )


@st.composite
def workloads(draw: st.DrawFn, sequence: int) -> Workload:
    """Draw a workload that is named after its place in the order of submission."""
    amounts = st.sampled_from([1000, 2000, 3000, 4000, 500, 0])
    requests = st.fixed_dictionaries({"gpu": amounts}, optional={"cpu": amounts, "tpu": amounts})
    return Workload(
        id=f"w{sequence}",
        sequence=sequence,
        labels=draw(label_sets),
        priority=draw(st.sampled_from([None, 0, 1, 2, 3, 4])),
        pod_sets=(PodSet(requests=draw(requests)),),
    )
