"""The successor of a queue is the same queue: one change, however different its settings are."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.objects import (
    compare_policies,
    continued_queues,
    current_queue,
    find_replacements,
    vocabulary_of,
)
from console.engine.model.policy import Policy
from console.pages.presenters.configs.changes import change_chips, change_line

NATIVE = dialects()["native"]
TEXT = """\
resource_flavors: [{name: a100}, {name: spot}]
resource_queues:
  - name: NAME
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: FLAVOR, resources: [{name: gpu, nominal_quota: QUOTA}]}]
  - name: dev
scheduling_rules:
  - selector: [{key: team, operator: in, values: [train]}]
    resource_queue: NAME
  - resource_queue: dev
"""


def policy(name: str, quota: int = 64, flavor: str = "a100") -> Policy:
    text = TEXT.replace("NAME", name).replace("QUOTA", str(quota)).replace("FLAVOR", flavor)
    found = NATIVE.read(text, {}).policy
    assert found is not None
    return found


def lines(old: Policy, new: Policy) -> list[tuple[str, str, list[str]]]:
    found = []
    for change in compare_policies(old, new):
        line = change_line(change, vocabulary_of("native"))
        found.append((line.sign, line.text, [each.text for each in line.details]))
    return found


def test_a_successor_is_one_changed_queue() -> None:
    old, new = policy("train"), policy("train:v2", 96)
    assert lines(old, new) == [
        (
            "~",
            "Queue train changed",
            ["a100 / gpu nominal 64 → 96 (+32)", "continues as train:v2"],
        )
    ]
    chips = change_chips(compare_policies(old, new), vocabulary_of("native"))
    assert [each.text for each in chips] == ["~1 queue"]
    assert continued_queues(old, new) == {"train": "train:v2"}


def test_a_successor_without_any_equal_number_is_one_changed_queue() -> None:
    ((sign, text, details),) = lines(policy("train:v2"), policy("train:v3", 8, "spot"))
    assert (sign, text, details[-1]) == ("~", "Queue train:v2 changed", "continues as train:v3")


def test_a_rollback_continues_the_queue_under_its_former_name() -> None:
    old, new = policy("train:v2", 96), policy("train")
    assert continued_queues(old, new) == {"train:v2": "train"}
    assert find_replacements(old, new, ["train:v2"]) == {"train:v2": "train"}


@pytest.mark.parametrize("name", ["lab", "train-v2", "train:2"])
def test_another_stem_is_another_queue(name: str) -> None:
    old, new = policy("train"), policy(f'"{name}"')
    assert continued_queues(old, new) == {}
    assert lines(old, new)[0][1] == f"Queue train renamed to {name}"


def test_a_name_leads_to_the_queue_that_continues_it() -> None:
    new = policy("train:v3")
    assert current_queue(new, "train") == "train:v3"
    assert current_queue(new, "train:v2") == "train:v3"
    assert current_queue(new, "train:v3") == "train:v3"
    assert current_queue(new, "dev") == "dev"
    assert current_queue(new, "nowhere") == "nowhere"
    both = TEXT.replace("NAME", "train:v3").replace("QUOTA", "1").replace("FLAVOR", "spot")
    two = NATIVE.read(both.replace("name: dev\n", "name: train:v4\n"), {}).policy
    assert two is None or current_queue(two, "train") == "train"


def test_other_languages_have_no_successors() -> None:
    assert [name for name in dialects() if vocabulary_of(name).of("queue").lineage is not None] == [
        "native"
    ]
