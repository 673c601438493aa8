"""The first message about a config is that of YuniKorn, in all cases with a known one."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from console.dialects.conformance import Verdict, run_case
from console.dialects.findings import ReadingStopped
from console.dialects.source import read_source
from console.dialects.yunikorn.conformance import kind_of
from console.dialects.yunikorn.problems import Problems, Stage
from console.dialects.yunikorn.validator import validator_message
from console.engine.disciplines.hierarchy.spec import YUNIKORN
from tests.dialects.yunikorn.texts import read

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


WEIGHTS = "partitions: [{queues: [], nodesortpolicy: {resourceweights: {vcore: %s}}}]\n"
NEGATIVE = "negative resource weight for vcore is not allowed"


@pytest.mark.parametrize(
    ("weight", "message", "codes"),
    [
        ("0.5", None, []),
        (".inf", None, ["YUN034"]),
        ("+.Inf", None, ["YUN034"]),
        (".NaN", None, ["YUN034"]),
        ("-.inf", NEGATIVE, ["YUN034"]),
        *(
            (text, f"line 1: cannot unmarshal !!str `{text}` into float64", ["DOC009"])
            for text in ("--.inf", "+-.inf", "-.nan", ".iNf", "1e999")
        ),
    ],
)
def test_weights(weight: str, message: str | None, codes: list[str]) -> None:
    text = WEIGHTS % weight
    found, load_error = validator_message(text)
    assert (found or "").removeprefix("yaml: unmarshal errors:\n  ") == (message or "")
    assert load_error is None
    assert [each.code for each in read(text).diagnostics] == codes


def test_messages_that_yunikorn_does_not_reach_are_left_out_when_reading_stops() -> None:
    problems = Problems(read_source("").findings, YUNIKORN)
    problems.cite("first", Stage.TEXT)
    with suppress(ReadingStopped), problems.unnoted(Stage.TEXT):
        problems.cite("second", Stage.TEXT)
        raise ReadingStopped
    assert problems.messages[Stage.TEXT] == ["first"]
