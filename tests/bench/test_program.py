"""The benchmark program behind `make bench` starts, and knows each of its benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_benchmark_is_known_and_unknown_names_are_refused() -> None:
    names = sorted(
        path.stem
        for path in (ROOT / "tests" / "benchmarks").glob("*.py")
        if "def run()" in path.read_text()
    )
    answer = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks", "unknown"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (answer.returncode, answer.stdout, answer.stderr) == (
        2,
        "",
        f"There is no unknown; there are: {', '.join(names)}.\n",
    )
