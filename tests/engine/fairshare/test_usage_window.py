"""The past usage of queues: windows, half lives, and parts of the capacity."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.fairshare.resources import PerResource
from console.engine.disciplines.fairshare.spec import (
    POOL,
    FairshareSpec,
    Settings,
    UsageWindow,
    WindowKind,
)
from console.engine.disciplines.fairshare.usage_window import (
    current_usage,
    usage_parts,
    weight,
    window_begin,
)
from console.engine.model.inventory import Node
from console.engine.model.usage_history import RecordedUsage, UsageHistory

MINUTE = 60_000
HOUR = 60 * MINUTE


def spec(window: UsageWindow | None = None, **nodes: dict[str, int]) -> FairshareSpec:
    """Return a spec with *window*, and with nodes of the text that offer these amounts."""
    return FairshareSpec(
        settings=Settings(usage_window=window or UsageWindow(length=HOUR)),
        nodes={name: Node(name=name, offered=offered) for name, offered in nodes.items()},
    )


def span(
    begin: int, minutes: int, used: dict[str, int], cpu: int = 10, **fields: Any
) -> RecordedUsage:
    """Return minutes from the minute *begin* on, all sampled, in which queues use these CPUs."""
    return RecordedUsage(
        begin=begin * MINUTE,
        end=(begin + minutes) * MINUTE,
        minutes=minutes,
        used={name: {(POOL, "cpu"): amount * minutes} for name, amount in used.items()},
        **{"offered": {("east", "cpu"): cpu * minutes}, **fields},
    )


def parts(
    recorded: Sequence[RecordedUsage], now: int, window: UsageWindow | None = None
) -> dict[str, float]:
    """Return the part of the CPUs by queue at the minute *now*."""
    found = usage_parts(spec(window), now * MINUTE, recorded)
    assert all(of_queue.keys() == {"cpu"} for of_queue in found.values())
    return {name: of_queue["cpu"] for name, of_queue in found.items()}


@pytest.mark.parametrize(
    ("window", "now", "begin"),
    [
        (UsageWindow(length=10), 100, 90),
        (UsageWindow(length=200), 100, -100),
        (UsageWindow(kind=WindowKind.TUMBLING, length=30), 100, 90),
        (UsageWindow(kind=WindowKind.TUMBLING, length=30), 120, 120),
        (UsageWindow(kind=WindowKind.TUMBLING, length=30, start=5), 100, 95),
        # The first window may lie in the future: the ones before it have the same length.
        (UsageWindow(kind=WindowKind.TUMBLING, length=30, start=115), 100, 85),
        # The start has no meaning for a sliding window.
        (UsageWindow(length=30, start=115), 100, 70),
    ],
)
def test_a_window_begins_before_now(window: UsageWindow, now: int, begin: int) -> None:
    assert window_begin(window, now) == begin


def test_usage_is_divided_by_the_capacity_of_the_same_time() -> None:
    # A queue uses 5 of 10 CPUs for 20 minutes, and 10 of 40 for 40 minutes.
    recorded = [span(0, 20, {"a": 5}), span(20, 40, {"a": 10, "b": 4}, cpu=40)]
    capacity = 20 * 10 + 40 * 40
    assert parts(recorded, 60) == {
        "a": (20 * 5 + 40 * 10) / capacity,
        "b": 40 * 4 / capacity,
    }


def test_only_the_time_in_the_window_counts() -> None:
    recorded = [span(0, 30, {"a": 10}), span(30, 30, {"b": 10})]
    assert parts(recorded, 75) == {"a": 15 / 45, "b": 30 / 45}
    assert parts(recorded, 95) == {"b": 1.0}
    assert parts(recorded, 120) == {}
    tumbling = UsageWindow(kind=WindowKind.TUMBLING, length=HOUR)
    assert parts(recorded, 59, tumbling) == {"a": 30 / 59, "b": 29 / 59}
    assert parts([*recorded, span(60, 1, {"c": 1})], 61, tumbling) == {"c": 0.1}


def test_minutes_that_were_not_sampled_count_neither_as_usage_nor_as_capacity() -> None:
    sums = {"used": {"a": {(POOL, "cpu"): 30 * 5}}, "offered": {("east", "cpu"): 30 * 10}}
    half = RecordedUsage(begin=0, end=HOUR, minutes=30, **sums)
    assert parts([half, span(60, 30, {"a": 8})], 90) == {"a": (15 * 5 + 30 * 8) / (15 * 10 + 300)}


def test_usage_counts_half_after_the_half_life() -> None:
    window = UsageWindow(length=24 * HOUR, half_life=HOUR)
    # The same amount of time at distances that differ by one half life.
    found = parts([span(0, 1, {"a": 10}), span(60, 1, {"b": 10})], 90, window)
    assert isclose(found["b"], 2 * found["a"])
    assert isclose(found["a"] + found["b"], 1.0)


def test_nodes_of_the_text_are_the_capacity_while_there_is_no_cluster() -> None:
    declared = spec(n1={"cpu": 6}, n2={"cpu": 4, "nvidia.com/gpu": 2})
    used = {"a": {(POOL, "cpu"): 50, (POOL, "gpu"): 10}}
    before = RecordedUsage(begin=0, end=10 * MINUTE, minutes=10, used=used)
    assert usage_parts(declared, HOUR, [before]) == {"a": {"cpu": 0.5, "gpu": 0.5}}
    since = span(10, 10, {"a": 20}, cpu=20)
    found = usage_parts(declared, HOUR, [before, since])
    assert found == {"a": {"cpu": (50 + 200) / (100 + 200), "gpu": 0.5}}


def test_clusters_may_name_gpus_differently() -> None:
    offered = {("east", "gpu"): 4, ("west", "nvidia.com/gpu"): 12, ("west", "cpu"): 5}
    used = {"a": {(POOL, "gpu"): 4, (POOL, "cpu"): 1}}
    recorded = RecordedUsage(begin=0, end=MINUTE, minutes=1, used=used, offered=offered)
    assert usage_parts(spec(), HOUR, [recorded]) == {"a": {"cpu": 0.2, "gpu": 0.25}}


def test_a_resource_without_capacity_counts_as_unused() -> None:
    used = {"a": {(POOL, "gpu"): 4}, "b": {(POOL, "cpu"): 1, (POOL, "gpu"): 1}}
    offered = {("east", "cpu"): 2}
    recorded = RecordedUsage(begin=0, end=MINUTE, minutes=1, used=used, offered=offered)
    assert usage_parts(spec(), HOUR, [recorded]) == {"b": {"cpu": 0.5}}


def test_nothing_is_measured_without_a_window() -> None:
    without = FairshareSpec(settings=Settings(usage_window=None))
    assert usage_parts(without, HOUR, [span(0, 60, {"a": 1})]) == {}
    assert current_usage(without, UsageHistory(measured_at=0, parts={"a": {"cpu": 1.0}}), 0) is None


@pytest.mark.parametrize(("now", "counts"), [(1000, True), (300_999, True), (301_000, False)])
def test_a_measurement_expires_after_five_minutes(now: int, counts: bool) -> None:
    history = UsageHistory(measured_at=1000, parts={"a": {"gpu": 0.5}})
    expected = {"a": PerResource(0.0, 0.0, 0.5)} if counts else None
    assert current_usage(spec(), history, now) == expected
    assert history.expires_at == 301_000
    assert current_usage(spec(), None, now) is None


windows = st.builds(
    UsageWindow,
    kind=st.sampled_from(WindowKind),
    length=st.integers(1, 10 * HOUR),
    half_life=st.none() | st.integers(1, 10 * HOUR),
    start=st.integers(0, 20 * HOUR),
)
moments = st.integers(0, 20 * HOUR)


@given(window=windows, times=st.lists(moments, min_size=3, max_size=3, unique=True), now=moments)
def test_the_weight_of_a_span_is_that_of_its_parts(
    window: UsageWindow, times: list[int], now: int
) -> None:
    begin, middle, end = sorted(times)
    whole = weight(window, begin, end, now) * (end - begin)
    first = weight(window, begin, middle, now) * (middle - begin)
    second = weight(window, middle, end, now) * (end - middle)
    assert isclose(whole, first + second, rel_tol=1e-9, abs_tol=1e-6)
    assert 0 <= weight(window, begin, end, now) <= 1 + 1e-9


@given(window=windows, begin=moments, length=st.integers(1, HOUR), now=moments)
def test_a_half_life_only_lowers_the_weight(
    window: UsageWindow, begin: int, length: int, now: int
) -> None:
    without = UsageWindow(kind=window.kind, length=window.length, start=window.start)
    end = begin + length
    assert weight(window, begin, end, now) <= weight(without, begin, end, now) + 1e-9


uses = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 100), st.integers(0, 50)), max_size=30
)


@given(window=windows, minutes=uses, now=st.integers(0, 60))
def test_parts_are_parts(
    window: UsageWindow, minutes: list[tuple[int, int, int]], now: int
) -> None:
    """Queues that together use at most the capacity have parts of at most 1 together."""
    recorded = [
        span(at, 1, {"a": a, "b": b}, cpu=a + b + rest) for at, (a, b, rest) in enumerate(minutes)
    ]
    found = parts(recorded, now, window)
    assert all(0 < part <= 1 + 1e-9 for part in found.values())
    assert sum(found.values()) <= 1 + 1e-9


@given(window=windows, length=st.integers(1, 60), now=st.integers(1, 60))
def test_constant_usage_is_the_same_part_in_every_window(
    window: UsageWindow, length: int, now: int
) -> None:
    found = parts([span(at, 1, {"a": 3}) for at in range(length)], now, window)
    assert not found or isclose(found["a"], 0.3, rel_tol=1e-9)
