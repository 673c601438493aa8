"""Rules at another position: their lines and comments move along, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.moving import movable_objects, moved, with_moved
from console.engine.diff.ordered import meaning

NATIVE, YUNIKORN = dialects()["native"], dialects()["yunikorn"]
TEXT = """\
# Queues.
resource_queues: [{name: a}, {name: b}]
scheduling_rules:
  # The first.
  - selector: [{key: team, operator: in, values: [a]}]  # team a
    resource_queue: a

  # Those of b,
  # in two lines.
  - selector: [{key: team, operator: in, values: [b]}]
    resource_queue: b
  - resource_queue: a
# The end.
"""
RULES = """\
partitions:
  - name: default
    placementrules:
      - name: provided # by tag
      # Users have queues.
      - name: user
        create: true
    queues: [{name: root, submitacl: "*"}]
  - name: gpu
    placementrules:
      - name: fixed
        value: root.all
    queues: [{name: root, submitacl: "*", queues: [{name: all}]}]
"""


def move(dialect: Dialect, text: str, place: int, to: int) -> str | None:
    objects = dialect.read_objects(text, {})
    assert objects is not None
    return with_moved(dialect, text, objects, place, to)


def test_a_rule_takes_its_lines_and_comments_along() -> None:
    first, second, third = (
        TEXT[TEXT.index("  # The first.") : TEXT.index("\n  # Those") + 0],
        TEXT[TEXT.index("\n  # Those") : TEXT.index("  - resource_queue: a\n# The end")],
        "  - resource_queue: a\n",
    )
    start, end = TEXT[: TEXT.index(first)], "# The end.\n"
    assert start + first + second + third + end == TEXT
    assert move(NATIVE, TEXT, 0, 2) == start + second + third + first + end
    assert move(NATIVE, TEXT, 2, 0) == start + third + first + second + end
    assert move(NATIVE, TEXT, 1, 1) == TEXT


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay(end: str) -> None:
    text = TEXT.replace("\n", end)
    expected = move(NATIVE, TEXT, 0, 1)
    assert expected is not None
    assert move(NATIVE, text, 0, 1) == expected.replace("\n", end)


def test_a_text_without_a_last_line_end_has_none_afterwards() -> None:
    text = TEXT.removesuffix("# The end.\n").removesuffix("\n")
    expected = move(NATIVE, text + "\n", 0, 2)
    assert expected is not None
    assert move(NATIVE, text, 0, 2) == expected.removesuffix("\n")


def test_placement_rules_move_inside_their_partition() -> None:
    after = move(YUNIKORN, RULES, 0, 1)
    provided = "      - name: provided # by tag\n"
    user = "      # Users have queues.\n      - name: user\n        create: true\n"
    assert after == RULES.replace(provided + user, user + provided)
    assert move(YUNIKORN, RULES, 0, 2) is None


def test_rules_on_one_line_cannot_be_moved() -> None:
    text = (
        "resource_queues: [{name: a}, {name: b}]\n"
        "scheduling_rules: [{resource_queue: a}, {resource_queue: b}]\n"
    )
    assert move(NATIVE, text, 0, 1) is None


def test_languages_say_whether_rules_can_be_moved() -> None:
    assert [name for name, each in dialects().items() if each.movable_kind] == [
        "native",
        "yunikorn",
    ]
    for dialect in dialects().values():
        if not dialect.movable_kind:
            assert movable_objects(dialect, dialect.objects(dialect.empty_policy)) == ()


_SAMPLES = [
    pytest.param(dialect, text, id=f"{dialect.name}: {title}")
    for dialect in (NATIVE, YUNIKORN)
    for title, text in dialect.samples().items()
]


@pytest.mark.parametrize(("dialect", "text"), _SAMPLES)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_a_move_and_its_reverse_are_the_text(
    dialect: Dialect, text: str, data: st.DataObject
) -> None:
    objects = dialect.read_objects(text, {})
    assert objects is not None
    rules = movable_objects(dialect, objects)
    if not rules:
        return
    place, to = (data.draw(st.integers(0, len(rules) - 1)) for _ in range(2))
    after = move(dialect, text, place, to)
    if after is None:
        return
    found = dialect.read_objects(after, {})
    assert found is not None
    assert [meaning(each) for each in movable_objects(dialect, found)] == [
        meaning(each) for each in moved(rules, place, to)
    ]
    assert sorted(after.splitlines()) == sorted(text.splitlines())
    assert move(dialect, after, to, place) == text
