"""
The workload tracker: the state of all workloads of a trace, checked against invariants.

It is updated from decisions only and does not depend on an engine's algorithm. It raises an error
for decisions that no engine may make: to admit a workload that is not pending, or to exceed quota.
"""

from __future__ import annotations

from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.engine.model.amounts import SCALE


class InvariantViolation(Exception):
    """An engine made a decision that it must not make; the message names decision and time."""


class _Pool:
    """The usage and limit of a queue or a cohort, in thousandths."""

    __slots__ = ("limit", "name", "used")

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.limit = most
        self.used = 0


class _Entry:
    """One pending or running workload."""

    __slots__ = ("admitted_at", "amount", "kind", "pools", "running", "runs", "submitted_at")

    def __init__(self, arrival: Arrival, pools: tuple[_Pool, ...], now: int) -> None:
        self.kind = arrival.kind
        self.submitted_at = now
        #: The pools of its queue, which is first, and of its cohort.
        self.pools = pools
        self.amount = arrival.kind.cpu * SCALE
        #: Number of admissions; distinguishes the end of the current run from ends of stopped runs.
        self.runs = 0
        self.running = False
        #: Time of the latest admission.
        self.admitted_at = 0


class WorkloadTracker:
    """The states of all workloads of one trace; times are in milliseconds and never decrease."""

    def __init__(self, trace: ArrivalTrace) -> None:
        nominal = trace.nominal * SCALE
        total = nominal * trace.queues_per_cohort
        cohorts = {name: _Pool(name, total) for name in trace.queues().values()}
        most = min(total, nominal + trace.borrowing_limit * SCALE)
        self._pools = {
            queue: (_Pool(queue, most), cohorts[cohort]) for queue, cohort in trace.queues().items()
        }
        self._entries: dict[str, _Entry] = {}
        self._expected = len(trace.queues()) * sum(kind.count for kind in trace.sets)
        self._total = total * trace.cohorts
        self._wait_times = dict.fromkeys((kind.name for kind in trace.sets), 0)
        self._finished = dict.fromkeys((kind.name for kind in trace.sets), 0)
        #: Thousandths used, times milliseconds.
        self._usage_time = 0
        self._last_end = 0

    def submitted(self, arrival: Arrival, now: int) -> None:
        """Record the submission of a workload."""
        self._entries[arrival.workload.id] = _Entry(arrival, self._pools[arrival.queue], now)

    def admitted(self, workload: str, queue: str | None, now: int) -> tuple[int, int]:
        """
        Record an admission of *workload*; return when the run would end, and the run's number.

        Raise InvariantViolation if the workload is not pending, if *queue* is not its queue, or if
        its queue or cohort would exceed its limit.
        """
        entry = self._entries.get(workload)
        if entry is None or entry.running:
            raise InvariantViolation(f"{workload} was admitted at {now} ms and was not pending.")
        if queue != entry.pools[0].name:
            raise InvariantViolation(f"{workload} was admitted to {queue} at {now} ms.")
        for pool in entry.pools:
            pool.used += entry.amount
            if pool.used > pool.limit:
                raise InvariantViolation(
                    f"{pool.name} used {pool.used / SCALE:g} of {pool.limit / SCALE:g} "
                    f"when {workload} was admitted at {now} ms."
                )
        entry.running = True
        entry.runs += 1
        entry.admitted_at = now
        return now + entry.kind.run_time, entry.runs

    def is_running(self, workload: str, run: int | None = None) -> bool:
        """Return whether *workload*, or its run number *run*, is running."""
        entry = self._entries.get(workload)
        return entry is not None and entry.running and run in (None, entry.runs)

    def stopped(self, workload: str, now: int) -> None:
        """
        Record that a preempted workload has stopped; its progress is lost and it is pending again.

        Raise InvariantViolation if it was not running.
        """
        self._leave(workload, now)

    def finished(self, workload: str, now: int) -> None:
        """Record that a workload has finished; raise InvariantViolation if it was not running."""
        entry = self._leave(workload, now)
        del self._entries[workload]
        self._finished[entry.kind.name] += 1
        self._wait_times[entry.kind.name] += entry.admitted_at - entry.submitted_at
        self._last_end = now

    def close(self) -> None:
        """Raise InvariantViolation unless every workload of the trace has finished."""
        if self.done != self._expected:
            left = next(iter(self._entries), "one that was not submitted")
            raise InvariantViolation(
                f"{self.done} of {self._expected} workloads have finished; {left} has not."
            )

    @property
    def done(self) -> int:
        """The number of finished workloads."""
        return sum(self._finished.values())

    @property
    def expected(self) -> int:
        """The number of workloads of the trace."""
        return self._expected

    @property
    def makespan(self) -> int:
        """Milliseconds from the start of the trace to the latest finish."""
        return self._last_end

    @property
    def quota_use(self) -> float:
        """
        Quota used over the makespan, as a fraction of the nominal quota of all queues: 0 to 1.

        Preempted runs count, because they used quota.
        """
        return self.quota_use_of(self._last_end) if self._last_end else 0.0

    def quota_use_of(self, milliseconds: float) -> float:
        """Return the same fraction for a duration of *milliseconds* (more than 0)."""
        return self._usage_time / (self._total * milliseconds)

    def mean_admission_seconds(self) -> dict[str, float]:
        """
        Return the mean seconds from submission to admission, by the name of the workload set.

        The admission of the finished run counts, as in Kueue's test, in which each later
        admission replaces the time of the one before.
        """
        return {
            kind: self._wait_times[kind] / count / 1000 if count else 0.0
            for kind, count in self._finished.items()
        }

    def _leave(self, workload: str, now: int) -> _Entry:
        entry = self._entries.get(workload)
        if entry is None or not entry.running:
            raise InvariantViolation(f"{workload} ended at {now} ms and was not running.")
        entry.running = False
        for pool in entry.pools:
            pool.used -= entry.amount
        self._usage_time += entry.amount * (now - entry.admitted_at)
        return entry
