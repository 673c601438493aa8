"""Run every benchmark and print a line each; exit status 1 when one misses its bound."""

from __future__ import annotations

import sys

from tests.benchmarks import (
    changing,
    checking,
    cohorts,
    comparing,
    dashboards,
    deciding,
    editing,
    explaining,
    impact,
    over_time,
    pages,
    storing,
    throughput,
    traces,
    worlds,
)
from tests.benchmarks.measured import Measured


def main() -> int:
    """Measure, print, and say whether every bound was met."""
    measured: list[Measured] = []
    for benchmark in (
        checking,
        comparing,
        editing,
        deciding,
        traces,
        storing,
        explaining,
        changing,
        throughput,
        impact,
        pages,
        cohorts,
        over_time,
        dashboards,
        worlds,
    ):
        for each in benchmark.run():
            measured.append(each)
            sys.stdout.write(f"{each}\n")
            sys.stdout.flush()
    missed = [each for each in measured if not each.ok]
    sys.stdout.write(f"{len(measured) - len(missed)} met, {len(missed)} missed\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
