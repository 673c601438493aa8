"""The discipline agrees with KAI's cases, and a case that expects something else differs."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import MalformedCase, Result, Verdict, run_case
from console.dialects.kai.conformance import RUNNERS

CASES: Final[list[dict[str, Any]]] = [
    case
    for path in sorted((Path(__file__).parents[2] / "vectors/kai").glob("*.json"))
    for case in json.loads(path.read_text("utf-8"))
]


def _run(case: dict[str, Any]) -> Result:
    return run_case(case)


def test_every_case_agrees() -> None:
    results = list(map(_run, CASES))
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
        "kai_duration": 7,
        "kai_job_order": 6,
        "kai_actions": 100,
    }


@pytest.mark.parametrize("kind", RUNNERS)
def test_each_judge_notices_another_result(kind: str) -> None:
    case = copy.deepcopy(next(each for each in CASES if each["type"] == kind))
    (name, value), *_ = case["expect"].items()
    case["expect"][name] = _other(value)
    assert _run(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", RUNNERS)
def test_each_judge_notices_an_unknown_expectation(kind: str) -> None:
    case = copy.deepcopy(next(each for each in CASES if each["type"] == kind))
    case["expect"]["unknown"] = 1
    assert _run(case).verdict is Verdict.DIFFERS


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


def _actions(is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return a copy of the first case of actions that is wanted."""
    found = (each for each in CASES if each["type"] == "kai_actions" and is_wanted(each))
    return copy.deepcopy(next(found))


def _objects_with(case: dict[str, Any], part: str, name: str) -> list[dict[str, Any]]:
    """Return what a case expects of the objects of a part of which it expects *name*."""
    return [words for words in case["expect"].get(part, {}).values() if name in words]


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("jobs", "state", "failed"),
        ("jobs", "node", "n99"),
        ("jobs", "gpu", 99),
        ("jobs", "cpu", 99),
        ("jobs", "memory", 99),
        ("jobs", "last_start_at_least_s_ago", 10**6),
        ("jobs", "unknown", 1),
        ("pods", "state", "failed"),
        ("pods", "node", "n99"),
        ("pods", "gpu", 99),
        ("pods", "unknown", 1),
        ("nodes", "idle_gpu", 99),
        ("nodes", "releasing_gpu", 99),
        ("nodes", "unknown", 1),
    ],
)
def test_each_word_about_an_object_is_compared(part: str, name: str, value: object) -> None:
    known = name
    if name in ("unknown", "last_start_at_least_s_ago"):
        known = "idle_gpu" if part == "nodes" else "state"
    case = _actions(lambda case: bool(_objects_with(case, part, known)))
    words = _objects_with(case, part, known)[0]
    if name == "node":
        words["state"] = words["state"].replace("pending", "running")
    words[name] = value
    assert _run(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("what", ["binds", "evictions", "pipelined"])
def test_bounds_of_changes_are_compared(what: str) -> None:
    case = _actions(lambda case: case["expect"]["at_most"][what] > 0 and case["rounds"] is None)
    del case["expect"]["at_most"][what]
    case["expect"]["at_most"]["unknown"] = 1
    assert _run(case).verdict is Verdict.DIFFERS
    del case["expect"]["at_most"]["unknown"]
    assert _run(case).verdict is Verdict.AGREES
    case["expect"]["at_most"][what] = -1
    assert _run(case).verdict is Verdict.DIFFERS


def test_groups_of_shared_devices_are_compared() -> None:
    def shares(case: dict[str, Any]) -> bool:
        groups = [words.get("devices") for words in case["expect"].get("jobs", {}).values()]
        return len(groups) > 1 and all(groups) and _run(case).verdict is Verdict.AGREES

    case = _actions(shares)
    expected = [words["devices"] for words in case["expect"]["jobs"].values()]
    for index, words in enumerate(case["expect"]["jobs"].values()):
        # As many groups as jobs if they shared one, else one group.
        words["devices"] = [str(index) if expected[0] == expected[1] else "0"]
    assert _run(case).verdict is Verdict.DIFFERS


def test_rounds_after_the_match_are_compared() -> None:
    case = _actions(lambda case: case["rounds"] is not None)
    case["expect"]["at_most"]["binds"] = -1
    result = _run(case)
    assert result.verdict is Verdict.DIFFERS
    assert result.sentences[-1].startswith("In round 5 after the match, binds is ")


@pytest.mark.parametrize(
    ("flags", "features"),
    [
        (["mig"], "slices of devices (MIG)"),
        (["one_node", "dra"], "device claims"),
        (["topology"], "topology constraints"),
        (["affinity"], "affinity between pods"),
        (["custom_plugins"], "a choice of plugins"),
        (["dra", "topology"], "device claims and topology constraints"),
    ],
)
def test_cases_of_missing_features_are_not_supported(flags: list[str], features: str) -> None:
    case = _actions(lambda case: True)
    case["flags"] = flags
    sentence = f"it needs {features}, which this version does not support."
    assert _run(case) == Result(case["id"], Verdict.NOT_SUPPORTED, (sentence,))


def _case(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    case = _actions(lambda case: "jobs" in case["expect"])
    change(case)
    return case


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda case: case.update(mood=1), "a case has the unknown part mood"),
        (lambda case: case["options"].update(mood=1), "options has the unknown part mood"),
        (lambda case: case["nodes"][0].update(mig={"1g": 1}), "a node has the unknown part mig"),
        (lambda case: case["jobs"][0].update(mood=1), "a job has the unknown part mood"),
        (
            lambda case: case["jobs"][0].update(subgroups=[{"constraint": 1}]),
            "a subgroup has the unknown part constraint",
        ),
        (
            lambda case: case["jobs"][0]["pods"][0].update(claims=["a"]),
            "a pod has the unknown part",
        ),
        (
            lambda case: case["jobs"][0]["pods"][0]["requests"].update(mig={"1g": 1}),
            "requests has the unknown part mig",
        ),
        (
            lambda case: case["jobs"][0]["pods"][0].update(subgroup="other"),
            "a pod is of the unknown subgroup 'other'",
        ),
        (
            lambda case: case["jobs"][0]["pods"][0].update(state="running", node="n99"),
            "a pod is on the unknown node 'n99'",
        ),
        (lambda case: case["actions"].append("dance"), "actions has the unknown word 'dance'"),
        (
            lambda case: case["expect"]["jobs"].update(other={}),
            "expect has the unknown name 'other'",
        ),
    ],
)
def test_unknown_parts_are_errors(
    change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    with pytest.raises(MalformedCase, match=sentence):
        _run(_case(change))


def test_parts_without_a_value_state_nothing() -> None:
    case = _case(lambda case: case["nodes"][0].update(mig=None, claims=[]))
    assert _run(case).verdict is Verdict.AGREES
