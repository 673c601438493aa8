"""Presenters: bars that do not lie, merges that lose nothing, lines that stay themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.amounts import UNLIMITED, Amount
from console.pages.presenters.merge import Merge, merge_texts
from console.pages.presenters.quota import DEMAND, FRAME, bar_of
from console.pages.presenters.source import source_lines
from console.pages.presenters.workloads import linked
from console.workloads.queries import UsageView


def usage(nominal: Amount, used: int, demand: int = 0) -> UsageView:
    """Return the usage of one flavor-resource, in thousandths."""
    free = max(0, nominal - used) if isinstance(nominal, int) else UNLIMITED
    return UsageView(
        flavor="spot",
        resource="gpu",
        nominal=nominal,
        used=used,
        available=free,
        limit=nominal,
        demand=demand,
    )


@pytest.mark.parametrize(
    ("shown", "draining", "words"),
    [
        (usage(8000, 6000, 3500), False, "spot gpu: 6 of 8 gpu used, 2 free, wants 3.5 more"),
        (usage(8000, 0), False, "spot gpu: 0 of 8 gpu used, 8 free"),
        (usage(8000, 8000), False, "spot gpu: 8 of 8 gpu used"),
        (usage(8000, 12000), False, "spot gpu: 12 of 8 gpu used, 4 over nominal"),
        (usage(0, 0, 1000), False, "spot gpu: 0 gpu used of 0, blocked, wants 1 more"),
        (usage(0, 2000), False, "spot gpu: 2 gpu used of 0, over nominal"),
        (usage(0, 2000), True, "spot gpu: 2 gpu used of 0, draining"),
        (usage(UNLIMITED, 5000), False, "spot gpu: 5 gpu used, no limit"),
    ],
)
def test_the_sentence_of_a_bar(shown: UsageView, draining: bool, words: str) -> None:
    assert bar_of(shown, draining=draining).sentence == words


amounts = st.integers(0, 10**15)


@given(nominal=amounts | st.just(UNLIMITED), used=amounts, demand=amounts)
def test_a_bar_stays_in_its_frame_and_shows_what_there_is(
    nominal: Amount, used: int, demand: int
) -> None:
    bar = bar_of(usage(nominal, used, demand))
    assert bar.own + bar.over <= FRAME
    assert 0 <= bar.demand <= DEMAND
    assert bool(bar.own or bar.over) == bool(used)
    if isinstance(nominal, int):
        assert bool(bar.demand) == bool(demand)
        assert bool(bar.over) == (used > nominal)
        assert bar.blocked == (nominal == 0 and used == 0)


def test_numbers_that_contradict_each_other_are_not_drawn() -> None:
    assert bar_of(usage(8000, -1)).broken


texts = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=8).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


@given(base=texts, other=texts)
def test_a_change_of_one_side_alone_is_taken(base: str, other: str) -> None:
    assert merge_texts(base, base, other) == Merge(other, 0)
    assert merge_texts(base, other, base) == Merge(other, 0)
    assert merge_texts(base, other, other) == Merge(other, 0)


@given(base=texts, one=texts, other=texts)
def test_who_is_called_theirs_does_not_matter(base: str, one: str, other: str) -> None:
    assert merge_texts(base, one, other) == merge_texts(base, other, one)


def test_both_changes_are_in_the_merge() -> None:
    base = "a\nb\nc\nd\ne\n"
    assert merge_texts(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n") == Merge(
        "A\nb\nc\nd\nE\nf\n", 0
    )


def test_the_same_place_changed_twice_is_a_conflict() -> None:
    assert merge_texts("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n") == Merge(None, 1)


@given(st.text(alphabet="a: -#'\"{}\t", max_size=40))
def test_the_parts_of_a_line_are_the_line(text: str) -> None:
    found = [f"{line.lead}{line.key}{line.rest}{line.comment}" for line in source_lines(text)]
    assert found == text.splitlines()


@given(st.text(alphabet="ab. ", max_size=20), st.dictionaries(st.sampled_from("12"), st.text("ab")))
def test_linking_names_loses_no_text(text: str, others: dict[str, str]) -> None:
    found = linked(text, {uid: name or uid for uid, name in others.items()})
    assert "".join(part.text for part in found).startswith(text)
    assert {part.uid for part in found if part.uid} == set(others)
