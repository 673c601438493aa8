"""The engine agrees with native cases and Kueue's cases, and the command reports the results."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from console.dialects.conformance import Result, Verdict, run_case

VECTORS = Path(__file__).parents[1] / "vectors"
NATIVE = sorted((VECTORS / "native").glob("*.json"))
KUEUE = VECTORS / "kueue"

CONFIG = """
resource_flavors: [{name: any}]
resource_queues:
- name: train
  preemption: {within_resource_queue: lower_priority}
  resource_groups:
  - covered_resources: [gpu]
    flavors: [{name: any, resources: [{name: gpu, nominal_quota: 2}]}]
scheduling_rules: [{resource_queue: train}]
"""


def submit(name: str, gpu: float, priority: int | None = None) -> dict[str, object]:
    return {"submit": {"name": name, "labels": {}, "priority": priority, "requests": {"gpu": gpu}}}


def case(**changes: object) -> dict[str, object]:
    """Return a case that agrees, with *changes*."""
    running = {"queue": "train", "priority": 5, "flavors": ["any"]}
    agrees = {
        "id": "native-1",
        "type": "native",
        "config": CONFIG,
        "events": [submit("a", 2), submit("b", 1.5, 5), submit("c", 1), {"finish": "c"}],
        "expect": {
            "admitted": {"b": running},
            "pending": {"a": {"queue": "train", "priority": 0}},
            "rejected": {},
            "finished": ["c"],
            "preempted": {"a": 1},
        },
    }
    return agrees | changes


def run(tmp_path: Path, *cases: object) -> tuple[list[str], int]:
    """Run the command on a file of *cases*; return its lines and exit status."""
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(list(cases)))
    out, status = StringIO(), 0
    try:
        call_command("conformance", str(path), stdout=out)
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return out.getvalue().splitlines(), status


@pytest.mark.parametrize(
    "vector",
    [
        pytest.param(vector, id=vector["id"])
        for path in NATIVE
        for vector in json.loads(path.read_text("utf-8"))
    ],
)
def test_native_vectors_agree(vector: dict[str, object]) -> None:
    result = run_case(vector)
    assert result.verdict is Verdict.AGREES, result.sentences


def test_agreeing_case_has_no_output(tmp_path: Path) -> None:
    assert run(tmp_path, case()) == (
        ["0 skipped, 0 not supported", "1 agree, 0 differ"],
        0,
    )


def test_every_difference_is_named() -> None:
    expect = {
        "admitted": {"a": {"queue": "train", "priority": 0, "flavors": ["any"]}},
        "pending": {"a": {"queue": "train", "priority": 1}},
        "rejected": {"x": "no_rule_matched"},
        "finished": [],
        "preempted": {"a": 1},
    }
    result = run_case(case(expect=expect))
    assert result == Result(
        "native-1",
        Verdict.DIFFERS,
        (
            (
                "a is not admitted, but expected to be: "
                "{'queue': 'train', 'priority': 0, 'flavors': ['any']}."
            ),
            (
                "b is admitted, but not expected to be: "
                "{'queue': 'train', 'priority': 5, 'flavors': ['any']}."
            ),
            (
                "a is pending as {'queue': 'train', 'priority': 0}, but expected as "
                "{'queue': 'train', 'priority': 1}."
            ),
            "x is not rejected, but expected to be: no_rule_matched.",
            "c is finished, but not expected to be.",
        ),
    )


def test_the_command_names_each_kind_and_fails_when_any_differs(tmp_path: Path) -> None:
    lines, status = run(
        tmp_path,
        case(),
        case(id="wrong", expect=case()["expect"] | {"finished": []}),  # type: ignore[operator]
        case(id="other", type="tides"),
        case(id="gated", type="cycle", gates={"FlavorFungibility": False, "PriorityBoost": True}),
        case(id="empty", type="cycle", undefaulted=True),
        case(id="broken", config="resource_queues: 7"),
    )
    assert status == 1
    assert lines[:4] == [
        "differs: wrong: c is finished, but not expected to be.",
        "not supported: other: cases of type tides are not supported by this version.",
        (
            "skipped: gated: it needs FlavorFungibility off, PriorityBoost on, "
            "and there is no such switch."
        ),
        "skipped: empty: it sets a policy to a value that the defaults of the API never produce.",
    ]
    assert lines[4].startswith("differs: broken: ")
    assert lines[5:] == ["2 skipped, 1 not supported", "1 agree, 2 differ"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file or directory."),
        ("[", "is not JSON: "),
        ("{}", "is not a list of cases."),
        ("[7]", "is not a list of cases."),
        ('[{"id": "a"}]', ": a case needs an id and a type."),
        ('[{"id": "a", "type": "native"}]', ": native case a has no config."),
    ],
)
def test_invalid_vector_file_is_reported_in_one_sentence(
    tmp_path: Path, content: str | None, sentence: str
) -> None:
    path = tmp_path / "cases.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CommandError) as failed:
        call_command("conformance", str(path))
    message = str(failed.value)
    assert message.startswith(str(path))
    assert sentence in message
    assert failed.value.returncode == 2


@pytest.mark.parametrize("path", sorted(KUEUE.glob("*.json")), ids=lambda path: path.stem)
def test_the_product_agrees_with_the_cases_of_kueue(path: Path) -> None:
    results = [run_case(each) for each in json.loads(path.read_text())]
    assert [each for each in results if each.verdict is Verdict.DIFFERS] == []
    assert any(each.verdict is Verdict.AGREES for each in results)
