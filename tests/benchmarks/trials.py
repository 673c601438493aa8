"""Kueue's two traces in real time, through a product on each database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from tests.benchmarks.measured import Measured
from tests.postgres import find_binaries, serving
from tests.product import ROOT

#: Bounds in seconds; Kueue takes 351 and 1,179.
SECONDS = {"baseline": 85, "large": 60}
#: Least use of the nominal quota by the baseline in percent; with Kueue it is 55.9 %.
LEAST_USE = 85


def run() -> Iterator[Measured]:
    """Run both traces on SQLite, and on PostgreSQL if available."""
    yield from _measured("SQLite", {})
    binaries = find_binaries()
    if binaries is not None:
        with serving(binaries, durable=True) as url:
            yield from _measured("PostgreSQL", {"DATABASE_URL": url})


def _measured(kind: str, database: dict[str, str]) -> Iterator[Measured]:
    for trace, seconds in SECONDS.items():
        told = _played(trace, database)
        name = f"{kind}: {trace} trace in real time"
        yield Measured(name=name, value=told["wall_seconds"], unit="s", at_most=seconds)
        for key, title in (("quota_use", "quota held"), ("work_use", "quota in use by work")):
            bound = LEAST_USE if (trace, key) == ("baseline", "quota_use") else None
            value = told[key] * 100
            yield Measured(name=f"{name}: {title}", value=value, unit="%", at_least=bound)
        for size, wait in told["admission_seconds"].items():
            title = f"{name}: mean time to admission, {size}"
            yield Measured(name=title, value=wait, unit="s")
        yield Measured(name=f"{name}: preemptions", value=told["preemptions"], unit="")
        yield Measured(name=f"{name}: work of the product", value=told["cpu_seconds"], unit="s")


def _played(trace: str, database: dict[str, str]) -> Any:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(
        [sys.executable, "manage.py", "bench_trace", "--trace", trace, "--clock", "real", "--json"],
        cwd=ROOT,
        env=environment | database,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)
