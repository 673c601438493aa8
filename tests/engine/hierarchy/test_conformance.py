"""The discipline agrees with YuniKorn's cases, and a case that expects something else differs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import MalformedCase, Result, Verdict, run_case

#: Kind -> its cases; those of texts of configs have a test of their own.
CASES: Final[dict[str, list[dict[str, Any]]]] = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parents[2] / "vectors/yunikorn").glob("*.json"))
    if path.stem != "validation"
}
#: The kinds in which pods start and stop.
SCHEDULED: Final = ("admission", "limits", "preemption", "worlds")


def first(kind: str) -> dict[str, Any]:
    """Return a case of a kind that may be changed."""
    return copy.deepcopy(CASES[kind][0])


def differences(kind: str) -> dict[str, tuple[str, ...]]:
    """Return the sentences about the cases of a kind that do not agree."""
    results: list[Result] = [run_case(case) for case in CASES[kind]]
    return {each.id: each.sentences for each in results if each.verdict is not Verdict.AGREES}


def test_the_kinds_of_cases() -> None:
    assert {kind: len(cases) for kind, cases in CASES.items()} == {
        "acl": 28,
        "admission": 76,
        "limits": 55,
        "placement": 62,
        "preemption": 93,
        "templates": 55,
        "worlds": 46,
    }


@pytest.mark.parametrize("kind", CASES)
def test_every_case_agrees(kind: str) -> None:
    assert differences(kind) == {}


@pytest.mark.parametrize("kind", sorted(CASES.keys() - {"acl"}))
def test_another_application_is_noticed(kind: str) -> None:
    case = first(kind)
    case["expect"]["apps"]["another"] = {"queue": "root.another", "rejected": "by nobody"}
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", sorted(CASES.keys() - {"acl"}))
def test_a_missing_application_is_noticed(kind: str) -> None:
    case = first(kind)
    case["expect"]["apps"].popitem()
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", sorted(CASES.keys() - {"acl", "placement"}))
def test_another_queue_is_noticed(kind: str) -> None:
    case = first(kind)
    case["expect"]["queues"]["root.another"] = case["expect"]["queues"]["root"]
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", SCHEDULED)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queue", "root.another"),
        ("state", "Failed"),
        ("running", ["another"]),
        ("allocated", {"vcore": 1}),
        ("placeholders", {"vcore": 1}),
        ("waiting", {"another": []}),
        ("waiting", ["another"]),
    ],
)
def test_another_outcome_of_an_application_is_noticed(kind: str, name: str, value: object) -> None:
    case = first(kind)
    next(iter(case["expect"]["apps"].values()))[name] = value
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", SCHEDULED)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("allocated", {"vcore": 1}),
        ("pending", {"vcore": 1}),
        ("running_apps", 77),
        ("status", "Draining"),
    ],
)
def test_another_outcome_of_a_queue_is_noticed(kind: str, name: str, value: object) -> None:
    case = first(kind)
    case["expect"]["queues"]["root"][name] = value
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("name", first("templates")["expect"]["queues"]["root"])
def test_another_setting_of_a_queue_is_noticed(name: str) -> None:
    case = first("templates")
    case["expect"]["queues"]["root"][name] = "another"
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", SCHEDULED)
def test_other_decisions_are_noticed(kind: str) -> None:
    case = next(
        copy.deepcopy(case) for case in CASES[kind] if len(case["expect"].get("decisions", ())) > 1
    )
    case["expect"]["decisions"].reverse()
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", SCHEDULED)
@pytest.mark.parametrize(
    ("name", "value"), [("rejected_asks", {"x": "why"}), ("step_errors", [{"step": 1}])]
)
def test_other_refusals_are_noticed(kind: str, name: str, value: object) -> None:
    case = first(kind)
    case["expect"][name] = value
    assert run_case(case).verdict is Verdict.DIFFERS


def test_other_access_is_noticed() -> None:
    case = first("acl")
    case["expect"]["access"][0]["submit"] ^= True
    assert run_case(case).verdict is Verdict.DIFFERS


@pytest.mark.parametrize("kind", CASES)
def test_an_unknown_expectation_is_noticed(kind: str) -> None:
    case = first(kind)
    case["expect"]["weather"] = "fine"
    assert "The case expects weather, which is not compared." in run_case(case).sentences


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize(
    "change",
    [
        {"config": "partitions: 1"},
        {"config": "["},
        {"config": ""},
        {"config": "partitions: [{name: gpu, queues: []}]"},
        {"config": None, "type": "yunikorn_{kind}"},
        {"expect": None},
        {"steps": [{}]},
        {"steps": [{"sing": "a song"}]},
        {"steps": [{"submit_app": {"app": "1", "colour": "red"}}]},
        {"steps": [{"submit_app": 1}]},
        {"steps": [{"wait": "long"}]},
        {"steps": [{"wait": True}]},
    ],
)
def test_a_malformed_case_is_refused(kind: str, change: dict[str, Any]) -> None:
    case = first(kind) | {
        name: value.format(kind=kind) if name == "type" else value for name, value in change.items()
    }
    with pytest.raises(MalformedCase):
        run_case(case)


def submission(app: str = "1", **fields: Any) -> dict[str, Any]:
    """Return a step that submits an application to the only queue."""
    return {"submit_app": {"app": app, "queue": "root.a", "user": "ann", "groups": [], **fields}}


def ask(key: str, app: str = "1", **fields: Any) -> dict[str, Any]:
    """Return a step that asks for one pod."""
    return {"ask": {"app": app, "key": key, "resources": {"vcore": 1000}, **fields}}


def history(*steps: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
    """Return a case with one queue and one node of one core."""
    return {
        "id": "admission-1",
        "config": "partitions: [{queues: [{name: a, submitacl: '*'}]}]",
        "nodes": [{"name": "n", "resources": {"vcore": 1000}}],
        "steps": list(steps),
        "expect": expect,
    }


EMPTY: Final = {path: {"allocated": {}, "pending": {}} for path in ("root", "root.a")}


def test_steps_that_are_refused() -> None:
    broken = "partitions: [{queues: [{name: a, submitacl: 'a b c'}]}]"
    case = history(
        ask("early"),
        submission(),
        ask("none", resources={}),
        ask("less", resources={"vcore": -1}),
        {"release": {"app": "1", "key": "unknown"}},
        {"release": {"app": "2", "key": "unknown"}},
        {"remove_app": "1"},
        {"remove_app": "1"},
        ask("late"),
        {"update_config": broken},
        {"update_config": "["},
        expect={
            "apps": {"1": {"state": "gone"}},
            "queues": EMPTY,
            "decisions": [],
            "rejected_asks": {
                "none": "allocation contains no resources",
                "less": "allocation contains negative resources",
            },
            "step_errors": [
                {"step": 0, "error": "failed to find application 1"},
                {"step": 8, "error": "failed to find application 1"},
                {
                    "step": 9,
                    "error": (
                        "update of configuration failed: multiple spaces found in ACL: 'a b c'"
                    ),
                },
                {
                    "step": 10,
                    "error": (
                        "update of configuration failed: "
                        "yaml: line 1: did not find expected node content"
                    ),
                },
            ],
        },
    )
    assert run_case(case).sentences == ()


def test_a_pod_runs_on_a_node_that_exists() -> None:
    case = history(submission(), ask("p", running_on="unknown"), expect={"apps": {}})
    with pytest.raises(MalformedCase, match="there is no node unknown"):
        run_case(case)


@pytest.mark.parametrize(("style", "state"), [("Hard", "gone"), ("Soft", "Accepted")])
def test_a_gang_that_is_not_complete_in_time(style: str, state: str) -> None:
    gang = {"placeholder_ask": {"vcore": 2000}, "gang_style": style, "timeout_ms": 5000}
    case = history(
        submission(**gang),
        ask("p", count=2, placeholder=True, task_group="g"),
        ask("real"),
        {"settle": 9},
        {"wait": 4.5},
        {"wait": 0.5},
        expect={
            "apps": {"1": {"state": state}},
            "queues": EMPTY,
            "decisions": [
                {"step": 3, "do": "allocate", "app": "1", "key": "p-0"},
                {"step": 5, "do": "timeout", "app": "1", "key": "p-0"},
            ],
        },
    )
    if style == "Soft":
        waiting = {"real": ["Not enough queue quota", "Preemption does not help"]}
        case["expect"]["apps"]["1"] |= {"queue": "root.a", "running": [], "waiting": waiting}
        case["expect"]["queues"] = {
            path: {"allocated": {}, "pending": {"vcore": 1000}} for path in EMPTY
        }
    assert run_case(case).sentences == ()


def test_a_soft_gang_without_other_pods_is_not_complete_after_its_timeout() -> None:
    gang = {"placeholder_ask": {"vcore": 2000}, "timeout_ms": 5000}
    case = history(
        submission(**gang),
        ask("p", count=2, placeholder=True, task_group="g"),
        {"settle": 9},
        {"wait": 5},
        {"wait": 60},
        ask("real"),
        {"settle": 9},
        expect={
            "apps": {
                "1": {
                    "queue": "root.a",
                    "state": "Running",
                    "running": ["real"],
                    "allocated": {"vcore": 1000},
                    "waiting": {},
                }
            },
            "queues": {
                path: {"allocated": {"vcore": 1000}, "pending": {}, "running_apps": 1}
                for path in EMPTY
            },
            "decisions": [
                {"step": 2, "do": "allocate", "app": "1", "key": "p-0"},
                {"step": 3, "do": "timeout", "app": "1", "key": "p-0"},
                {"step": 6, "do": "allocate", "app": "1", "key": "real"},
            ],
        },
    )
    assert run_case(case).sentences == ()


def test_a_queue_that_does_not_exist_has_no_access() -> None:
    case = first("acl")
    case["steps"] = [{"access": {"queue": "root.none", "user": "ann", "groups": []}}]
    case["expect"] = {"access": [{"error": "no such queue"}]}
    assert run_case(case).verdict is Verdict.AGREES
    case["expect"] = {"access": [{"submit": False, "admin": False}]}
    assert run_case(case).verdict is Verdict.DIFFERS


def test_every_question_of_access_has_an_answer() -> None:
    case = first("acl")
    case["expect"]["access"].pop()
    with pytest.raises(MalformedCase):
        run_case(case)
