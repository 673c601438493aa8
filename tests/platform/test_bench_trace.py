"""The command bench_trace prints figures as text for people or as one JSON line."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command

from console.bench.kueue import traces
from console.engine.state import State
from console.trial import product
from tests.bench.small import PREEMPTING
from tests.prepared import fill


@pytest.fixture(autouse=True)
def small_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the baseline by a trace of three workloads."""
    monkeypatch.setitem(traces.TRACES, "baseline", PREEMPTING)


def test_one_line_of_json(capsys) -> None:
    call_command("bench_trace", "--trace", "baseline", "--clock", "virtual", "--json")
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    told = json.loads(out)
    measured = {"wall_seconds", "cpu_seconds", "decisions_per_second", "digest"}
    assert {key: value for key, value in told.items() if key not in measured} == {
        "trace": "preempting",
        "workloads": 3,
        "quota_use": 1.0,
        "admission_seconds": {"low": 0.7, "high": 0.0},
        "decisions": 8,
        "preemptions": 1,
        "makespan_seconds": 1.7,
    }
    assert told.keys() >= measured
    assert re.fullmatch("[0-9a-f]{32}", told["digest"])


def test_text_for_people(capsys) -> None:
    call_command("bench_trace", "--trace", "baseline", "--clock", "virtual")
    lines = capsys.readouterr().out.splitlines()
    told = dict(re.split(r" {2,}", line, maxsplit=1) for line in lines)
    measured = {key: told.pop(key) for key in ("wall", "cpu", "digest of the decisions")}
    assert told.pop("decisions").startswith("8 (")
    assert told == {
        "workloads": "3, all finished",
        "preemptions": "1",
        "makespan": "1.70 s of the trace's time",
        "quota use": "100.0%",
        "mean time to admission": "low 0.70 s, high 0.00 s",
    }
    assert measured["wall"].endswith(" s")
    assert measured["cpu"].endswith(" s")


def test_invariant_violation_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "finish", lambda state, workload: False)
    with pytest.raises(CommandError, match=r"^The engine violated an invariant: "):
        call_command("bench_trace", "--trace", "baseline", "--clock", "virtual")


@pytest.fixture
def prepared_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the product start in a folder with a migrated database and static files."""
    fill(tmp_path, with_database=True)
    folder = SimpleNamespace(TemporaryDirectory=lambda: nullcontext(str(tmp_path)))
    monkeypatch.setattr(product, "tempfile", folder)


@pytest.mark.usefixtures("prepared_folder")
def test_real_time_trace_runs_through_a_product(capsys) -> None:
    call_command("bench_trace", "--trace", "baseline", "--clock", "real", "--json")
    told = json.loads(capsys.readouterr().out)
    exact = {key: told.pop(key) for key in ("trace", "workloads")}
    assert exact == {"trace": "preempting", "workloads": 3}
    # On a busy machine the workload to be preempted may not run yet.
    assert told.pop("preemptions") in (0, 1)
    waits = told.pop("admission_seconds")
    assert waits["low"] > 0.3
    assert waits["high"] > 0
    # The workloads run one after the other: 300, 300 and 1,000 ms.
    assert told["wall_seconds"] >= told["makespan_seconds"] > 1.6
    assert told.pop("cpu_seconds") > 0
    assert 0 < told.pop("work_use") <= told.pop("quota_use")
    assert told.keys() == {
        "wall_seconds",
        "makespan_seconds",
        "decisions",
        "decisions_per_second",
    }


def test_product_that_does_not_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "stone")
    with pytest.raises(CommandError, match=r"(?s)^The product did not start:.*LOG_FORMAT"):
        call_command("bench_trace", "--trace", "baseline", "--clock", "real")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trace", "baseline", "--clock", "sand"], "invalid choice: 'sand'"),
        (["--trace", "tiny", "--clock", "virtual"], "invalid choice: 'tiny'"),
        (["--trace", "baseline"], "required: --clock"),
    ],
)
def test_unknown_traces_and_clocks_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("bench_trace", *arguments)
