"""Search for changes that start a workload: 9,000 run in one tree, and 100,000 are pending."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from console.engine.counterfactual import BUDGET, find_changes
from console.engine.counterfactual.change import ChangeKind
from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    QuotaSettings,
    ResourceGroup,
    Undeclared,
    quota_policy,
)
from console.engine.explain import explain
from console.engine.model.amounts import UNLIMITED
from console.engine.model.decision import PodSetAssignment
from console.engine.model.policy import Policy
from console.engine.model.selectors import MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.state import State
from tests.benchmarks.measured import Measured

QUEUES, RUNNING, PENDING = 100, 9_000, 100_000
SAMPLES = 40
FLAVORS = ("reserved", "spot")
#: In workloads of one gpu, for each flavor: the nominal quota of a queue, and the part of it that
#: some queues lack and borrow from their cohort.
OWN, LENT, BORROWERS = 45, 5, 10


def run() -> Iterator[Measured]:
    """Explain random workloads with all changes that would start them; 95 of 100 count."""
    state = full_tree()
    took, evaluations = [], 0
    for uid in Random(4).sample(sorted(state.pending), SAMPLES):
        start = time.perf_counter()
        assert explain(state.explain(uid)).headline
        found = find_changes(state, uid)
        took.append((time.perf_counter() - start) * 1000)
        evaluations = max(evaluations, found.evaluations)
        kinds = {change.kind for change in found.changes}
        # Quota that other workloads would take first does not help, but no workload here outranks a
        # higher priority.
        assert ChangeKind.PRIORITY in kinds, found
    assert evaluations <= BUDGET
    assert state.is_settled
    value = sorted(took)[int(SAMPLES * 0.95) - 1]
    name = f"engine: explain one of {PENDING:,} with what would help"
    yield Measured(name=name, value=value, unit="ms", at_most=300)
    yield Measured(name="engine: evaluations for that", value=evaluations, unit="at most")


def full_tree() -> State:
    """Return a settled state in which one tree uses its last gpu."""
    state = State(_policy())
    draw = Random(1)
    for number in range(RUNNING):
        flavor = FLAVORS[number // QUEUES % len(FLAVORS)]
        workload = _workload(number, draw.randrange(4, 9) * 10, gpu=1, per_gpu=8)
        flavors = {"gpu": flavor, "cpu": flavor}
        state.restore(
            workload,
            queue=_queue(number),
            priority=workload.priority or 0,
            assignment=(PodSetAssignment(name="main", count=1, flavors=flavors),),
            reservation=number + 1,
            evicting=False,
            is_routed=True,
        )
    for number in range(RUNNING, RUNNING + PENDING):
        gpu, per_gpu = draw.choice((1, 2, 4, 8)), draw.choice((4, 6, 8, 10, 12))
        state.submit(_workload(number, draw.randrange(5) * 10, gpu=gpu, per_gpu=per_gpu))
    state.settle()
    assert (len(state.running), len(state.pending)) == (RUNNING, PENDING)
    assert not state.evicting
    return state


def _workload(number: int, priority: int, *, gpu: int, per_gpu: int) -> Workload:
    return Workload(
        id=f"{number:032x}",
        sequence=number,
        labels={"team": _queue(number)},
        priority=priority,
        pod_sets=(PodSet(requests={"gpu": gpu * 1000, "cpu": gpu * per_gpu * 1000}),),
    )


def _queue(number: int) -> str:
    return f"team-{number % QUEUES}"


def _group(workloads: int) -> ResourceGroup:
    quotas = {
        "gpu": Quota(nominal=workloads * 1000, borrowing_limit=UNLIMITED),
        "cpu": Quota(nominal=workloads * 8000, borrowing_limit=UNLIMITED),
    }
    return ResourceGroup(
        resources=("gpu", "cpu"),
        flavors=tuple(FlavorQuotas(flavor=flavor, quotas=quotas) for flavor in FLAVORS),
    )


def _policy() -> Policy:
    names = [_queue(number) for number in range(QUEUES)]
    preemption = Preemption(
        within_queue=PreemptionRule.LOWER_PRIORITY, reclaim_within_cohort=PreemptionRule.ANY
    )
    return quota_policy(
        "native",
        flavors={flavor: Flavor(name=flavor) for flavor in FLAVORS},
        cohorts={"all": Cohort(name="all", groups=(_group(LENT * BORROWERS),))},
        queues={
            name: QueueSpec(
                name=name,
                parent="all",
                groups=(_group(OWN - LENT if number < BORROWERS else OWN),),
                preemption=preemption,
            )
            for number, name in enumerate(names)
        },
        routing=route_by(
            Rule(
                index=index,
                queue=name,
                selector=Selector((MatchExpression("team", Operator.IN, (name,)),)),
            )
            for index, name in enumerate(names)
        ),
        settings=QuotaSettings(undeclared=Undeclared.BLOCK),
    )
