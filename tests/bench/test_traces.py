"""The traces have the shape of Kueue's performance test."""

from __future__ import annotations

from collections import Counter

import pytest

from console.bench.kueue.traces import BASELINE, LARGE, TRACES, ArrivalTrace
from console.engine.disciplines.quota.spec import (
    FlavorQuotas,
    Preemption,
    PreemptionRule,
    QueueSpec,
    Quota,
    ResourceGroup,
    spec_of,
)
from console.engine.model.selectors import EVERYTHING
from console.engine.routing.router import Router
from tests.bench.small import BORROWING, PREEMPTING


@pytest.mark.parametrize(
    ("trace", "cohorts", "queues", "workloads", "cpu_seconds"),
    [(BASELINE, 5, 30, 15_000, 1_320), (LARGE, 10, 1_000, 50_000, 80.5)],
)
def test_the_two_traces(
    trace: ArrivalTrace, cohorts: int, queues: int, workloads: int, cpu_seconds: float
) -> None:
    arrivals = trace.arrivals()
    work = Counter()
    for each in arrivals:
        work[each.queue] += each.kind.cpu * each.kind.run_time
    assert TRACES[trace.name] is trace
    assert len(arrivals) == workloads
    assert len({each.workload.id for each in arrivals}) == workloads
    assert len(set(trace.queues().values())) == cohorts
    assert work == dict.fromkeys(trace.queues(), cpu_seconds * 1000)
    assert len(work) == queues


def test_the_last_arrivals_of_the_baseline() -> None:
    last: dict[str, int] = {}
    for each in BASELINE.arrivals():
        last[each.kind.name] = each.at
    assert last == {"small": 34_900, "medium": 49_500, "large": 58_800}


def test_queues_have_quota_borrowing_and_reclaim_of_the_design() -> None:
    policy = BASELINE.policy()
    quota = Quota(nominal=20_000, borrowing_limit=100_000)
    flavors = (FlavorQuotas(flavor="default", quotas={"cpu": quota}),)
    assert list(spec_of(policy).cohorts) == [f"cohort-{n}" for n in range(5)]
    assert policy.queues["queue-4-5"] == QueueSpec(
        name="queue-4-5",
        parent="cohort-4",
        groups=(ResourceGroup(resources=("cpu",), flavors=flavors),),
        preemption=Preemption(
            within_queue=PreemptionRule.LOWER_PRIORITY,
            reclaim_within_cohort=PreemptionRule.ANY,
        ),
        namespaces=EVERYTHING,
    )


def test_arrivals_come_in_order_at_multiples_of_their_interval() -> None:
    told = [
        (each.at, each.queue, each.workload.id, each.workload.sequence, each.workload.total())
        for each in PREEMPTING.arrivals()
    ]
    assert told == [
        (0, "queue-0-0", "queue-0-0-low-0", 1, {"cpu": 20_000}),
        (0, "queue-0-0", "queue-0-0-high-0", 2, {"cpu": 20_000}),
        (400, "queue-0-0", "queue-0-0-high-1", 3, {"cpu": 20_000}),
    ]


def test_workloads_are_routed_to_their_queue_with_their_priority() -> None:
    router = Router(BORROWING.policy())
    led = [router.route(each.workload) for each in BORROWING.arrivals()]
    assert [(route.queue, route.priority) for route in led] == (
        [("queue-0-0", 1)] * 3 + [("queue-0-1", 1)] * 3
    )
