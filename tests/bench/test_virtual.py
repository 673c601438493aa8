"""Replay of traces in virtual time, compared with results worked out by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from console.bench import virtual
from console.bench.virtual import play
from console.bench.workload_tracker import InvariantViolation
from console.engine.model.decision import Decision
from console.engine.state import State
from tests.bench.small import BORROWING, CROWDED, PREEMPTING
from tests.product import ROOT


def test_a_preempted_workload_starts_again_from_nothing() -> None:
    figures = play(PREEMPTING)
    assert figures.workloads == 3
    assert figures.preemptions == 1
    assert figures.makespan_seconds == 1.7
    assert figures.admission_seconds == {"low": 0.7, "high": 0.0}
    # The lost tenth of a second counts, because its quota was used.
    assert figures.quota_use == 1.0
    # At 0 one workload starts and one is pending; at 300 the second starts; at 400 it is preempted,
    # its preemptor is pending and starts, and it is pending; at 700 it starts.
    assert figures.decisions == 8


def test_queues_of_a_cohort_share_quota() -> None:
    figures = play(BORROWING)
    assert (figures.makespan_seconds, figures.quota_use) == (0.2, 1.0)
    assert figures.admission_seconds == {"even": 0.05}


def test_report_has_the_numbers_of_the_run() -> None:
    figures = play(CROWDED)
    assert figures.trace == "crowded"
    assert figures.workloads == 3 * 53
    assert figures.wall_seconds > 0
    assert figures.cpu_seconds > 0
    assert figures.decisions_per_second == figures.decisions / figures.wall_seconds


_DIGEST = """
import sys
sys.path.insert(0, {root!r})
from console.bench.virtual import play
from tests.bench.small import CROWDED
print(play(CROWDED).digest)
"""


def test_the_same_decisions_whatever_the_hash_seed() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", _DIGEST.format(root=str(ROOT))],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert told == [play(CROWDED).digest] * 2


def test_engine_without_decisions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "settle", lambda state: [])
    monkeypatch.setattr(State, "is_settled", True)
    with pytest.raises(InvariantViolation, match="0 of 3 workloads have finished"):
        play(PREEMPTING)


def test_engine_that_ignores_a_finish_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "finish", lambda state, workload: True)
    with pytest.raises(InvariantViolation, match="1 of 3 workloads have finished"):
        play(PREEMPTING)
    # No workload is waiting for the quota that the engine still counts, and the error is found
    # nevertheless.
    alone = replace(PREEMPTING, sets=PREEMPTING.sets[:1])
    still_counted = r"the engine still counts usage: {'queue-0-0': .*20000"
    with pytest.raises(InvariantViolation, match=still_counted):
        play(alone)


def test_engine_that_never_settles_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual, "_MAX_ROUNDS", 3)
    monkeypatch.setattr(State, "is_settled", False)
    with pytest.raises(InvariantViolation, match="does not settle at 0 ms"):
        play(PREEMPTING)


def test_engine_that_repeats_decisions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = State.settle

    def twice(state: State) -> list[Decision]:
        return [each for each in settle(state) for _ in range(2)]

    monkeypatch.setattr(State, "settle", twice)
    with pytest.raises(InvariantViolation, match="high-0 was admitted at 0 ms and was not pending"):
        play(PREEMPTING)
