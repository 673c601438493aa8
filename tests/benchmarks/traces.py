"""The two traces through the engine alone, in virtual time."""

from __future__ import annotations

from collections.abc import Iterator

from console.bench.traces import BASELINE, LARGE
from console.bench.virtual import play
from tests.benchmarks.measured import Measured


def run() -> Iterator[Measured]:
    """Play each trace twice: the quicker one counts, and both decide the same."""
    for trace, seconds in ((BASELINE, 2), (LARGE, 10)):
        first, second = play(trace), play(trace)
        assert first.digest == second.digest, trace.name
        name = f"engine: {trace.name} trace, {first.workloads:,} workloads"
        took = min(first.cpu_seconds, second.cpu_seconds)
        yield Measured(name=name, value=took, unit="s", at_most=seconds)
        use = first.quota_use * 100
        yield Measured(name=f"engine: {trace.name} trace, use", value=use, unit="%", at_least=95)
        name = f"engine: {trace.name} trace, decisions"
        yield Measured(name=name, value=first.decisions / took, unit="per s")
