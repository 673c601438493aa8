"""
Replay of a trace in real time over HTTP, in the roles of submitters and executor.

One connection submits at the times of the trace, one reads the decisions, and one reports
workloads that have finished or stopped. A preempted workload stops at once and starts again from
the beginning. Times are those of this client: a workload waits from its submission until its
admission is read, and runs until its end is reported. Only quota usage has the times of the
product, because other workloads have to wait for as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice, takewhile
from threading import Condition
from typing import Any, ParamSpec, TypeVar

from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.bench.replay_result import ReplayResult
from console.bench.workload_tracker import InvariantViolation, WorkloadTracker
from console.traffic.client import Client, Unavailable
from console.trial.manifests import body, manifests
from console.trial.quota_usage import QuotaUsageLog

#: The most workloads in one request.
_BATCH = 1000

#: Seconds for which a request for decisions waits for one, and between two requests without any.
_WAIT, _PAUSE = 2, 0.01

#: The longest wait of the executor in milliseconds, after which it checks for the next end again.
_POLL = 10

#: Seconds without a decision after which the replay fails, if workloads are left.
_STALL_SECONDS = 60

#: The most attempts of a request without an answer.
_TRIES = 5

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a replay: finished and expected workloads."""

    seconds: float
    done: int
    expected: int


def play(
    trace: ArrivalTrace,
    connect: Callable[[], Client],
    cpu_seconds: Callable[[], float],
    report: Callable[[Progress], None],
) -> ReplayResult:
    """
    Replay *trace* to its end in an organization without a config, and return the measurements.

    They cover the time from the first arrival until every end has been reported. *cpu_seconds*
    returns the processor time of the product's processes so far. Raise InvariantViolation for a
    decision that the product must not make, or for missing decisions; Refused for a request that
    the API rejects.
    """
    with ExitStack() as connections:
        clients = [connect() for _ in range(3)]
        for client in clients:
            connections.callback(client.close)
        played = _Playback(trace, clients, report)
        played.configure(manifests(trace))
        wall, cpu = time.perf_counter(), cpu_seconds()
        played.run()
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        played.close(wall)
    return ReplayResult(
        trace=trace.name,
        workloads=played.tracker.done,
        wall_seconds=wall,
        cpu_seconds=cpu,
        quota_use=played.quota_use,
        work_use=played.tracker.quota_use_of(wall * 1000),
        admission_seconds=played.tracker.mean_admission_seconds(),
        decisions=played.decisions,
        preemptions=played.preemptions,
        makespan_seconds=played.tracker.makespan / 1000,
    )


class _Playback:
    """One replay of a trace."""

    def __init__(
        self, trace: ArrivalTrace, clients: Sequence[Client], report: Callable[[Progress], None]
    ) -> None:
        self.tracker = WorkloadTracker(trace)
        self.decisions = 0
        self.preemptions = 0
        self.quota_use = 0.0
        self._usage_log = QuotaUsageLog()
        self._arrivals = trace.arrivals()
        self._cpu = {each.workload.id: each.kind.cpu for each in self._arrivals}
        self._total_quota = trace.nominal * len(trace.queues())
        self._submitter, self._reader, self._executor = clients
        self._report = report
        #: Three threads share the tracker and the following attributes; this guards both.
        self._changed = Condition()
        self._is_over = False
        #: (time of the end, id, name, number of the run), as a heap.
        self._running: list[tuple[int, str, str, int]] = []
        #: Ids of preempted workloads that are not reported as released.
        self._stopped: list[str] = []
        self._begun = 0.0

    def configure(self, text: str) -> None:
        """Apply the config of the organization."""
        # Not retried: a second attempt would apply a second config.
        self._submitter.apply("kueue", text)

    def run(self) -> None:
        """Submit, read and execute in three threads until all workloads have finished."""
        self._begun = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            others = [pool.submit(self._submit), pool.submit(self._execute)]
            try:
                self._read_decisions(others)
            finally:
                with self._changed:
                    self._is_over = True
                    self._changed.notify_all()
        for other in others:
            other.result()

    def close(self, seconds: float) -> None:
        """
        Compute the quota use over *seconds*, the duration of the replay.

        Raise InvariantViolation unless all workloads have finished and the product agrees.
        """
        self.tracker.close()
        deadline = time.monotonic() + _STALL_SECONDS
        for state in ("admitted", "preempting", "pending"):
            while _retry(self._reader.has_any, state):
                if time.monotonic() > deadline:
                    raise InvariantViolation(
                        f"All workloads have finished, but the product has some in state {state}."
                    )
                time.sleep(0.1)
        ends, releases = _retry(self._reader.ends), _retry(self._reader.releases)
        self.quota_use = self._usage_log.amount_seconds(ends, releases) / (
            self._total_quota * seconds
        )

    def _now(self) -> int:
        return int((time.monotonic() - self._begun) * 1000)

    def _submit(self) -> None:
        """Submit every workload at its time, in batches of those that are due."""
        rest, number = 0, 0
        while rest < len(self._arrivals):
            with self._changed:
                self._changed.wait_for(
                    lambda: self._is_over, max(self._arrivals[rest].at - self._now(), 0) / 1000
                )
                if self._is_over:
                    return
                now = self._now()
                due = due_by(now, islice(self._arrivals, rest, rest + _BATCH))
                for arrival in due:
                    self.tracker.submitted(arrival, now)
            if due:
                bodies = [body(arrival) for arrival in due]
                _retry(self._submitter.submit, bodies, f"trace-{number}")
            rest, number = rest + len(due), number + 1

    def _read_decisions(self, others: Sequence[Future[None]]) -> None:
        """Read decisions until every end has been reported."""
        seq, latest = 0, time.monotonic()
        while self.tracker.done < self.tracker.expected or not others[1].done():
            for other in others:
                if other.done():
                    # An error of the other thread ends this one, too.
                    other.result()
            # When all remaining workloads run, no admission follows: do not wait for decisions.
            left = self.tracker.expected - self.tracker.done
            seconds = 0 if left == len(self._running) else _WAIT
            rows, seq = _retry(self._reader.executor_decisions, seq, seconds)
            now = time.monotonic()
            if rows:
                latest = now
                with self._changed:
                    self._record(rows, self._now())
                    self._changed.notify_all()
            elif now - latest > _STALL_SECONDS:
                raise InvariantViolation(
                    f"No decision for {_STALL_SECONDS} s; {left:,} workloads have not finished."
                )
            else:
                time.sleep(_PAUSE)
            self._report(
                Progress(
                    seconds=now - self._begun,
                    done=self.tracker.done,
                    expected=self.tracker.expected,
                )
            )

    def _record(self, rows: Sequence[dict[str, Any]], now: int) -> None:
        """Record the decisions *rows*."""
        self.decisions += len(rows)
        for row in rows:
            uid, name, outcome = row["workload"]["id"], row["workload"]["name"], row["outcome"]
            if outcome == "admitted":
                until, run = self.tracker.admitted(name, row["queue"], now)
                heappush(self._running, (until, uid, name, run))
                self._usage_log.admitted(uid, self._cpu[name], row["created_at"])
            elif outcome == "preempted":
                self.preemptions += 1
                # A workload whose end was reported in the meantime needs no release.
                if self.tracker.is_running(name):
                    self.tracker.stopped(name, now)
                    self._stopped.append(uid)
            else:
                raise InvariantViolation(f"{name} was {outcome} at {now} ms: {row['reason']}.")

    def _execute(self) -> None:
        """Report stopped and finished workloads as soon as they are due."""
        while self.tracker.done < self.tracker.expected:
            with self._changed:
                self._changed.wait_for(lambda: self._is_over or self._stopped, self._until_next())
                if self._is_over:
                    return
                stopped, self._stopped = self._stopped, []
                done = self._finished(self._now())
            for ids in _batches(stopped):
                _retry(self._executor.release, ids)
            for ids in _batches(done):
                _retry(self._executor.finish, ids)

    def _until_next(self) -> float:
        """Return the seconds until the next known end, at most `_POLL`: an earlier one may come."""
        wait = self._running[0][0] - self._now() if self._running else _POLL
        return max(0, min(wait, _POLL)) / 1000

    def _finished(self, now: int) -> list[str]:
        """Record the workloads that have finished by *now*, and return their ids."""
        done = []
        while self._running and self._running[0][0] <= now:
            _, uid, name, run = heappop(self._running)
            if self.tracker.is_running(name, run):
                self.tracker.finished(name, now)
                done.append(uid)
        return done


def _retry(request: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Send *request*, which has to be idempotent, until there is an answer."""
    for _ in range(_TRIES - 1):
        try:
            return request(*arguments, **named)
        except Unavailable:
            time.sleep(0.1)
    return request(*arguments, **named)


def due_by(now: int, arrivals: Iterable[Arrival]) -> list[Arrival]:
    """Return the first *arrivals*, up to those at time *now*."""
    return list(takewhile(lambda arrival: arrival.at <= now, arrivals))


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH))
