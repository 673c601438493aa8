"""
Replay of a trace in virtual time, with the engine only: time jumps from event to event.

At each time, arrivals are submitted, ended workloads are finished, and the engine settles.
Preempted workloads stop at once, and the engine settles again until nothing changes. A preempted
workload starts again from the beginning.
"""

from __future__ import annotations

import time
from hashlib import blake2b
from heapq import heapify, heappop, heappush

from console.bench.kueue.traces import Arrival, ArrivalTrace
from console.bench.replay_result import ReplayResult
from console.bench.workload_tracker import InvariantViolation, WorkloadTracker
from console.engine.model.decision import Outcome
from console.engine.state import State

#: The most rounds of stopping and settling at one time before the replay fails as unstable.
_MAX_ROUNDS = 10_000


def play(trace: ArrivalTrace) -> ReplayResult:
    """
    Replay *trace* to its end, and return the measurements.

    They include everything from an empty state to the last finish: the engine, the events and the
    checks; only the arrivals are created before. Raise InvariantViolation for a decision that the
    engine must not make.
    """
    arrivals: dict[int, list[Arrival]] = {}
    for arrival in trace.arrivals():
        arrivals.setdefault(arrival.at, []).append(arrival)
    wall, cpu = time.perf_counter(), time.process_time()
    played = _Playback(trace, arrivals)
    played.run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    played.close()
    return ReplayResult(
        trace=trace.name,
        workloads=played.tracker.done,
        wall_seconds=wall,
        cpu_seconds=cpu,
        quota_use=played.tracker.quota_use,
        admission_seconds=played.tracker.mean_admission_seconds(),
        decisions=played.decisions,
        preemptions=played.preemptions,
        makespan_seconds=played.tracker.makespan / 1000,
        digest=played.digest.hexdigest(),
    )


class _Playback:
    """One replay of a trace: the engine state, the tracker and the events by time."""

    def __init__(self, trace: ArrivalTrace, arrivals: dict[int, list[Arrival]]) -> None:
        self.tracker = WorkloadTracker(trace)
        self.decisions = 0
        self.preemptions = 0
        self.digest = blake2b(digest_size=16)
        self._state = State(trace.policy())
        #: By time; removed as they are submitted, to free their memory.
        self._arrivals = arrivals
        #: (workload, number of the run) by the time of the run's end.
        self._ends: dict[int, list[tuple[str, int]]] = {}
        #: Times of events, each once, as a heap.
        self._instants = list(self._arrivals)
        heapify(self._instants)

    def run(self) -> None:
        """Process the events in order of time until none is left."""
        state, tracker = self._state, self.tracker
        while self._instants:
            now = heappop(self._instants)
            for arrival in self._arrivals.pop(now, ()):
                tracker.submitted(arrival, now)
                state.submit(arrival.workload)
            for workload, run in self._ends.pop(now, ()):
                # The end of a run that was preempted is void.
                if tracker.is_running(workload, run):
                    tracker.finished(workload, now)
                    state.finish(workload)
            self._settle_until_stable(now)

    def close(self) -> None:
        """Raise InvariantViolation unless all workloads have finished and the engine is empty."""
        self.tracker.close()
        state = self._state
        held = {name: usage for name in state.queues if (usage := state.usage(name))}
        if held or state.pending or state.running:
            raise InvariantViolation(
                f"All workloads have finished, but the engine still counts usage: {held}."
            )

    def _settle_until_stable(self, now: int) -> None:
        state, tracker = self._state, self.tracker
        for _ in range(_MAX_ROUNDS):
            stopping = self._settle(now)
            for workload in stopping:
                tracker.stopped(workload, now)
                state.release(workload)
            if state.is_settled:
                return
        raise InvariantViolation(
            f"The engine does not settle at {now} ms: it preempts {stopping} again."
        )

    def _settle(self, now: int) -> list[str]:
        """Let the engine decide, and return the workloads that it preempted."""
        stopping: list[str] = []
        lines: list[str] = []
        for decision in self._state.settle():
            workload, outcome = decision.workload, decision.outcome
            lines.append(
                f"{now} {workload} {outcome} {decision.reason} {decision.queue} "
                f"{decision.preemptor} {decision.victims}\n"
            )
            if outcome is Outcome.ADMITTED:
                end, run = self.tracker.admitted(workload, decision.queue, now)
                self._schedule_end(end, workload, run)
            elif outcome is Outcome.PREEMPTED:
                stopping.append(workload)
            elif outcome is not Outcome.PENDING:
                raise InvariantViolation(
                    f"{workload} was {outcome} at {now} ms: {decision.reason}."
                )
        self.decisions += len(lines)
        self.preemptions += len(stopping)
        self.digest.update("".join(lines).encode())
        return stopping

    def _schedule_end(self, at: int, workload: str, run: int) -> None:
        ends = self._ends.get(at)
        if ends is None:
            ends = self._ends[at] = []
            if at not in self._arrivals:
                heappush(self._instants, at)
        ends.append((workload, run))
