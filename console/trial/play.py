"""
The real clock: plays a trace against a running product over HTTP, as submitters and an executor do.

One connection submits at the instants of the trace, one reads the decisions, and one tells the
product what has run for its stated time and what has stopped. A preempted workload stops at once
and starts again from nothing. Instants are those of this client: a workload waits from when it is
sent until its admission is read, and works until its end is told. Quota alone is held for as long
as the product says, which is what keeps others from it.
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

from console.bench.figures import Figures
from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.bench.workload_tracker import InvariantViolation, WorkloadTracker
from console.traffic.client import Client, Unavailable
from console.trial.manifests import body, manifests
from console.trial.quota_usage import QuotaUsageLog

#: Most workloads of one request.
_BATCH = 1000

#: Seconds that a look at the decisions waits for one, and between two that found none.
_WAIT, _PAUSE = 2, 0.01

#: Milliseconds after which an executor looks again at what is to end first.
_POLL = 10

#: Seconds without a decision after which a product that has work left is given up.
_STALL_SECONDS = 60

#: How often a request is sent until there is an answer.
_TRIES = 5

_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a play is, for whoever waits for it."""

    seconds: float
    done: int
    expected: int


def play(
    trace: ArrivalTrace,
    connect: Callable[[], Client],
    cpu_seconds: Callable[[], float],
    report: Callable[[Progress], None],
) -> Figures:
    """
    Play *trace* to its end against an organization without a config, and return its figures.

    Measured is everything from the first arrival until every end has been told. *cpu_seconds*
    says what the product's processes have worked so far. Raises InvariantViolation when the product
    decides what it must not, or nothing; Refused when it takes something for a mistake.
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
    return Figures(
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
    """One trace while it is played."""

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
        #: Three threads write in the tracker, and read what follows here.
        self._changed = Condition()
        self._is_over = False
        #: (instant, id, name, number of the run), the earliest first.
        self._running: list[tuple[int, str, str, int]] = []
        #: Ids of those that have stopped and have not been released.
        self._stopped: list[str] = []
        self._begun = 0.0

    def configure(self, text: str) -> None:
        """Give the organization its config."""
        # Asked again it would be a second config.
        self._submitter.apply("kueue", text)

    def run(self) -> None:
        """Submit and run until everything is done."""
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
        Find out how much quota was held in *seconds*, all of which there were.

        Raises InvariantViolation unless everything is done and the product comes to know it.
        """
        self.tracker.close()
        deadline = time.monotonic() + _STALL_SECONDS
        for state in ("admitted", "preempting", "pending"):
            while _retry(self._reader.has_any, state):
                if time.monotonic() > deadline:
                    raise InvariantViolation(f"All is done, and for the product some are {state}.")
                time.sleep(0.1)
        ends, releases = _retry(self._reader.ends), _retry(self._reader.releases)
        self.quota_use = self._usage_log.amount_seconds(ends, releases) / (
            self._total_quota * seconds
        )

    def _now(self) -> int:
        return int((time.monotonic() - self._begun) * 1000)

    def _submit(self) -> None:
        """Send every workload at its instant, those of one moment together."""
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
        """Read the decisions until every end has been told."""
        seq, latest = 0, time.monotonic()
        while self.tracker.done < self.tracker.expected or not others[1].done():
            for other in others:
                if other.done():
                    # What went wrong there ends this, too.
                    other.result()
            # Nobody is admitted any more once the rest runs: then its ends alone are waited for.
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
                    f"Nothing was decided for {_STALL_SECONDS} s; {left:,} are not done."
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
        """Note what was decided."""
        self.decisions += len(rows)
        for row in rows:
            uid, name, outcome = row["workload"]["id"], row["workload"]["name"], row["outcome"]
            if outcome == "admitted":
                until, run = self.tracker.admitted(name, row["queue"], now)
                heappush(self._running, (until, uid, name, run))
                self._usage_log.admitted(uid, self._cpu[name], row["created_at"])
            elif outcome == "preempted":
                self.preemptions += 1
                # One whose end was told in the meantime needs no release.
                if self.tracker.is_running(name):
                    self.tracker.stopped(name, now)
                    self._stopped.append(uid)
            else:
                raise InvariantViolation(f"{name} was {outcome} at {now} ms: {row['reason']}.")

    def _execute(self) -> None:
        """Tell who has stopped and who is done, as soon as it is so."""
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
        """Return the seconds until the next end that is known, which an earlier one may precede."""
        wait = self._running[0][0] - self._now() if self._running else _POLL
        return max(0, min(wait, _POLL)) / 1000

    def _finished(self, now: int) -> list[str]:
        """Note who is done by now, and return their ids."""
        done = []
        while self._running and self._running[0][0] <= now:
            _, uid, name, run = heappop(self._running)
            if self.tracker.is_running(name, run):
                self.tracker.finished(name, now)
                done.append(uid)
        return done


def _retry(request: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Send *request*, which may come twice, again when there is no answer."""
    for _ in range(_TRIES - 1):
        try:
            return request(*arguments, **named)
        except Unavailable:
            time.sleep(0.1)
    return request(*arguments, **named)


def due_by(now: int, arrivals: Iterable[Arrival]) -> list[Arrival]:
    """Return those at the head of *arrivals* that have come by *now*."""
    return list(takewhile(lambda arrival: arrival.at <= now, arrivals))


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH))
