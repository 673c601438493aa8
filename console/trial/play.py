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

from console.bench.book import Book, BrokenPromise
from console.bench.figures import Figures
from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.traffic.client import Away, Client
from console.trial.held import HeldQuota
from console.trial.manifests import body, manifests

#: Most workloads of one request.
_BATCH = 1000

#: Seconds that a look at the decisions waits for one, and between two that found none.
_WAIT, _PAUSE = 2, 0.01

#: Milliseconds after which an executor looks again at what is to end first.
_LOOK = 10

#: Seconds without a decision after which a product that has work left is given up.
_PATIENCE = 60

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
    tell: Callable[[Progress], None],
) -> Figures:
    """
    Play *trace* to its end against an organization without a config, and return its figures.

    Measured is everything from the first arrival until every end has been told. *cpu_seconds*
    says what the product's processes have worked so far. Raises BrokenPromise when the product
    decides what it must not, or nothing; Refused when it takes something for a mistake.
    """
    with ExitStack() as connections:
        lines = [connect() for _ in range(3)]
        for line in lines:
            connections.callback(line.close)
        played = _Play(trace, lines, tell)
        played.configure(manifests(trace))
        wall, cpu = time.perf_counter(), cpu_seconds()
        played.to_the_end()
        wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
        played.close(wall)
    return Figures(
        trace=trace.name,
        workloads=played.book.done,
        wall_seconds=wall,
        cpu_seconds=cpu,
        quota_use=played.quota_use,
        work_use=played.book.quota_use_of(wall * 1000),
        admission_seconds=played.book.mean_admission_seconds(),
        decisions=played.decisions,
        preemptions=played.preemptions,
        makespan_seconds=played.book.makespan / 1000,
    )


class _Play:
    """One trace while it is played."""

    def __init__(
        self, trace: ArrivalTrace, lines: Sequence[Client], tell: Callable[[Progress], None]
    ) -> None:
        self.book = Book(trace)
        self.decisions = 0
        self.preemptions = 0
        self.quota_use = 0.0
        self._held = HeldQuota()
        self._arrivals = trace.arrivals()
        self._cpu = {each.workload.id: each.kind.cpu for each in self._arrivals}
        self._owned = trace.nominal * len(trace.queues())
        self._submitter, self._reader, self._executor = lines
        self._tell = tell
        #: Three threads write in the book, and read what follows here.
        self._news = Condition()
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

    def to_the_end(self) -> None:
        """Submit and run until everything is done."""
        self._begun = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            others = [pool.submit(self._submit), pool.submit(self._execute)]
            try:
                self._read(others)
            finally:
                with self._news:
                    self._is_over = True
                    self._news.notify_all()
        for other in others:
            other.result()

    def close(self, seconds: float) -> None:
        """
        Find out how much quota was held in *seconds*, all of which there were.

        Raises BrokenPromise unless everything is done and the product comes to know it.
        """
        self.book.close()
        deadline = time.monotonic() + _PATIENCE
        for state in ("admitted", "preempting", "pending"):
            while _until_answered(self._reader.has_any, state):
                if time.monotonic() > deadline:
                    raise BrokenPromise(f"All is done, and for the product some are {state}.")
                time.sleep(0.1)
        ends, releases = _until_answered(self._reader.ends), _until_answered(self._reader.releases)
        self.quota_use = self._held.amount_seconds(ends, releases) / (self._owned * seconds)

    def _now(self) -> int:
        return int((time.monotonic() - self._begun) * 1000)

    def _submit(self) -> None:
        """Send every workload at its instant, those of one moment together."""
        rest, number = 0, 0
        while rest < len(self._arrivals):
            with self._news:
                self._news.wait_for(
                    lambda: self._is_over, max(self._arrivals[rest].at - self._now(), 0) / 1000
                )
                if self._is_over:
                    return
                now = self._now()
                due = due_by(now, islice(self._arrivals, rest, rest + _BATCH))
                for arrival in due:
                    self.book.submitted(arrival, now)
            if due:
                bodies = [body(arrival) for arrival in due]
                _until_answered(self._submitter.submit, bodies, f"trace-{number}")
            rest, number = rest + len(due), number + 1

    def _read(self, others: Sequence[Future[None]]) -> None:
        """Read the decisions until every end has been told."""
        seq, latest = 0, time.monotonic()
        while self.book.done < self.book.expected or not others[1].done():
            for other in others:
                if other.done():
                    # What went wrong there ends this, too.
                    other.result()
            # Nobody is admitted any more once the rest runs: then its ends alone are waited for.
            left = self.book.expected - self.book.done
            seconds = 0 if left == len(self._running) else _WAIT
            rows, seq = _until_answered(self._reader.orders, seq, seconds)
            now = time.monotonic()
            if rows:
                latest = now
                with self._news:
                    self._take(rows, self._now())
                    self._news.notify_all()
            elif now - latest > _PATIENCE:
                raise BrokenPromise(
                    f"Nothing was decided for {_PATIENCE} s; {left:,} are not done."
                )
            else:
                time.sleep(_PAUSE)
            self._tell(
                Progress(
                    seconds=now - self._begun, done=self.book.done, expected=self.book.expected
                )
            )

    def _take(self, rows: Sequence[dict[str, Any]], now: int) -> None:
        """Note what was decided."""
        self.decisions += len(rows)
        for row in rows:
            uid, name, outcome = row["workload"]["id"], row["workload"]["name"], row["outcome"]
            if outcome == "admitted":
                until, run = self.book.admitted(name, row["queue"], now)
                heappush(self._running, (until, uid, name, run))
                self._held.admitted(uid, self._cpu[name], row["created_at"])
            elif outcome == "preempted":
                self.preemptions += 1
                # One whose end was told in the meantime needs no release.
                if self.book.is_running(name):
                    self.book.stopped(name, now)
                    self._stopped.append(uid)
            else:
                raise BrokenPromise(f"{name} was {outcome} at {now} ms: {row['reason']}.")

    def _execute(self) -> None:
        """Tell who has stopped and who is done, as soon as it is so."""
        while self.book.done < self.book.expected:
            with self._news:
                self._news.wait_for(lambda: self._is_over or self._stopped, self._until_next())
                if self._is_over:
                    return
                stopped, self._stopped = self._stopped, []
                done = self._finished(self._now())
            for ids in _batches(stopped):
                _until_answered(self._executor.release, ids)
            for ids in _batches(done):
                _until_answered(self._executor.finish, ids)

    def _until_next(self) -> float:
        """Return the seconds until the next end that is known, which an earlier one may precede."""
        wait = self._running[0][0] - self._now() if self._running else _LOOK
        return max(0, min(wait, _LOOK)) / 1000

    def _finished(self, now: int) -> list[str]:
        """Note who is done by now, and return their ids."""
        done = []
        while self._running and self._running[0][0] <= now:
            _, uid, name, run = heappop(self._running)
            if self.book.is_running(name, run):
                self.book.finished(name, now)
                done.append(uid)
        return done


def _until_answered(request: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Send *request*, which may come twice, again when there is no answer."""
    for _ in range(_TRIES - 1):
        try:
            return request(*arguments, **named)
        except Away:
            time.sleep(0.1)
    return request(*arguments, **named)


def due_by(now: int, arrivals: Iterable[Arrival]) -> list[Arrival]:
    """Return those at the head of *arrivals* that have come by *now*."""
    return list(takewhile(lambda arrival: arrival.at <= now, arrivals))


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + _BATCH] for first in range(0, len(ids), _BATCH))
