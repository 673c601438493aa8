"""Presenters: bars that do not lie, merges that lose nothing, lines that stay themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.amounts import UNLIMITED, Amount
from console.pages.presenters.quota import DEMAND, FRAME, Segment, bar_of
from console.pages.presenters.source import source_lines
from console.pages.presenters.workloads import linked
from console.workloads.queries import UsageView


def usage(nominal: Amount, used: int, demand: int = 0, **more: Any) -> UsageView:
    """Return the usage of one flavor-resource, in thousandths; alone unless *more* says so."""
    free = max(0, nominal - used) if isinstance(nominal, int) else UNLIMITED
    borrowed = more.get("borrowed", 0)
    beyond = max(0, used - nominal) if isinstance(nominal, int) else 0
    shown = UsageView(
        flavor="spot",
        resource="gpu",
        nominal=nominal,
        used=used,
        borrowed=borrowed,
        over=beyond - borrowed,
        lent=0,
        is_certain=True,
        available=free,
        limit=nominal,
        borrowing_limit=UNLIMITED,
        lending_limit=UNLIMITED,
        demand=demand,
    )
    return replace(shown, **more)


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
    assert bar.own.x + bar.own.width <= FRAME
    assert bar.over.x + bar.over.width <= FRAME
    assert 0 <= bar.demand <= DEMAND
    assert bool(bar.own.width or bar.over.width) == bool(used)
    if isinstance(nominal, int):
        assert bool(bar.demand) == bool(demand)
        assert bool(bar.over.width) == (used > nominal)
        assert bar.blocked == (nominal == 0 and used == 0)


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (
            usage(64000, 76000, 212000, borrowed=12000, available=4000, limit=80000),
            "spot gpu: 76 of 64 gpu used, 12 borrowed, limit 80, 4 available, wants 212 more",
        ),
        (
            usage(32000, 12000, lent=14000, is_certain=False, available=6000, limit=50000),
            "spot gpu: 12 of 32 gpu used, up to 14 lent, limit 50, 6 available",
        ),
        (
            usage(8000, 4000, lent=4000, available=0, limit=UNLIMITED),
            "spot gpu: 4 of 8 gpu used, 4 lent, limit unlimited",
        ),
        (
            usage(8000, 12000, borrowed=1000, available=0, limit=9000),
            "spot gpu: 12 of 8 gpu used, 1 borrowed, 3 over nominal, limit 9",
        ),
        (
            usage(0, 0, available=8000, limit=8000),
            "spot gpu: 0 of 0 gpu used, limit 8, 8 available",
        ),
        (usage(0, 2000, borrowed=2000), "spot gpu: 2 gpu used of 0, 2 borrowed"),
        (usage(0, 3000, borrowed=1000), "spot gpu: 3 gpu used of 0, 1 borrowed, 2 over nominal"),
    ],
)
def test_the_sentence_of_a_bar_in_a_cohort(shown: UsageView, words: str) -> None:
    assert bar_of(shown).sentence == words


def test_bytes_are_written_as_kubernetes_writes_them() -> None:
    gibi = 2**30 * 1000
    shown = usage(768 * gibi, 800 * gibi, 64 * gibi, borrowed=32 * gibi, limit=1024 * gibi)
    assert bar_of(replace(shown, resource="memory", available=8 * gibi)).sentence == (
        "spot memory: 800Gi of 768Gi memory used, 32Gi borrowed, limit 1Ti, 8Gi available, "
        "wants 64Gi more"
    )


def test_the_parts_of_a_bar_in_a_cohort() -> None:
    borrows = bar_of(usage(50000, 60000, borrowed=10000, available=20000, limit=100000))
    assert (borrows.own, borrows.borrowed, borrows.room) == (
        Segment(1, 356),
        Segment(359, 69),
        Segment(430, 140),
    )
    assert (borrows.track, borrows.mark, borrows.limit) == (357, 357, 714)
    lends = bar_of(usage(50000, 10000, lent=20000, available=60000, limit=100000))
    assert (lends.own, lends.lent, lends.room) == (
        Segment(1, 71),
        Segment(216, 141),
        Segment(359, 140),
    )
    far = bar_of(usage(10000, 5000, available=200000, limit=300000))
    assert (far.unlimited, far.own, far.mark, far.limit) == (True, Segment(1, 118), 238, 0)
    both = bar_of(usage(0, 2000, borrowed=1000))
    assert (both.borrowed, both.over) == (Segment(1, 356), Segment(359, 354))
    only = bar_of(usage(0, 0, available=8000, limit=8000))
    assert (only.blocked, only.track, only.room) == (False, 0, Segment(1, 712))


@pytest.mark.parametrize(
    "shown",
    [
        usage(8000, -1),
        usage(8000, 4000, lent=5000),
        usage(8000, 9000, borrowed=1000, lent=1000),
        usage(8000, 9000, borrowed=2000),
        usage(8000, 4000, lent=-1),
    ],
)
def test_numbers_that_contradict_each_other_are_not_drawn(shown: UsageView) -> None:
    assert bar_of(shown).broken


@given(st.data())
def test_every_part_of_a_bar_in_a_cohort_stays_in_its_frame(data: st.DataObject) -> None:
    nominal, used = data.draw(amounts), data.draw(amounts)
    borrowed = data.draw(st.integers(0, max(0, used - nominal)))
    lent = data.draw(st.integers(0, max(0, nominal - used)))
    limit = data.draw(st.integers(nominal, 10**15) | st.just(UNLIMITED))
    bar = bar_of(
        usage(
            nominal, used, borrowed=borrowed, lent=lent, available=data.draw(amounts), limit=limit
        )
    )
    assert not bar.broken
    for part in (bar.own, bar.lent, bar.borrowed, bar.over, bar.room):
        assert 0 <= part.x <= part.x + part.width <= FRAME
    assert (bool(bar.borrowed.width), bool(bar.lent.width)) == (bool(borrowed), bool(lent))
    assert 0 <= bar.track <= FRAME
    assert 0 <= bar.mark <= FRAME
    assert 0 <= bar.limit <= FRAME


@given(st.text(alphabet="a: -#'\"{}\t", max_size=40))
def test_the_parts_of_a_line_are_the_line(text: str) -> None:
    found = [f"{line.lead}{line.key}{line.rest}{line.comment}" for line in source_lines(text)]
    assert found == text.splitlines()


@given(st.text(alphabet="ab. ", max_size=20), st.dictionaries(st.sampled_from("12"), st.text("ab")))
def test_linking_names_loses_no_text(text: str, others: dict[str, str]) -> None:
    found = linked(text, {uid: name or uid for uid, name in others.items()})
    assert "".join(part.text for part in found).startswith(text)
    assert {part.uid for part in found if part.uid} == set(others)
