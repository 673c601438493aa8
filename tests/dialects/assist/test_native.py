"""Completion and help in the native dialect, by cursor position."""

from __future__ import annotations

import pytest

from tests.dialects.assist.cursor import assistant, completions, explained, inserted

QUEUES = "resource_flavors:\n- name: spot\nresource_queues:\n- name: vision\n  cohort_name: ml\n"

OFFERED = {
    "|": ["resource_flavors:", "resource_queues:", "scheduling_rules:"],
    "res|": ["resource_flavors:", "resource_queues:"],
    "resource_flavors:\n|": [
        *("- name: ", "- selector:", "- advanced_instance_config:"),
        *("resource_queues:", "scheduling_rules:"),
    ],
    "resource_flavors:\n  |": ["- name: ", "- selector:", "- advanced_instance_config:"],
    "resource_flavors:\n  - |": ["name: ", "selector:", "advanced_instance_config:"],
    "resource_flavors:\n  - name: a\n    |": ["selector:", "advanced_instance_config:"],
    "resource_flavors:\n  - |\n    name: a": ["selector:", "advanced_instance_config:"],
    "resource_flavors:\n  - sel|ector: []": ["selector"],
    "resource_flavors:\n- selector: [{ key: team, op|": ["operator: "],
    "resource_flavors:\n- selector: [{ key: team, operator: |": [
        *("in", "not_in", "exists", "does_not_exist"),
    ],
    "resource_flavors:\n- selector:\n  - key: team\n    operator: not|": [
        "not_in",
        "does_not_exist",
    ],
    QUEUES + "- name: b\n  cohort_name: |": ["ml"],
    QUEUES + "  resource_groups:\n  - covered_resources: [cpu, |]": [
        *("gpu", "cpu", "memory_gb", "tpu"),
    ],
    QUEUES + "  resource_groups:\n  - flavors:\n    - name: s|": ["spot"],
    QUEUES + "scheduling_rules:\n- resource_queue: |": ["vision"],
    QUEUES + "scheduling_rules:\n- { resource_queue: |": ["vision"],
    QUEUES + "scheduling_rules:\n- resource_queue: 'v|": ["vision"],
    '{"scheduling_rules": [{"|': ["selector:", "resource_queue: ", "priority_policy:"],
    # An unclosed bracket does not swallow the following lines.
    "resource_flavors:\n- selector: [{ key: team\nresource_queues:\n- na|": [
        *("name: ", "cohort_name: "),
    ],
    # No completions in comments, in block scalars, or behind a value.
    "resource_flavors: # |": [],
    "resource_flavors:\n- name: |x\n": [],
    "resource_flavors:\n- name: >\n    |": [],
    "resource_flavors:\n- name: 'x' |": [],
    "nothing_known:\n  |": [],
}


@pytest.mark.parametrize(("marked", "expected"), OFFERED.items())
def test_completions_at_the_cursor(marked: str, expected: list[str]) -> None:
    assert inserted("native", marked) == expected


def test_completed_names_are_quoted_if_yaml_requires_it() -> None:
    text = 'resource_queues:\n- name: "true"\nscheduling_rules:\n- resource_queue: |'
    assert inserted("native", text) == ['"true"']


def test_completion_has_its_kind_and_text() -> None:
    name, selector, _ = completions("native", "resource_flavors:\n- |")
    assert (name.kind, name.is_required, name.facts.description) == (
        "key",
        True,
        "How resource groups refer to the flavor.",
    )
    assert (selector.is_required, selector.facts.types) == (False, ("array",))
    (queue,) = completions("native", QUEUES + "scheduling_rules:\n- resource_queue: |")
    assert (queue.label, queue.kind) == ("vision", "queue")


EXPLAINED = {
    "resource_queues:\n- pree|mption: {}": ("preemption", "", (), ""),
    "resource_queues:\n- preemption: { within_resource_queue: ne|ver }": (
        *("within_resource_queue", ""),
        *(("never", "lower_priority"), "never"),
    ),
    QUEUES + "scheduling_rules:\n- resource_queue: vis|ion": ("resource_queue", "vision", (), ""),
}


@pytest.mark.parametrize(("marked", "expected"), EXPLAINED.items())
def test_help_at_the_cursor(marked: str, expected: tuple[str, str, tuple[str, ...], str]) -> None:
    told = explained("native", marked)
    assert told is not None
    assert (told.key, told.name, told.facts.choices, told.facts.default) == expected
    assert told.facts.description


@pytest.mark.parametrize("marked", ["|", "unknown|: 1", "# not|e", "resource_queues: []\n|"])
def test_unknown_fields_have_no_help(marked: str) -> None:
    assert explained("native", marked) is None


def test_an_unfinished_text_has_an_outline() -> None:
    names = assistant("native", QUEUES + "- na\nscheduling_rules:\n- resource_queue: vis").names
    assert [(item.kind, item.name, item.number, item.line) for item in names.items] == [
        ("flavor", "spot", 1, 2),
        ("queue", "vision", 1, 4),
        ("rule", "vis", 1, 8),
        ("cohort", "ml", 1, 5),
    ]
    assert [(each.kind, each.name, each.line) for each in names.references] == [
        ("cohort", "ml", 5),
        ("queue", "vis", 8),
    ]
    around = names.item_at(5)
    assert around is not None
    assert around.name == "vision"
