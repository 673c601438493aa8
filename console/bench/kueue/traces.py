"""
Two arrival traces: queues that share quota, and workloads that arrive at fixed times.

They have the shape of Kueue's own scheduler performance test (Kueue, spec 10.1), so that the
results are comparable with those that Kueue publishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
from console.engine.model.amounts import SCALE
from console.engine.model.policy import Policy
from console.engine.model.selectors import EVERYTHING
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting

FLAVOR, RESOURCE = "default", "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSet:
    """Equal workloads that arrive in every queue at a fixed interval."""

    #: Small, medium or large: the key of the results.
    name: str
    count: int
    #: Milliseconds from one arrival to the next; the first is at time 0.
    interval: int
    #: Units of the one resource.
    cpu: int
    #: Milliseconds from an admission to the finish, unless it is preempted before.
    run_time: int
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One workload of a trace, and the time of its submission."""

    #: Milliseconds since the start of the trace.
    at: int
    queue: str
    kind: WorkloadSet
    workload: Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalTrace:
    """
    Cohorts of equal queues, and the sets of workloads that arrive in each queue.

    Every queue owns *nominal* and may borrow *borrowing_limit* units of one resource on one
    flavor, reclaims quota from workloads of any priority, and preempts lower priorities of its
    own (Kueue, spec 10.1).
    """

    name: str
    cohorts: int
    queues_per_cohort: int
    nominal: int = 20
    borrowing_limit: int = 100
    sets: tuple[WorkloadSet, ...]

    def queues(self) -> dict[str, str]:
        """Return the cohort of every queue, by the name of the queue."""
        return {
            f"queue-{cohort}-{queue}": f"cohort-{cohort}"
            for cohort in range(self.cohorts)
            for queue in range(self.queues_per_cohort)
        }

    def policy(self) -> Policy:
        """Return the policy of the queues; each queue has a namespace of its own."""
        names = self.queues()
        quota = Quota(nominal=self.nominal * SCALE, borrowing_limit=self.borrowing_limit * SCALE)
        group = ResourceGroup(
            resources=(RESOURCE,),
            flavors=(FlavorQuotas(flavor=FLAVOR, quotas={RESOURCE: quota}),),
        )
        preemption = Preemption(
            within_queue=PreemptionRule.LOWER_PRIORITY, reclaim_within_cohort=PreemptionRule.ANY
        )
        return quota_policy(
            "kueue",
            flavors={FLAVOR: Flavor(name=FLAVOR)},
            cohorts={name: Cohort(name=name) for name in names.values()},
            queues={
                name: QueueSpec(
                    name=name,
                    parent=cohort,
                    groups=(group,),
                    preemption=preemption,
                    namespaces=EVERYTHING,
                )
                for name, cohort in names.items()
            },
            routing=LocalQueueRouting(
                local_queues={
                    (name, name): LocalQueue(namespace=name, name=name, queue=name)
                    for name in names
                }
            ),
            settings=QuotaSettings(undeclared=Undeclared.BLOCK),
        )

    def arrivals(self) -> list[Arrival]:
        """
        Return every arrival, the earliest first.

        Arrivals of the same time are sorted by the numbers in the queue names, and within a queue
        by the order of the sets.
        """
        label = LocalQueueRouting().queue_label
        expected = sorted(self._expected(label), key=lambda each: each[0])
        return [
            Arrival(
                at=at,
                queue=queue,
                kind=kind,
                workload=Workload(
                    id=f"{queue}-{kind.name}-{number}",
                    sequence=sequence,
                    labels=labels,
                    namespace=queue,
                    priority=kind.priority,
                    pod_sets=(PodSet(requests={RESOURCE: kind.cpu * SCALE}),),
                ),
            )
            for sequence, (at, queue, kind, number, labels) in enumerate(expected, 1)
        ]

    def _expected(
        self, label: str
    ) -> Iterator[tuple[int, str, WorkloadSet, int, Mapping[str, str]]]:
        for queue in self.queues():
            labels = {label: queue}
            for kind in self.sets:
                for number in range(kind.count):
                    yield number * kind.interval, queue, kind, number, labels


BASELINE = ArrivalTrace(
    name="baseline",
    cohorts=5,
    queues_per_cohort=6,
    sets=(
        WorkloadSet(name="small", count=350, interval=100, cpu=1, run_time=200, priority=50),
        WorkloadSet(name="medium", count=100, interval=500, cpu=5, run_time=500, priority=100),
        WorkloadSet(name="large", count=50, interval=1_200, cpu=20, run_time=1_000, priority=200),
    ),
)

LARGE = ArrivalTrace(
    name="large",
    cohorts=10,
    queues_per_cohort=100,
    sets=(
        WorkloadSet(name="small", count=35, interval=60, cpu=1, run_time=150, priority=50),
        WorkloadSet(name="medium", count=11, interval=300, cpu=5, run_time=350, priority=100),
        WorkloadSet(name="large", count=4, interval=700, cpu=20, run_time=700, priority=200),
    ),
)

TRACES: Mapping[str, ArrivalTrace] = {trace.name: trace for trace in (BASELINE, LARGE)}
