"""
Run benchmarks and print a line per number; exit status 1 when a number misses its bound.

python -m tests.benchmarks                  what `make bench` runs: all that take up to minutes
python -m tests.benchmarks dashboards ...   the named benchmarks
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.benchmarks import (
    changing,
    checking,
    cohorts,
    comparing,
    contended,
    dashboards,
    deciding,
    editing,
    explaining,
    fairshares,
    grown,
    hierarchies,
    hostile,
    impact,
    organizations,
    over_time,
    pages,
    placing,
    started_pods,
    storing,
    sustained,
    throughput,
    traces,
    trials,
    worlds,
)
from tests.benchmarks.measured import Measured

#: The benchmarks of `make bench`, short ones first.
USUAL = (
    checking,
    comparing,
    editing,
    deciding,
    traces,
    placing,
    fairshares,
    hierarchies,
    storing,
    explaining,
    changing,
    throughput,
    started_pods,
    impact,
    pages,
    contended,
    cohorts,
    over_time,
    dashboards,
    worlds,
)
#: Benchmarks of many minutes, which run only when named.
LONG = (grown, hostile, organizations, sustained, trials)


def main(names: Sequence[str]) -> int:
    """Run the benchmarks, print their numbers, and return whether every bound was met."""
    known = {each.__name__.rpartition(".")[2]: each for each in (*USUAL, *LONG)}
    if unknown := set(names) - known.keys():
        sys.stderr.write(f"There is no {min(unknown)}; there are: {', '.join(sorted(known))}.\n")
        return 2
    measured: list[Measured] = []
    for benchmark in [known[name] for name in names] or USUAL:
        for each in benchmark.run():
            measured.append(each)
            sys.stdout.write(f"{each}\n")
            sys.stdout.flush()
    missed = [each for each in measured if not each.ok]
    sys.stdout.write(f"{len(measured) - len(missed)} met, {len(missed)} missed\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
