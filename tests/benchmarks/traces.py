"""The two traces of Kueue's performance test through the engine alone, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator

from console.bench.kueue.traces import BASELINE, LARGE, ArrivalTrace
from console.bench.replay_result import ReplayResult
from console.bench.virtual import play
from console.garbage_collection import collect_rarely
from tests.benchmarks.measured import Measured
from tests.benchmarks.pace import Pace

#: Number of runs of one trace: at least two, and more while the machine is slow.
MOST = 8


def run() -> Iterator[Measured]:
    """Run each trace a few times; the fastest run counts, and all have to decide the same."""
    # The workers do the same.
    collect_rarely()
    for trace, seconds in ((BASELINE, 2), (LARGE, 10)):
        plays = list(_plays(trace))
        assert len({each.digest for each in plays}) == 1, trace.name
        first = plays[0]
        name = f"engine: {trace.name} trace, {first.workloads:,} workloads"
        took = min(each.cpu_seconds for each in plays)
        yield Measured(name=name, value=took, unit="s", at_most=seconds)
        use = first.quota_use * 100
        yield Measured(name=f"engine: {trace.name} trace, use", value=use, unit="%", at_least=95)
        name = f"engine: {trace.name} trace, decisions"
        yield Measured(name=name, value=first.decisions / took, unit="per s")


def _plays(trace: ArrivalTrace) -> Iterator[ReplayResult]:
    pace, undisturbed = Pace(), 0
    for _ in range(MOST):
        is_usual = pace.is_usual
        yield play(trace)
        undisturbed += is_usual and pace.is_usual
        if undisturbed >= 2:
            return
