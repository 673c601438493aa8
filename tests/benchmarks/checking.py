"""Checking a config of 2,000 lines, as the editor does with every pause in typing."""

from __future__ import annotations

import time
from collections.abc import Iterator

from console.dialects import dialects
from tests.benchmarks.configs import large_config
from tests.benchmarks.measured import Measured
from tests.dialects.kueue.dump import dump


def run() -> Iterator[Measured]:
    """Measure one check in every language, the median of nine."""
    yield _check("native", large_config(2_000))
    yield _check("kueue", dump(every=2))


def _check(dialect: str, text: str) -> Measured:
    read = dialects()[dialect].read
    times = []
    for _ in range(9):
        start = time.perf_counter()
        reading = read(text, {})
        times.append(time.perf_counter() - start)
        assert reading.policy is not None, reading.errors[:3]
    lines = text.count("\n")
    assert lines >= 2_000, lines
    median = sorted(times)[len(times) // 2] * 1000
    name = f"check a {dialect} config of {lines:,} lines"
    return Measured(name=name, value=median, unit="ms", at_most=100)
