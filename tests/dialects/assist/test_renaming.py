"""Renaming in a text changes names and references, and leaves equal words alone."""

from __future__ import annotations

import pytest

from console.dialects import dialects
from console.dialects.assist.renaming import rename_in

NATIVE = """\
# Queue research, of flavor research.
resource_flavors:
  - name: research
resource_queues:
  - {name: "research", cohort_name: research}
  - name: other
    cohort_name: research  # research
scheduling_rules:
  - selector: [{key: research, operator: in, values: [research]}]
    resource_queue: 'research'
  - {resource_queue: research}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_each_kind_has_names_of_its_own(end: str, mark: str) -> None:
    text = mark + NATIVE.replace("\n", end)
    native = dialects()["native"]
    expected = {
        "queue": NATIVE.replace('{name: "research"', "{name: labs:v2")
        .replace("resource_queue: 'research'", "resource_queue: labs:v2")
        .replace("{resource_queue: research}", "{resource_queue: labs:v2}"),
        "cohort": NATIVE.replace("cohort_name: research", "cohort_name: labs:v2"),
        "flavor": NATIVE.replace("  - name: research\n", "  - name: labs:v2\n"),
        "rule": NATIVE,
    }
    found = {kind: rename_in(native, text, {kind: {"research": "labs:v2"}}) for kind in expected}
    assert found == {kind: mark + each.replace("\n", end) for kind, each in expected.items()}


def test_renamed_value_is_quoted_if_necessary() -> None:
    text = "resource_queues: [{name: a}]\nscheduling_rules: [{resource_queue: a}]\n"
    names = {"queue": {"a": "yes", "b": "c"}}
    assert rename_in(dialects()["native"], text, names) == (
        'resource_queues: [{name: "yes"}]\nscheduling_rules: [{resource_queue: "yes"}]\n'
    )


def test_renaming_leaves_too_long_or_broken_texts_unchanged() -> None:
    native, names = dialects()["native"], {"queue": {"research": "labs"}}
    long = NATIVE + "# Long.\n" * 60_000
    assert rename_in(native, long, names) == long
    assert rename_in(native, "resource_queues: {{", names) == "resource_queues: {{"
