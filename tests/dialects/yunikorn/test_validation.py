"""The first message about a config is that of YuniKorn, in all cases with a known one."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import Verdict, run_case
from console.dialects.yunikorn.conformance import kind_of
from console.dialects.yunikorn.validator import validator_message

CASES: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[2] / "vectors/yunikorn/validation.json").read_text("utf-8")
)


def test_every_case_agrees() -> None:
    results = list(map(run_case, CASES))
    assert {each.id: each.sentences for each in results if each.verdict is not Verdict.AGREES} == {}
    assert len(results) == 157


@pytest.mark.parametrize("name", ["valid", "error", "load_error", "other"])
def test_the_judge_notices_another_result(name: str) -> None:
    case = copy.deepcopy(CASES[0])
    case["expect"][name] = "another one"
    assert run_case(case).verdict is Verdict.DIFFERS


def test_a_case_without_a_config_has_no_type() -> None:
    assert kind_of({"id": "validation-1"}) is None
    assert kind_of({"id": 1, "config": ""}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", None),
        ("a: b", "yaml: unmarshal errors:\n  line 1: field a not found in type configs."),
        ("a: [", "yaml: line 1: did not find expected node content"),
        ("\t- a", "yaml: found character that cannot start any token"),
        ("a: &x [*y]", "yaml: unknown anchor 'y' referenced"),
        ("a: \x07", "yaml: control characters are not allowed"),
        ("a: \ud800", "yaml: "),
        ("partitions: []\n---\nsecond: document\n", None),
    ],
)
def test_texts_that_are_no_config(text: str, message: str | None) -> None:
    found, load_error = validator_message(text)
    assert load_error is None
    assert (found or "").startswith(message or "")
