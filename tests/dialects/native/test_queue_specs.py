"""The first version that contains a queue name fixes the spec of that queue."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from console.dialects.base import PastSpec, Reading
from console.dialects.native import DIALECT
from console.dialects.positions import apply_fix

TEXT = """\
resource_flavors: [{ name: f }, { name: g }]
resource_queues:
  - name: team-a
    preemption: { within_resource_queue: lower_priority }
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: f
            resources:
              - { name: gpu, nominal_quota: 8 }
              - { name: cpu, nominal_quota: 1.5 }
          - name: g
scheduling_rules:
  - resource_queue: team-a
    selector: [{ key: team, operator: in, values: [a] }]
  - resource_queue: 'team-a'
"""


def past_of(reading: Reading, version: int = 3) -> dict[str, PastSpec]:
    """Return the queue specs that *reading* fixes, as they come back from the database."""
    specs: Mapping[str, Mapping[str, object]] = json.loads(json.dumps(reading.queue_specs))
    return {name: PastSpec(version=version, spec=spec) for name, spec in specs.items()}


PAST = past_of(DIALECT.read(TEXT, {}))

SAME = {
    "nothing": (),
    "order of resources in a flavor": (
        ("- { name: gpu, nominal_quota: 8 }", "- { name: cpu, nominal_quota: 1.5 }"),
        (
            "cpu, nominal_quota: 1.5 }\n          - name: g",
            "gpu, nominal_quota: 8 }\n          - name: g",
        ),
    ),
    "order of covered resources": (("[gpu, cpu]", "[cpu, gpu]"),),
    "spelling of numbers": (("quota: 8", "quota: 8.0"), ("quota: 1.5", "quota: 1.500")),
    "an explicit default": (
        ("lower_priority }", "lower_priority, reclaim_within_cohort: never }"),
    ),
    "an unlimited resource written out": (
        ("- name: g\n", "- { name: g, resources: [{ name: gpu }] }\n"),
    ),
    "flavors and rules": (
        ("{ name: f }", "{ name: f, selector: [] }"),
        ("values: [a]", "values: [b]"),
    ),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_change_without_effect_is_no_change_of_the_spec(change: tuple[tuple[str, str], ...]):
    text = TEXT
    for old, new in change:
        assert old in text
        text = text.replace(old, new)
    reading = DIALECT.read(text, PAST)
    assert reading.errors == ()
    assert reading.queue_specs == DIALECT.read(TEXT, {}).queue_specs


CHANGED = {
    "quota": (
        "nominal_quota: 8",
        "nominal_quota: 9",
        "resource_groups[0].flavors[0].resources.gpu.nominal_quota was 8, now 9",
    ),
    "quota removed": (
        "{ name: gpu, nominal_quota: 8 }",
        "{ name: gpu }",
        "resource_groups[0].flavors[0].resources.gpu was {nominal_quota: 8}, now absent",
    ),
    "preemption": (
        "lower_priority",
        "never",
        "preemption.within_resource_queue was lower_priority, now never",
    ),
    "flavors": (
        "          - name: g\n",
        "",
        "resource_groups[0].flavors was [f, g], now [f]",
    ),
    "covered resources": (
        "[gpu, cpu]",
        "[gpu, cpu, tpu]",
        "resource_groups[0].covered_resources was [cpu, gpu], now [cpu, gpu, tpu]",
    ),
}


@pytest.mark.parametrize(("old", "new", "difference"), CHANGED.values(), ids=CHANGED)
def test_a_change_is_one_error_at_the_queue_with_a_new_name(old: str, new: str, difference: str):
    text = TEXT.replace(old, new)
    (error,) = DIALECT.read(text, PAST).errors
    assert (error.code, error.span.line, error.span.column) == ("NAT015", 3, 11)
    assert error.path == "resource_queues[0].name"
    assert error.message == (f'Queue "team-a" cannot be changed after version 3: {difference}.')
    (fix,) = error.fixes
    assert fix.title == 'Make successor "team-a:v2", in the rules too'
    renamed = apply_fix(text, fix)
    assert renamed == text.replace("team-a\n", "team-a:v2\n").replace("'team-a'", "team-a:v2")
    assert DIALECT.read(renamed, PAST).ok


def test_the_order_of_flavors_is_a_change():
    text = TEXT.replace("- name: f\n", "- name: x\n").replace("- name: g\n", "- name: f\n")
    text = text.replace("- name: x\n", "- name: g\n")
    assert [d.code for d in DIALECT.read(text, PAST).errors] == ["NAT015"]


def test_many_differences_are_counted():
    text = TEXT.replace("          - name: g\n", "").replace("lower_priority", "never")
    text = text.replace("quota: 8", "quota: 9").replace("[gpu, cpu]", "[gpu, cpu, tpu]")
    text = text.replace("name: f\n", "name: g\n")
    past = {
        "team-a": PastSpec(
            version=1,
            spec=DIALECT.read(TEXT.replace("          - name: g\n", ""), {}).queue_specs["team-a"],
        )
    }
    text = text.replace("quota: 1.5", "quota: 2")
    (error,) = DIALECT.read(text, past).errors
    assert error.message.endswith(" and 1 more.")


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("team-a", [], "team-a:v2"),
        ("team-a", ["team-a:v2", "team-a:v3"], "team-a:v4"),
        ("team-a:v2", [], "team-a:v3"),
        ("team-a:v9", ["team-a:v10"], "team-a:v11"),
    ],
)
def test_proposed_name_is_free(name: str, taken: list[str], expected: str):
    spec = PAST["team-a"].spec
    past = {queue: PastSpec(version=1, spec=spec) for queue in [name, *taken]}
    text = (
        f"resource_queues: [{{ name: {name} }}]\nscheduling_rules: [{{ resource_queue: {name} }}]"
    )
    (error,) = DIALECT.read(text, past).errors
    assert apply_fix(text, error.fixes[0]) == text.replace(name, expected)


def test_restored_unchanged_queue_has_no_finding():
    assert DIALECT.read("resource_flavors: []", PAST).ok
    assert DIALECT.read(TEXT, PAST).ok


def test_a_queue_with_another_error_is_not_compared():
    text = TEXT.replace("nominal_quota: 8", "nominal_quota: eight")
    reading = DIALECT.read(text, PAST)
    assert [d.code for d in reading.errors] == ["DOC009"]
    assert reading.queue_specs == {}
