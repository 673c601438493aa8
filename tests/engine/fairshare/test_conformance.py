"""The discipline agrees with KAI's cases, and a case that expects something else differs."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import Verdict
from tests.engine.fairshare.conformance import RUNNERS

CASES: Final[list[dict[str, Any]]] = [
    case
    for path in sorted((Path(__file__).parents[2] / "vectors/kai").glob("*.json"))
    for case in json.loads(path.read_text("utf-8"))
    # Durations are texts, which only a language reads.
    if case["type"] != "kai_duration"
]


def test_every_case_agrees() -> None:
    results = [RUNNERS[case["type"]](case["id"], case, None) for case in CASES]
    assert {each.id: each.sentences for each in results if each.verdict is not Verdict.AGREES} == {}
    assert Counter(case["type"] for case in CASES) == {
        "kai_fair_share": 165,
        "kai_queue_order": 99,
        "kai_queue_order_state": 2,
        "kai_requestable": 1,
        "kai_allocatable": 2,
        "kai_dominant_share": 2,
        "kai_capacity": 12,
        "kai_may_try_reclaim": 5,
        "kai_reclaim_strategy": 8,
        "kai_reclaim_valid": 6,
        "kai_min_runtime": 8,
        "kai_protected": 3,
        "kai_job_order": 6,
    }


@pytest.mark.parametrize("kind", RUNNERS)
def test_each_judge_notices_another_result(kind: str) -> None:
    case = copy.deepcopy(next(each for each in CASES if each["type"] == kind))
    (name, value), *_ = case["expect"].items()
    case["expect"][name] = _other(value)
    assert RUNNERS[kind](case["id"], case, None).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", RUNNERS)
def test_each_judge_notices_an_unknown_expectation(kind: str) -> None:
    case = copy.deepcopy(next(each for each in CASES if each["type"] == kind))
    case["expect"]["unknown"] = 1
    assert RUNNERS[kind](case["id"], case, None).verdict is Verdict.DIFFERS


def _other(value: Any) -> Any:
    """Return a result that differs from *value* in one place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        key = next(iter(value))
        return {**value, key: _other(value[key])}
    if isinstance(value, list):
        return [*value, "other"]
    return f"{value}-other" if isinstance(value, str) else value + 1
