"""Diffs of texts: lines with context, side by side, and marked words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.engine.diff import Line, lines, side_by_side, text_diff


def rows(old: str, new: str) -> list[str]:
    marks = {"same": " ", "added": "+", "removed": "-", "gap": "@"}
    return [f"{marks[row.kind]}{row.text}" for row in text_diff(old, new)]


def test_lines_with_context():
    old = "\n".join(f"line {i}" for i in range(1, 21))
    new = old.replace("line 10", "line ten")
    assert rows(old, old) == []
    assert rows("", "") == []
    assert rows("", "a") == ["+a"]
    assert rows(old, new) == [
        "@6 unchanged lines",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "+line ten",
        " line 11",
        " line 12",
        " line 13",
        "@7 unchanged lines",
    ]
    assert [(row.old, row.new) for row in text_diff(old, new)][3:6] == [
        (9, 9),
        (10, None),
        (None, 10),
    ]


def test_huge_texts_are_compared_too():
    old = "\n".join(f"a{i}" for i in range(30_000))
    new = "\n".join(f"b{i}" for i in range(30_000))
    assert len(text_diff(old, new)) == 60_000
    assert rows(old, old.replace("a15000\n", "")) == [
        "@14997 unchanged lines",
        " a14997",
        " a14998",
        " a14999",
        "-a15000",
        " a15001",
        " a15002",
        " a15003",
        "@14996 unchanged lines",
    ]


def test_words_that_differ_are_marked():
    removed, added = text_diff("    nominal_quota: 64", "    nominal_quota: 48")
    assert removed.pieces == (("    nominal_quota: ", False), ("64", True))
    assert added.pieces == (("    nominal_quota: ", False), ("48", True))
    assert text_diff("alpha", "omega")[0].pieces == ()
    # Common spaces alone do not make two lines similar.
    assert text_diff("# one of two or more", "# all in it by and by")[0].pieces == ()


def test_marked_lines_are_limited() -> None:
    old = "\n".join(f"key: {i}" for i in range(3000))
    new = "\n".join(f"key: {i}x" for i in range(3000))
    marked = [row for row in text_diff(old, new) if row.pieces]
    assert len(marked) == 2 * 2000
    assert marked[-1].new == 2000


def test_marking_of_long_lists_is_limited_by_cost() -> None:
    values = ", ".join(f"v{i}" for i in range(200))
    old = "\n".join(f"- [{values}, a{line}]" for line in range(100))
    new = "\n".join(f"- [{values}, b{line}]" for line in range(100))
    marked = [row.new for row in text_diff(old, new) if row.pieces and row.new]
    # 80,000 pairs of equal commas and spaces in each line.
    assert marked == [1, 2, 3, 4, 5, 6]


def test_white_space_can_be_left_out():
    assert len(text_diff("a:  1\nb: 2", "a: 1\nb: 3")) == 4
    rows = text_diff("a:  1\nb: 2", "a: 1\nb: 3", ignore_space=True)
    assert [(row.kind, row.text) for row in rows] == [
        (Line.SAME, "a: 1"),
        (Line.REMOVED, "b: 2"),
        (Line.ADDED, "b: 3"),
    ]
    assert text_diff("a:  1 ", "a: 1", ignore_space=True) == []


def test_side_by_side_pairs_changed_lines():
    rows = side_by_side(text_diff("same\none\ntwo", "same\nONE\n2\n3"))
    assert [(row.old and row.old.text, row.new and row.new.text) for row in rows] == [
        ("same", "same"),
        ("one", "ONE"),
        ("two", "2"),
        (None, "3"),
    ]


def test_chosen_lines_are_shown_and_the_gap_is_split() -> None:
    old = "\n".join(f"line {number}" for number in range(1, 21))
    new = old.replace("line 20", "last")
    found = text_diff(old, new, shown={8, 9})
    assert [(row.kind, row.new, row.hidden, row.text) for row in found] == [
        (Line.GAP, None, 1, "7 unchanged lines"),
        (Line.SAME, 8, 8, "line 8"),
        (Line.SAME, 9, 9, "line 9"),
        (Line.GAP, None, 10, "7 unchanged lines"),
        (Line.SAME, 17, 0, "line 17"),
        (Line.SAME, 18, 0, "line 18"),
        (Line.SAME, 19, 0, "line 19"),
        (Line.REMOVED, None, 0, "line 20"),
        (Line.ADDED, 20, 0, "last"),
    ]
    # A single line is not worth a gap.
    assert [row.new for row in text_diff(old, new, shown=set(range(1, 16)))][:16] == [*range(1, 17)]


texts = st.lists(st.sampled_from(["a", "b", "a  ", "c: 1", "c: 2", ""]), max_size=30)


def test_lines_of_huge_texts_are_matched_however_many_are_alike() -> None:
    told = [line for i in range(3000) for line in (f"- name: q{i}", "  stop: none", "")]
    old = "\n".join(told)
    assert rows(old, "first\n" + old.replace("q1500\n", "other\n") + "last") == [
        "+first",
        " - name: q0",
        "   stop: none",
        " ",
        "@4494 unchanged lines",
        " - name: q1499",
        "   stop: none",
        " ",
        "-- name: q1500",
        "+- name: other",
        "   stop: none",
        " ",
        " - name: q1501",
        "@4492 unchanged lines",
        " ",
        " - name: q2999",
        "   stop: none",
        "+last",
    ]


@settings(deadline=None)
@given(old=texts, new=texts, most=st.sampled_from([0, 4000]))
def test_rows_of_a_diff_restore_both_texts(old: list[str], new: list[str], most: int) -> None:
    one, other = "\n".join(old), "\n".join(new)
    before, after = one.splitlines(), other.splitlines()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_MATCHED", most)
        rows = text_diff(one, other)
    for row in rows:
        if row.kind is Line.GAP:
            continue
        if row.old is not None:
            assert before[row.old - 1] == row.text
        if row.new is not None:
            assert after[row.new - 1] == row.text
        assert not row.pieces or "".join(piece.text for piece in row.pieces) == row.text
    kept = len(before) - sum(row.kind is Line.REMOVED for row in rows)
    assert kept == len(after) - sum(row.kind is Line.ADDED for row in rows)
    assert bool(rows) == (before != after)


def test_lines_are_counted_as_origins_count_them() -> None:
    old, new = "# a\x85b\u2028c\r\nx: 1\r\n", "# a\x85b\u2028c\r\nx: 2\r\n"
    assert [(row.kind, row.old, row.new, row.text) for row in text_diff(old, new)] == [
        (Line.SAME, 1, 1, "# a\x85b\u2028c"),
        (Line.REMOVED, 2, None, "x: 1"),
        (Line.ADDED, None, 2, "x: 2"),
    ]
