"""Excess: the peak that a smaller quota or a renamed queue leads to, and how many have to end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.consequences import ConsequenceCode, find
from console.engine.excess import Excess, Holding, with_ends
from console.engine.explain.consequences import consequence_sentence
from console.engine.history import Live
from tests.engine.test_consequences import policy, queue

GPU = ("spot", "gpu")


def holding(gpu: int, count: int = 1) -> Holding:
    """Return as many workloads as *count* that hold *gpu* each."""
    return {GPU: gpu * 1000}, count


def test_less_quota_than_is_in_use() -> None:
    old, new = policy(queue("a", 128_000), rest="a"), policy(queue("a", 64_000), rest="a")
    live = Live(running={"a": 32}, usage={"a": {GPU: 128_000}})
    (found,) = find(old, new, live)
    assert found.code is ConsequenceCode.OVER_NOMINAL
    (excess,) = with_ends(found.excesses, {"a": [holding(4, 32)]})
    assert excess == Excess(
        queue="a",
        flavor="spot",
        resource="gpu",
        used=128_000,
        nominal=64_000,
        peak=128_000,
        ends=16,
    )
    assert excess.over == 64_000


def test_a_queue_and_the_one_in_its_place_exceed_what_either_owns() -> None:
    """A queue of 64 became one of 128 and comes back: both run, and 64 were meant."""
    old, new = policy(queue("x:v2", 128_000), rest="x:v2"), policy(queue("x", 64_000), rest="x")
    live = Live(
        running={"x": 16, "x:v2": 16},
        usage={"x": {GPU: 64_000}, "x:v2": {GPU: 64_000}},
    )
    (found,) = find(old, new, live, {"x": "x:v2"})
    assert (found.code, found.successors) == (ConsequenceCode.QUEUE_DRAINS, {"x:v2": "x"})
    holdings = {name: [holding(4, 16)] for name in ("x", "x:v2")}
    (excess,) = with_ends(found.excesses, holdings)
    assert excess == Excess(
        queue="x",
        flavor="spot",
        resource="gpu",
        used=64_000,
        nominal=64_000,
        peak=128_000,
        drained=("x:v2",),
        ends=16,
    )


def test_queues_that_drain_since_an_earlier_rename_are_counted() -> None:
    old, new = policy(queue("x:v2", 8_000), rest="x:v2"), policy(queue("x:v3", 6_000), rest="x:v3")
    live = Live(
        running={"x": 1, "x:v2": 1, "other": 1},
        usage={"x": {GPU: 4_000}, "x:v2": {GPU: 8_000}, "other": {GPU: 1_000}},
    )
    (found,) = find(old, new, live, {"x": "x:v2", "other": "b"})
    (excess,) = with_ends(found.excesses, {"x": [holding(4)], "x:v2": [holding(8)]})
    assert (excess.drained, excess.used, excess.peak, excess.over, excess.ends) == (
        ("x", "x:v2"),
        12_000,
        18_000,
        12_000,
        2,
    )
    assert consequence_sentence(
        found.__class__(
            code=found.code,
            names=found.names,
            successors=found.successors,
            running=1,
            excesses=(excess,),
        )
    ).endswith(
        "At the peak they use together: x, x:v2 and x:v3 up to 18 gpu of spot, 12 gpu more than "
        "x:v3 owns, until at least 2 running workloads of x and x:v2 have ended."
    )


@given(
    holds=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=6),
    nominal=st.integers(0, 100),
)
def test_no_fewer_would_do_and_so_many_can(holds: list[tuple[int, int]], nominal: int) -> None:
    each = sorted((gpu for gpu, count in holds for _ in range(count)), reverse=True)
    used = sum(each)
    if used <= nominal:
        return
    excess = Excess(
        queue="a", flavor="spot", resource="gpu", used=used * 1000, nominal=nominal * 1000,
        peak=used * 1000,
    )  # fmt: skip
    (found,) = with_ends([excess], {"a": [holding(gpu, count) for gpu, count in holds]})
    assert found.ends is not None
    assert used - sum(each[: found.ends]) <= nominal < used - sum(each[: found.ends - 1])


def test_where_not_all_is_known_no_number_is_said() -> None:
    excess = Excess(queue="a", flavor="f", resource="gpu", used=9000, nominal=1000, peak=9000)
    (found,) = with_ends([excess], {"a": [({("f", "gpu"): 1000}, 2)]})
    assert found.ends is None
