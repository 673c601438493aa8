"""
The virtual clock: plays a trace through the engine alone and jumps from event to event.

At each instant arrivals are submitted, then what ends is finished, then the engine
settles; who was told to stop has stopped at once, and it settles again until nothing
changes. A preempted workload starts again from nothing.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from heapq import heapify, heappop, heappush

from console.bench.book import Book, BrokenPromise
from console.bench.figures import Figures
from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.engine.model.decision import Outcome
from console.engine.state import State

#: Rounds of stopping and settling within one instant before a world counts as restless.
_ROUNDS = 10_000


def play(trace: ArrivalTrace) -> Figures:
    """
    Play *trace* to its end, and return what it cost and reached.

    Measured is everything from an empty state to the last end: the engine, the
    events and the checks; only the arrivals are made before. Raises
    BrokenPromise when the engine decides what it must not.
    """
    arrivals: dict[int, list[Arrival]] = {}
    for arrival in trace.arrivals():
        arrivals.setdefault(arrival.at, []).append(arrival)
    wall, cpu = time.perf_counter(), time.process_time()
    played = _Play(trace, arrivals)
    played.to_the_end()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    played.close()
    return Figures(
        trace=trace.name,
        workloads=played.book.done,
        wall_seconds=wall,
        cpu_seconds=cpu,
        quota_use=played.book.quota_use,
        admission_seconds=played.book.mean_admission_seconds(),
        decisions=played.decisions,
        preemptions=played.preemptions,
        makespan_seconds=played.book.makespan / 1000,
        digest=played.digest.hexdigest(),
    )


class _Play:
    """One trace while it is played: the state, the book, and what happens when."""

    def __init__(self, trace: ArrivalTrace, arrivals: dict[int, list[Arrival]]) -> None:
        self.book = Book(trace)
        self.decisions = 0
        self.preemptions = 0
        self.digest = blake2b(digest_size=16)
        self._state = State(trace.policy())
        #: By instant; taken out as they come, so that what is done is forgotten.
        self._arrivals = arrivals
        #: (workload, number of the run) by the instant of the run's end.
        self._ends: dict[int, list[tuple[str, int]]] = {}
        #: Instants at which something happens, each once.
        self._instants = list(self._arrivals)
        heapify(self._instants)

    def to_the_end(self) -> None:
        """Go from instant to instant until nothing is left to happen."""
        state, book = self._state, self.book
        while self._instants:
            now = heappop(self._instants)
            for arrival in self._arrivals.pop(now, ()):
                book.submitted(arrival, now)
                state.submit(arrival.workload)
            for workload, run in self._ends.pop(now, ()):
                # The end of a run that was stopped before is nobody's end.
                if book.is_running(workload, run):
                    book.finished(workload, now)
                    state.finish(workload)
            self._come_to_rest(now)

    def close(self) -> None:
        """Raise BrokenPromise unless everything is done and the engine knows it."""
        self.book.close()
        state = self._state
        held = {name: usage for name in state.queues if (usage := state.usage(name))}
        if held or state.pending or state.running:
            raise BrokenPromise(f"All is done, and the engine still counts: {held}.")

    def _come_to_rest(self, now: int) -> None:
        state, book = self._state, self.book
        for _ in range(_ROUNDS):
            stopping = self._settle(now)
            for workload in stopping:
                book.stopped(workload, now)
                state.release(workload)
            if state.is_settled:
                return
        raise BrokenPromise(f"The world does not come to rest at {now} ms: {stopping} stop again.")

    def _settle(self, now: int) -> list[str]:
        """Let the engine decide, and return who was told to stop."""
        stopping: list[str] = []
        told: list[str] = []
        for decision in self._state.settle():
            workload, outcome = decision.workload, decision.outcome
            told.append(
                f"{now} {workload} {outcome} {decision.reason} {decision.queue} "
                f"{decision.preemptor} {decision.victims}\n"
            )
            if outcome is Outcome.ADMITTED:
                end, run = self.book.admitted(workload, decision.queue, now)
                self._end(end, workload, run)
            elif outcome is Outcome.PREEMPTED:
                stopping.append(workload)
            elif outcome is not Outcome.PENDING:
                raise BrokenPromise(f"{workload} was {outcome} at {now} ms: {decision.reason}.")
        self.decisions += len(told)
        self.preemptions += len(stopping)
        self.digest.update("".join(told).encode())
        return stopping

    def _end(self, at: int, workload: str, run: int) -> None:
        ends = self._ends.get(at)
        if ends is None:
            ends = self._ends[at] = []
            if at not in self._arrivals:
                heappush(self._instants, at)
        ends.append((workload, run))
