"""The quota bar: parts are proportional to the numbers, and inconsistent numbers are not drawn."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.engine.disciplines import load_discipline
from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import UNLIMITED, Amount, Unlimited, parse_amount
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.engine.state import State
from console.pages.presenters.quota_bars.examples import bar_cases
from console.pages.presenters.quota_bars.layout import LEAST, Segment, lay_out
from console.pages.presenters.quota_bars.quota_bar import DEMAND, FRAME, Bar, bar_of
from console.workloads.queries.freshness import Freshness
from console.workloads.queries.over_quota import OverQuotaMark
from tests.engine.strategies import draws, policies, workloads

NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)

#: Examples for properties of random worlds, which are slow to generate.
WORLDS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def usage(nominal: Amount, used: int, demand: int = 0, **more: Any) -> CapacityNode:
    """Return the usage of one flavor-resource in thousandths; without cohort unless in *more*."""
    beyond = max(0, used - nominal) if isinstance(nominal, int) else 0
    borrowed = more.get("borrowed", 0)
    extras = {
        "own": used - beyond,
        "borrowed": borrowed,
        "over": beyond - borrowed,
        "lent": more.get("lent", 0),
        "is_certain": more.get("is_certain", True),
    }
    return CapacityNode(
        kind="queue",
        path=("q",),
        flavor="spot",
        resource="gpu",
        guaranteed=nominal,
        limit=more.get("limit", nominal),
        used=used,
        entitled=used + more.get("available", max(0, nominal - used)),
        demand=demand,
        cannot_run_demand=more.get("cannot_run_demand", 0),
        extras=extras,
    )


amounts = st.integers(0, 10**15)


@st.composite
def sound_rows(draw: st.DrawFn) -> CapacityNode:
    """Draw numbers that satisfy every identity."""
    demand = draw(st.just(0) | amounts)
    cannot_run = draw(st.just(0) | amounts)
    nominal = draw(st.just(0) | amounts | st.just(UNLIMITED))
    if isinstance(nominal, Unlimited):
        return usage(nominal, draw(amounts), demand, cannot_run_demand=cannot_run)
    used = draw(st.just(0) | amounts)
    beyond = max(0, used - nominal)
    limit = draw(st.integers(nominal, 10**16) | st.just(nominal) | st.just(UNLIMITED))
    return usage(
        nominal,
        used,
        demand,
        borrowed=draw(st.just(beyond) | st.integers(0, beyond)),
        lent=0 if beyond else draw(st.just(0) | st.integers(0, nominal - used)),
        limit=limit,
        available=draw(st.just(0) | amounts),
        is_certain=draw(st.booleans()),
        cannot_run_demand=cannot_run,
    )


def parts_of(bar: Bar) -> list[Segment]:
    """Return the parts of a bar from left to right; parts of zero are empty."""
    return [bar.own, bar.free, bar.shut, bar.lent, bar.borrowed, bar.over, bar.room]


def scale_of(shown: CapacityNode) -> int:
    """Return the amount of the full frame, where quota is finite."""
    assert isinstance(shown.guaranteed, int)
    held = max(shown.guaranteed, shown.used)
    if isinstance(shown.limit, Unlimited) or shown.limit > 3 * held > 0:
        return 3 * held or 1
    return max(shown.limit, held)


def check_drawing(shown: CapacityNode, bar: Bar) -> None:
    """Check a drawing against its numbers."""
    assert not bar.broken
    drawn = [part for part in parts_of(bar) if part.width]
    # Parts neither overlap nor leave the frame.
    assert drawn == sorted(drawn, key=lambda part: part.x)
    assert all(one.end <= two.x for one, two in pairwise(drawn))
    assert all(part.x >= 0 and part.end <= FRAME and part.width >= LEAST for part in drawn)
    # Parts are visible exactly if their amount is not zero.
    for part, amount in (
        (bar.own, shown.own),
        (bar.lent, shown.lent),
        (bar.borrowed, shown.borrowed),
        (bar.over, shown.over),
        (bar.demand, shown.demand),
    ):
        assert bool(part.width) == bool(amount)
    assert bar.demand.width <= DEMAND
    assert not bar.demand.width or bar.demand.x == FRAME
    for place in (bar.mark, bar.limit, bar.peak):
        assert place is None or 0 <= place.x <= FRAME
    assert all(any(seam.x == part.end for part in drawn) for seam in bar.seams)
    if isinstance(shown.guaranteed, int) and scale_of(shown):
        check_lengths(shown, bar)


def check_lengths(shown: CapacityNode, bar: Bar) -> None:
    """Check that lengths are proportional, except for the minimum width of small parts."""
    assert isinstance(shown.guaranteed, int)
    scale = shown.used if shown.guaranteed == 0 and shown.limit == 0 else scale_of(shown)
    small = sum(1 for part in parts_of(bar) if part.width == LEAST)
    slack = 1 + LEAST * small
    for part, amount in (
        (bar.own, shown.own),
        (bar.lent, shown.lent),
        (bar.borrowed, shown.borrowed),
        (bar.over, shown.over),
    ):
        exact = amount * FRAME / scale if scale else 0
        assert abs(part.width - exact) <= slack
    unused = shown.guaranteed - shown.own - shown.lent
    both = bar.free.width + bar.shut.width
    assert abs(both - unused * FRAME / (scale or 1)) <= slack + LEAST
    if bar.mark:
        assert abs(bar.mark.x - shown.guaranteed * FRAME / scale) <= slack + LEAST
        assert bar.mark.x == bar.track.end


def numbers_in(bar: Bar) -> dict[str, int]:
    """Return the numbers in the sentence of a bar, in thousandths."""
    found = {}
    for name, pattern in (
        ("used", r"gpu: ([\d.]+) (?:of|GPUs? used)"),
        ("borrowed", r"([\d.]+) borrowed"),
        ("over", r"([\d.]+) over nominal"),
        ("lent", r"([\d.]+) lent"),
        ("available", r"([\d.]+) (?:free|available)"),
        ("demand", r"([\d.]+) requested(?! that)"),
        ("cannot_run_demand", r"([\d.]+) requested that can never run"),
    ):
        match = re.search(pattern, bar.sentence)
        number = parse_amount(match[1]) if match else 0
        assert isinstance(number, int)
        found[name] = number
    return found


def check_words(shown: CapacityNode, bar: Bar) -> None:
    """Check the sentence against the drawing."""
    said = numbers_in(bar)
    available = shown.available if isinstance(shown.available, int) else 0
    assert said["used"] == shown.used
    assert said["demand"] == shown.demand
    assert said["cannot_run_demand"] == shown.cannot_run_demand
    assert said["available"] == available
    blocked = shown.guaranteed == 0 and shown.limit == 0 and not shown.borrowed
    if not blocked:
        assert {name: said[name] for name in ("borrowed", "over", "lent")} == {
            "borrowed": shown.borrowed,
            "over": shown.over,
            "lent": shown.lent,
        }
    # The visible text contains every number of the sentence.
    asked = (bar.demand_text, bar.cannot_run_text)
    told = (bar.used_text, bar.of_text, bar.note, bar.free_text, *asked, bar.flavor)
    visible = ", ".join(filter(None, told))
    assert sorted(re.findall(r"[\d.]+\d|\d", visible)) == sorted(
        re.findall(r"[\d.]+\d|\d", bar.sentence)
    )


@given(sound_rows())
@settings(max_examples=300, deadline=None)
def test_numbers_that_agree_are_drawn_in_proportion_and_said(shown: CapacityNode) -> None:
    bar = bar_of(shown)
    check_drawing(shown, bar)
    check_words(shown, bar)


@given(
    shown=sound_rows(),
    field=st.sampled_from(
        ["used", "own", "borrowed", "over", "lent", "demand", "cannot_run_demand"]
    ),
    wrong=st.integers(-(10**15), 10**15),
)
@settings(max_examples=300, deadline=None)
def test_inconsistent_numbers_are_not_drawn(shown: CapacityNode, field: str, wrong: int) -> None:
    if field in shown.extras:
        changed = replace(shown, extras={**shown.extras, field: wrong})
    else:
        changed = replace(shown, **{field: wrong})
    keeps = (
        min(changed.own, changed.borrowed, changed.over, changed.lent) >= 0
        and min(changed.demand, changed.cannot_run_demand) >= 0
        and changed.used == changed.own + changed.borrowed + changed.over
        and (changed.borrowed == 0 or changed.lent == 0)
        and changed.own + changed.lent <= changed.guaranteed
        and (changed.borrowed + changed.over == 0 or changed.own == changed.guaranteed)
    )
    bar = bar_of(changed)
    assert bar.broken == (not keeps)
    if bar.broken:
        assert not any(part.width for part in (*parts_of(bar), bar.demand))
        assert bar.sentence.endswith(": inconsistent numbers")


def settled(draw: st.DrawFn) -> tuple[Policy, State]:
    """Return a random world after submissions and possibly endings and a quota change."""
    policy = draw(policies())
    state = State(policy)
    count = draw(st.integers(1, 10))
    for sequence in range(1, count + 1):
        state.submit(draw(workloads(sequence)))
        if draw(st.booleans()):
            state.settle()
    state.settle()
    for uid in sorted(state.running)[: draw(st.integers(0, 3))]:
        state.finish(uid)
    if draw(st.booleans()):
        # The other config may have less quota, or none of these queues.
        policy = draw(policies())
        state.change_policy(policy)
        state.settle()
    return policy, state


@given(draw=draws())
@WORLDS
def test_numbers_of_the_engine_are_consistent_and_drawn(draw: st.DrawFn) -> None:
    policy, state = settled(draw)
    used = {
        name: {key: amount for key, amount in state.usage(name).items() if amount}
        for name in state.queues
    }
    capacity = load_discipline(policy.discipline).capacity(policy, used)
    usages = {name: capacity.queue_nodes(name, {"gpu": 3000}) for name in policy.queues}
    pools = [
        pool for name in spec_of(policy).cohorts for pool in capacity.cohort_nodes(name, usages)
    ]
    left = [
        each
        for name in used.keys() - policy.queues.keys()
        for each in capacity.queue_nodes(name, {})
        if used[name]
    ]
    for shown in (*(each for of_queue in usages.values() for each in of_queue), *pools, *left):
        assert shown.is_consistent, shown
        bar = bar_of(shown)
        check_drawing(shown, bar)
    held = sum(sum(of_queue.values()) for of_queue in used.values())
    drawn = [*(each for of_queue in usages.values() for each in of_queue), *left]
    assert sum(each.own + each.borrowed + each.over for each in drawn) == held


@given(st.lists(amounts, min_size=1, max_size=8), st.integers(0, 10**15), st.integers(300, 1000))
def test_parts_fill_a_line_end_to_end(parts: list[int], rest: int, width: int) -> None:
    scale = sum(parts) + rest or 1
    laid = lay_out(parts, scale, width)
    assert laid[0].x == 0
    assert all(one.end == two.x for one, two in pairwise(laid))
    assert laid[-1].end <= width
    assert rest or not sum(parts) or laid[-1].end == width
    for part, amount in zip(laid, parts, strict=True):
        assert part.width >= LEAST if amount else part.width == 0


@pytest.mark.parametrize(
    ("shown", "more", "words"),
    [
        (usage(8000, 6000, 3500), {}, "6 of 8 GPUs used, 2 free, 3.5 requested"),
        (usage(8000, 0), {}, "0 of 8 GPUs used, 8 free"),
        (usage(8000, 8000), {}, "8 of 8 GPUs used"),
        (usage(8000, 12000), {}, "12 of 8 GPUs used, 4 over nominal"),
        (
            usage(8000, 12000),
            {"rise": OverQuotaMark(NOON, 43)},
            "12 of 8 GPUs used, 4 over nominal since v43",
        ),
        (usage(0, 0, 1000), {}, "0 GPUs used of 0, blocked, 1 requested"),
        (usage(0, 2000), {}, "2 GPUs used of 0, 2 over nominal"),
        (usage(0, 2000), {"draining": True}, "2 GPUs used of 0, draining"),
        (usage(UNLIMITED, 5000), {}, "5 GPUs used, no limit"),
        (
            usage(UNLIMITED, 5000, 1000),
            {"peak": 9000},
            "5 GPUs used, no limit, 7-day peak 9, 1 requested",
        ),
        (
            usage(64000, 76000, 212000, borrowed=12000, available=4000, limit=80000),
            {},
            "76 of 64 GPUs used, 12 borrowed, limit 80, 4 available, 212 requested",
        ),
        (
            usage(32000, 12000, lent=14000, is_certain=False, available=6000, limit=50000),
            {},
            "12 of 32 GPUs used, up to 14 lent, limit 50, 6 available",
        ),
        (
            usage(8000, 4000, lent=4000, available=0, limit=UNLIMITED),
            {},
            "4 of 8 GPUs used, 4 lent, limit unlimited",
        ),
        (
            usage(8000, 12000, borrowed=1000, available=0, limit=9000),
            {},
            "12 of 8 GPUs used, 1 borrowed, 3 over nominal, limit 9",
        ),
        (
            usage(8000, 3000, available=2000, limit=16000),
            {},
            "3 of 8 GPUs used, limit 16, 3 unused but not available, 2 available",
        ),
        (
            usage(0, 0, available=8000, limit=8000),
            {},
            "0 of 0 GPUs used, limit 8, 8 available",
        ),
        (usage(0, 2000, borrowed=2000), {}, "2 GPUs used of 0, 2 borrowed"),
        (usage(0, 3000, borrowed=1000), {}, "3 GPUs used of 0, 1 borrowed, 2 over nominal"),
        (
            usage(8000, 4000, lent=6000),
            {},
            "4 of 8 GPUs used, 6 lent, 4 free: inconsistent numbers",
        ),
        (
            usage(8000, 4000),
            {"fresh": Freshness(as_of=NOON, is_unknown=True)},
            "no data yet, no decision so far",
        ),
    ],
)
def test_the_sentence_of_every_case(shown: CapacityNode, more: dict[str, Any], words: str) -> None:
    assert bar_of(shown, **more).sentence == f"spot gpu: {words}"


def test_bytes_are_written_as_kubernetes_writes_them() -> None:
    gibi = 2**30 * 1000
    shown = usage(768 * gibi, 800 * gibi, 64 * gibi, borrowed=32 * gibi, limit=1024 * gibi)
    assert bar_of(replace(shown, resource="memory", entitled=808 * gibi)).sentence == (
        "spot memory: 800Gi of 768Gi memory used, 32Gi borrowed, limit 1Ti, 8Gi available, "
        "64Gi requested"
    )


def test_the_parts_of_a_bar_in_a_cohort() -> None:
    borrows = bar_of(usage(50000, 60000, borrowed=10000, available=20000, limit=100000))
    assert (borrows.own, borrows.borrowed, borrows.room) == (
        Segment(0, 357),
        Segment(357, 71),
        Segment(428, 143),
    )
    assert (borrows.track, borrows.mark, borrows.limit) == (
        Segment(0, 357),
        Segment(357),
        Segment(714),
    )
    assert borrows.seams == (Segment(357), Segment(428))
    lends = bar_of(usage(50000, 10000, lent=20000, available=60000, limit=100000))
    assert (lends.own, lends.free, lends.lent, lends.room) == (
        Segment(0, 71),
        Segment(71, 143),
        Segment(214, 143),
        Segment(357, 142),
    )
    far = bar_of(usage(10000, 5000, available=200000, limit=300000))
    assert (far.unlimited, far.own, far.mark, far.limit) == (
        True,
        Segment(0, 119),
        Segment(238),
        None,
    )
    only = bar_of(usage(0, 0, available=8000, limit=8000))
    assert (only.blocked, only.track, only.room) == (False, Segment(0, 0), Segment(0, 714))


def test_use_without_a_limit_is_measured_by_its_peak() -> None:
    without = bar_of(usage(UNLIMITED, 5000))
    assert (without.own, without.peak, without.unlimited) == (Segment(0, 357), None, True)
    beside = bar_of(usage(UNLIMITED, 4000), peak=8000)
    assert (beside.own, beside.peak) == (Segment(0, 285), Segment(571))
    idle = bar_of(usage(UNLIMITED, 0), peak=8000)
    assert (idle.own, idle.peak) == (Segment(), Segment(571))


def test_unknown_usage_is_not_shown_as_zero() -> None:
    unknown = bar_of(usage(8000, 0), fresh=Freshness(as_of=NOON, is_unknown=True))
    assert (unknown.used_text, unknown.available_text, unknown.as_of) == ("?", "?", NOON)
    assert not any(part.width for part in parts_of(unknown))
    old = bar_of(usage(8000, 2000), fresh=Freshness(as_of=NOON))
    assert (old.used_text, old.as_of, old.own) == ("2", NOON, Segment(0, 178))


def test_the_page_of_all_cases_has_each_of_them() -> None:
    cases = list(bar_cases(NOON))
    assert [case.title for case in cases if case.bar.broken] == ["Inconsistent numbers"]
    assert [case.title for case in cases if case.bar.unknown] == ["Unknown"]
    assert [case.title for case in cases if case.bar.blocked] == ["Zero"]
    for name in ("own", "free", "shut", "lent", "borrowed", "over", "room", "demand"):
        assert any(getattr(case.bar, name).width for case in cases), name
    for name in ("mark", "limit", "peak"):
        assert any(getattr(case.bar, name) for case in cases), name
