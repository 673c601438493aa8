"""Comparing answers with Kueue's cases accepts every right answer and finds every wrong one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from console.dialects.conformance import MalformedCase, Verdict, run_case
from tests.engine.expected_answers import Echo

KUEUE = sorted((Path(__file__).parents[1] / "vectors" / "kueue").glob("*.json"))
CASES = [pytest.param(json.loads(path.read_text("utf-8")), id=path.stem) for path in KUEUE]
BY_ID = {case["id"]: case for each in CASES for case in each.values[0]}

#: Parts of an expectation that are collections: a missing and an additional entry both count.
NAMED = (
    "admitted",
    "pending",
    "decisions",
    "preempted",
    "requeued",
    "inadmissible",
    "pod_sets",
    "victims",
    "cluster_queues",
    "cohorts",
)

Path_ = tuple[str | int, ...]


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Yield the path to every leaf of *value*."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, (*path, name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, (*path, index))
    else:
        yield path


def changed(value: Any) -> Any:
    """Return another value of the same type, which no case expects in its place."""
    if value is None or isinstance(value, bool):
        return 1 if value is None else not value
    if isinstance(value, int):
        return value + 1
    return f"1{value}" if value[:1].isdigit() else f"{value}x"


def with_wrong_leaf(expect: Any, path: Path_) -> Any:
    wrong = deepcopy(expect)
    holder = wrong
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = changed(holder[path[-1]])
    return wrong


def is_found(case: dict[str, Any], expect: Any) -> bool:
    """Return whether *case* differs or cannot be run when it expects *expect* instead."""
    try:
        return bool(
            run_case(case | {"expect": expect, "gates": {}}, Echo(case["expect"])).sentences
        )
    except MalformedCase:
        return True


def sentences(name: str, **wrong: Any) -> tuple[str, ...]:
    """Return the differences between a case and an engine whose answer has *wrong* parts."""
    case = BY_ID[name]
    return run_case(case, Echo(case["expect"] | wrong)).sentences


@pytest.mark.parametrize("cases", CASES)
def test_what_is_expected_agrees_unless_a_switch_is_missing(cases: list[dict[str, Any]]) -> None:
    results = {case["id"]: run_case(case, Echo(case["expect"])) for case in cases}
    passed_over = {case["id"] for case in cases if case.get("gates") or case.get("undefaulted")}
    assert {name: result for name, result in results.items() if result.sentences} == {
        name: result for name, result in results.items() if name in passed_over
    }
    assert Counter(result.verdict for result in results.values()) == Counter(
        {Verdict.AGREES: len(cases) - len(passed_over), Verdict.SKIPPED: len(passed_over)}
    )


@pytest.mark.parametrize("cases", CASES)
def test_every_single_value_of_an_expectation_counts(cases: list[dict[str, Any]]) -> None:
    unseen = [
        (case["id"], path)
        for case in cases[:10]
        for path in leaves(case["expect"])
        if not is_found(case, with_wrong_leaf(case["expect"], path))
    ]
    assert unseen == []


@pytest.mark.parametrize("cases", CASES)
def test_entry_missing_in_an_expectation_is_a_difference(
    cases: list[dict[str, Any]],
) -> None:
    unseen = []
    for case in cases:
        for part in NAMED:
            for key in list(leaves_of(case["expect"].get(part, []))):
                expect = deepcopy(case["expect"])
                del expect[part][key]
                if not is_found(case, expect):
                    unseen.append((case["id"], part, key))
    assert unseen == []


def leaves_of(named: dict[str, Any] | list[Any]) -> Iterator[str | int]:
    yield from named if isinstance(named, dict) else range(len(named))


def test_uncompared_part_of_an_expectation_is_an_error() -> None:
    case = BY_ID["quota-00-queues-without-cohort"]
    result = run_case(case | {"expect": case["expect"] | {"lent": {}}}, Echo(case["expect"]))
    assert result.sentences == ("The case expects lent, which is not compared.",)


def test_differences_of_a_settled_world() -> None:
    expect = BY_ID["podsets-sample-0"]["expect"]
    victims = {"r2": "InClusterQueue", "r1": "InCohortReclamation"}
    assert sentences(
        "podsets-sample-0",
        admitted={**expect["admitted"], "r1": [{"pod_set": "main", "count": 3, "flavors": {}}]},
        pending={**expect["pending"], "w2": "WaitingForQuota"},
        decisions=[
            {"cycle": 1, "action": "admit", "workload": "w4"},
            {"cycle": 2, "action": "preempt", "workload": "w3", "victims": victims},
        ],
        steady=False,
    ) == (
        (
            "r1 is admitted as main x 3 (no flavors), "
            "but expected as main x 4 (memory in f1, pods in f2)."
        ),
        "w2 is pending as WaitingForQuota, but expected as NoMatchingFlavor.",
        "Cycle 1 does admit w4, but is not expected to.",
        "Cycle 2 does not admit w4, but is expected to.",
        (
            "Cycle 2 does preempt r1 (InCohortReclamation), r2 (InClusterQueue) for w3, "
            "but is not expected to."
        ),
        "steady is False, but expected True.",
    )


def test_decisions_after_resync_are_compared_if_both_sides_have_them() -> None:
    case = BY_ID["podsets-sample-0"]
    told = case | {"expect": case["expect"] | {"resync_changed": True}}
    assert run_case(told, Echo(case["expect"])).sentences == ()
    assert run_case(told, Echo(case["expect"] | {"resync_changed": False})).sentences == (
        "resync_changed is False, but expected True.",
    )


def test_differences_after_one_cycle() -> None:
    verdict = {
        "reason": "WaitingForQuota",
        "code": "Preempting",
        "victims": 3,
        "pod_sets": {
            "main": [
                {"code": "NotEnoughFree", "flavor": "fl1", "resource": "cpu", "missing": "20"},
                {
                    "code": "TaintNotTolerated",
                    "flavor": "fl2",
                    "taint": {"key": "spot", "value": "yes", "effect": "NoExecute"},
                },
            ]
        },
    }
    assert sentences(
        "cycle-19-victims-in-the-own-queue-and-in-the-cohort",
        preempted={"run1": "InClusterQueue", "run4": "InClusterQueue"},
        requeued=["new2"],
        inadmissible=["new1"],
        messages={"new1": verdict},
    ) == (
        "run1 is preempted as InClusterQueue, but expected as InCohortReclamation.",
        "new1 is not requeued, but expected to be.",
        "new2 is requeued, but not expected to be.",
        "new1 is inadmissible, but not expected to be.",
        "the reason of new1 is WaitingForQuota, but expected WaitingForPreemptedWorkloads.",
        "the number of victims of new1 is 3, but expected 2.",
        (
            "main is a pod set of new1 with reasons as "
            "NotEnoughFree (flavor fl1, resource cpu, missing 20); "
            "TaintNotTolerated (flavor fl2, taint spot=yes:NoExecute), but expected as "
            "NotEnoughFree (flavor fl1, resource cpu, missing 20); "
            "NotEnoughFree (flavor fl2, resource cpu, missing 20)."
        ),
    )
    (silence,) = sentences("cycle-09-namespace-not-selected-by-the-queue", messages={})
    assert silence.startswith("Nothing is said about new1, but expected is: ")
    assert sentences(
        "cycle-39-second-preemptor-loses-the-scarce-resource",
        skipped_preemptions={"q1": 1, "q3": 0},
    ) == (
        "the number of skipped preemptions of q1 is 1, but expected 0.",
        "the number of skipped preemptions of q2 is 0, but expected 1.",
    )


def test_unlisted_message_is_not_compared() -> None:
    messages = {"new1": {"reason": "WaitingForQuota", "code": "NotEvaluated"}}
    assert sentences("cycle-02-local-queue-does-not-exist", messages=messages) == ()


def test_differences_of_flavors() -> None:
    name = "flavor-assignment-35-preempts-before-looking-further-twin-row"
    (pod_set,) = BY_ID[name]["expect"]["pod_sets"]
    wrong = {
        **pod_set,
        "count": 2,
        "requests": {"cpu": "9"},
        "flavors": {"cpu": {"flavor": "fl1", "mode": "Preempt", "tried": -1}},
        "reasons": [],
        "attempts": {"fl1": {"outcome": "NoFit", "level": 1, "why": "WaitingForQuota"}},
    }
    assert sentences(
        name, mode="Fit", borrowing=1, usage={}, no_fit_reason="WaitingForQuota", pod_sets=[wrong]
    ) == (
        "the mode is Fit, but expected Preempt.",
        "the borrowing level is 1, but expected 0.",
        "the reason of no fit is WaitingForQuota, but expected None.",
        "cpu in the usage in fl1 is 0, but expected 9.",
        "pods in the usage in fl1 is 0, but expected 1.",
        "the count of pod set main is 2, but expected 1.",
        "pods in the request of pod set main is 0, but expected 1.",
        (
            "cpu is given to pod set main as fl1, Preempt, tried -1, "
            "but expected as fl1, Preempt, tried 0."
        ),
        "pods is not given to pod set main, but expected to be: fl1, Fit, tried 0.",
        (
            "the reasons of pod set main is no reasons, "
            "but expected NotEnoughFree (flavor fl1, resource cpu, missing 1)."
        ),
        (
            "fl1 is tried for pod set main as NoFit, level 1, WaitingForQuota, "
            "but expected as Preempt, level 0."
        ),
    )


def test_differences_of_victims_quota_and_shares() -> None:
    assert sentences(
        "preemption-hierarchical-12-workloads-on-their-way-out-come-first",
        victims={"run2": "InCohortReclamation"},
        count=2,
    ) == (
        "run2 is a victim, but not expected to be: InCohortReclamation.",
        "the number of victims, with workloads that are already evicting, is 2, but expected 1.",
    )
    assert sentences(
        "quota-00-queues-without-cohort", potential={"q2": {"fl1": {"cpu": "9223372036854775807"}}}
    ) == (
        "cpu in the potential quota of q2 in fl1 is unlimited, but expected 5.",
        "cpu in the potential quota of q2 in fl2 is 0, but expected 10.",
    )
    assert sentences(
        "dominant-share-03-just-above-nominal-large-quotas",
        cluster_queues={"q1": {"share": None, "resource": "", "borrowing": True}},
        cohorts={},
    ) == (
        (
            "q1 is one of the cluster_queues as share without bound, borrowing, but expected as "
            "share 1 in example.com/gpu, borrowing."
        ),
        "q2 is not one of the cluster_queues, but expected to be: share 0, not borrowing.",
        "team-1 is not one of the cohorts, but expected to be: share 0, not borrowing.",
    )


@pytest.mark.parametrize(
    ("kind", "wrong", "sentence"),
    [
        ("quota", {"expect": None}, "expect is not an object: None"),
        ("preemption", {"pending": []}, "0 workloads are pending where one has to be"),
        ("dominant_share", {"extra_usage": {"f": {"cpu": "9Ei"}}}, "f has no bound for cpu"),
        ("quota", {"objects": [7]}, "objects holds something that is not an object: 7"),
    ],
)
def test_malformed_case_error_names_the_case(
    kind: str, wrong: dict[str, Any], sentence: str
) -> None:
    case = {"id": "odd", "type": kind, "objects": [], "expect": {}, **wrong}
    with pytest.raises(MalformedCase) as failed:
        run_case(case, Echo({"potential": {}, "available": {}}))
    assert str(failed.value) == f"{kind} case odd: {sentence}"
