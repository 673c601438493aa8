"""Small traces that can be replayed by hand."""

from __future__ import annotations

from console.bench.kueue.traces import ArrivalTrace, WorkloadSet

#: Instant 0: high-0 starts, low-0 waits. 300: low-0 starts. 400: high-1 arrives and preempts it.
#: 700: low-0 starts again from the beginning and ends at 1,700.
PREEMPTING = ArrivalTrace(
    name="preempting",
    cohorts=1,
    queues_per_cohort=1,
    sets=(
        WorkloadSet(name="low", count=1, interval=0, cpu=20, run_time=1_000, priority=50),
        WorkloadSet(name="high", count=2, interval=400, cpu=20, run_time=300, priority=200),
    ),
)

#: Two queues with a nominal quota of 3 each run three workloads of 2 at a time: one queue borrows
#: 1.
BORROWING = ArrivalTrace(
    name="borrowing",
    cohorts=1,
    queues_per_cohort=2,
    nominal=3,
    borrowing_limit=1,
    sets=(WorkloadSet(name="even", count=3, interval=0, cpu=2, run_time=100, priority=1),),
)

#: Enough workloads for overtaking, waiting and preemption.
CROWDED = ArrivalTrace(
    name="crowded",
    cohorts=3,
    queues_per_cohort=1,
    sets=(
        WorkloadSet(name="small", count=40, interval=10, cpu=1, run_time=45, priority=50),
        WorkloadSet(name="medium", count=9, interval=37, cpu=5, run_time=60, priority=100),
        WorkloadSet(name="large", count=4, interval=90, cpu=20, run_time=80, priority=200),
    ),
)
