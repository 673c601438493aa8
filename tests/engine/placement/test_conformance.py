"""The engine agrees with SkyShift's cases, and reports every part that differs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import Verdict, run_case

CASES: Final[list[dict[str, Any]]] = [
    case
    for path in sorted((Path(__file__).parents[2] / "vectors/skyshift").glob("*.json"))
    for case in json.loads(path.read_text("utf-8"))
]


def test_every_case_agrees() -> None:
    results = [run_case(case) for case in CASES]
    assert {each.id: each.sentences for each in results if each.verdict is not Verdict.AGREES} == {}
    assert len(results) == 180


def _case() -> dict[str, Any]:
    """Return a case with clusters that are removed and a job that is spread."""
    return copy.deepcopy(
        next(
            each
            for each in CASES
            if each["expect"]["removed"] and len(each["expect"]["spread"] or ()) > 1
        )
    )


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("valid", False),
        ("resources", {"cpus": 1000.0}),
        ("eligible", []),
        ("removed", []),
        ("ranked", []),
        ("spread", None),
        ("job_status", "FAILED"),
        ("replica_status", {}),
        ("unknown", 1),
    ],
)
def test_each_part_of_the_expectation_is_compared(part: str, value: object) -> None:
    case = _case()
    case["expect"][part] = value
    result = run_case(case)
    assert result.verdict is Verdict.DIFFERS
    assert len(result.sentences) == 1


@pytest.mark.parametrize("part", ["score", "weight"])
def test_scores_and_weights_are_compared(part: str) -> None:
    case = _case()
    case["expect"]["ranked"][0][part] *= 1.001
    result = run_case(case)
    assert result.verdict is Verdict.DIFFERS
    assert len(result.sentences) == 1
