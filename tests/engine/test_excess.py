"""Excess usage after quota shrinks or a queue is renamed: peak, and workloads that must end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import (
    Cohort,
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.explain.consequences import consequence_sentence
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.consequences import (
    ConfirmationLevel,
    ConsequenceCode,
    Excess,
    Holding,
    with_ends,
)
from console.engine.model.history import Live
from console.engine.model.policy import Policy
from console.engine.model.selectors import Selector
from console.engine.routing.rule_routing import route_by
from console.engine.routing.rules import Rule
from console.engine.simulation.consequences import simulate_consequences
from tests.engine.test_consequences import policy, queue

GPU = ("spot", "gpu")


def holding(gpu: int, count: int = 1) -> Holding:
    """Return *count* running workloads that use *gpu* GPUs each."""
    return {GPU: gpu * 1000}, count


def test_excess_of_reduced_quota() -> None:
    old, new = policy(queue("a", 128_000), rest="a"), policy(queue("a", 64_000), rest="a")
    live = Live(running={"a": 32}, usage={"a": {GPU: 128_000}})
    (found,) = simulate_consequences(old, new, live)
    assert found.code is ConsequenceCode.OVER_NOMINAL
    (excess,) = with_ends(found.excesses, {"a": [holding(4, 32)]})
    assert excess == Excess(
        name="a",
        flavor="spot",
        resource="gpu",
        used=128_000,
        quota=64_000,
        peak=128_000,
        holders=("a",),
        ends=16,
    )
    assert excess.over == 64_000


def test_excess_of_a_queue_and_its_successor() -> None:
    """A queue of 64 was replaced by one of 128 and returns: both run, but the quota is 64."""
    old, new = policy(queue("x:v2", 128_000), rest="x:v2"), policy(queue("x", 64_000), rest="x")
    live = Live(
        running={"x": 16, "x:v2": 16},
        usage={"x": {GPU: 64_000}, "x:v2": {GPU: 64_000}},
    )
    (found,) = simulate_consequences(old, new, live, {"x": "x:v2"})
    assert (found.code, found.successors) == (ConsequenceCode.QUEUE_DRAINS, {"x:v2": "x"})
    holdings = {name: [holding(4, 16)] for name in ("x", "x:v2")}
    (excess,) = with_ends(found.excesses, holdings)
    assert excess == Excess(
        name="x",
        flavor="spot",
        resource="gpu",
        used=64_000,
        quota=64_000,
        peak=128_000,
        holders=("x:v2",),
        drained=("x:v2",),
        ends=16,
    )


def test_a_queue_that_continues_with_enough_quota_needs_no_acceptance() -> None:
    """64 become 96 or stay 64: nothing is lost. Under 32, present usage exceeds the quota."""
    old = policy(queue("x", 64_000), rest="x")
    live = Live(running={"x": 16}, usage={"x": {GPU: 64_000}})
    levels = {}
    for quota in (96_000, 64_000, 32_000):
        new = policy(queue("x:v2", quota), rest="x:v2")
        (found,) = simulate_consequences(old, new, live, continued={"x": "x:v2"})
        levels[quota] = found.level
        (other,) = simulate_consequences(old, new, live)
        assert (other.code, other.level) == (found.code, ConfirmationLevel.NAMED)
    assert levels == {
        96_000: ConfirmationLevel.BUTTON,
        64_000: ConfirmationLevel.BUTTON,
        32_000: ConfirmationLevel.NAMED,
    }


def test_a_queue_that_continues_needs_no_rules() -> None:
    """Without the name, a queue whose rules lead elsewhere would be removed."""
    old = policy(queue("x", 4_000), rest="x")
    new = policy(queue("x:v2", 4_000), queue("y", 4_000), rest="y")
    live = Live(running={"x": 1}, usage={"x": {GPU: 4_000}})
    (found,) = simulate_consequences(old, new, live, continued={"x": "x:v2"})
    assert (found.code, found.successors) == (ConsequenceCode.QUEUE_DRAINS, {"x": "x:v2"})


def test_queues_that_drain_since_an_earlier_rename_are_counted() -> None:
    old, new = policy(queue("x:v2", 8_000), rest="x:v2"), policy(queue("x:v3", 6_000), rest="x:v3")
    live = Live(
        running={"x": 1, "x:v2": 1, "other": 1},
        usage={"x": {GPU: 4_000}, "x:v2": {GPU: 8_000}, "other": {GPU: 1_000}},
    )
    (found,) = simulate_consequences(old, new, live, {"x": "x:v2", "other": "b"})
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
        "Combined peak usage: x, x:v2 and x:v3 up to 18 GPUs on spot, 12 GPUs above the quota of "
        "x:v3, until at least 2 running workloads of x and x:v2 have ended."
    )


def cohorts(own: int, *, borrowing: Amount = UNLIMITED, nominal: int = 4000) -> Policy:
    """Return two queues of *nominal* each in a cohort with the quota *own*."""
    quotas = FlavorQuotas(
        flavor="spot", quotas={"gpu": Quota(nominal=nominal, borrowing_limit=borrowing)}
    )
    group = ResourceGroup(resources=("gpu",), flavors=(quotas,))
    shared = FlavorQuotas(flavor="spot", quotas={"gpu": Quota(nominal=own)})
    return quota_policy(
        "kueue",
        flavors={"spot": Flavor(name="spot")},
        queues={name: QueueSpec(name=name, parent="team", groups=(group,)) for name in ("a", "b")},
        cohorts={
            "team": Cohort(
                name="team", groups=(ResourceGroup(resources=("gpu",), flavors=(shared,)),)
            )
        },
        routing=route_by((Rule(index=0, selector=Selector(()), queue="a"),)),
    )


@pytest.mark.parametrize(
    ("old", "new", "used", "sentence"),
    [
        pytest.param(
            cohorts(20_000),
            cohorts(2_000),
            {"a": 16_000, "b": 6_000},
            "the queues of cohort team use 22 GPUs on spot and may use together at most 10 GPUs: "
            "12 GPUs over, until at least 6 running workloads have ended. ",
            id="quota of the cohort",
        ),
        pytest.param(
            cohorts(20_000),
            cohorts(20_000, borrowing=2_000),
            {"a": 16_000},
            "a uses 16 GPUs on spot and may use, borrowing included, at most 6 GPUs: 10 GPUs "
            "over, until at least 5 running workloads have ended. ",
            id="borrowing limit",
        ),
        pytest.param(
            cohorts(0),
            cohorts(0, nominal=1_000),
            {"a": 4_000},
            "a uses 4 GPUs on spot and will have a nominal quota of 1 GPU: 3 GPUs over, until at "
            "least 2 running workloads have ended. ",
            id="a queue's quota explains what its cohort is over",
        ),
        pytest.param(
            cohorts(0),
            cohorts(0, nominal=2_000),
            {"a": 4_000, "b": 4_000},
            "a uses 4 GPUs on spot and will have a nominal quota of 2 GPUs: 2 GPUs over, until "
            "at least 1 running workload has ended and b uses 4 GPUs on spot and will have a "
            "nominal quota of 2 GPUs: 2 GPUs over, until at least 1 running workload has ended. ",
            id="the quota of both",
        ),
    ],
)
def test_excess_of_a_cohort_that_lends_less(
    old: Policy, new: Policy, used: dict[str, int], sentence: str
) -> None:
    live = Live(
        running={name: amount // 2000 for name, amount in used.items()},
        usage={name: {GPU: amount} for name, amount in used.items()},
    )
    (found,) = simulate_consequences(old, new, live)
    assert (found.code, found.names) == (ConsequenceCode.OVER_NOMINAL, tuple(used))
    holdings = {name: [holding(2, amount // 2000)] for name, amount in used.items()}
    worded = consequence_sentence(replace(found, excesses=with_ends(found.excesses, holdings)))
    assert worded.startswith(sentence), worded


@pytest.mark.parametrize(
    ("old", "new", "used"),
    [
        (cohorts(20_000), cohorts(10_000), {"a": 16_000}),
        (cohorts(2_000), cohorts(2_000), {"a": 16_000}),
        (cohorts(2_000), cohorts(4_000), {"a": 16_000}),
        (cohorts(20_000), cohorts(20_000, borrowing=12_000), {"a": 16_000}),
    ],
    ids=["enough is left", "as much as before", "more than before", "within its limit"],
)
def test_no_excess_if_the_cohort_lends_enough(
    old: Policy, new: Policy, used: dict[str, int]
) -> None:
    live = Live(running={"a": 1}, usage={name: {GPU: amount} for name, amount in used.items()})
    assert simulate_consequences(old, new, live) == ()


@given(
    holds=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=6),
    nominal=st.integers(0, 100),
)
def test_number_of_ends_is_minimal(holds: list[tuple[int, int]], nominal: int) -> None:
    each = sorted((gpu for gpu, count in holds for _ in range(count)), reverse=True)
    used = sum(each)
    if used <= nominal:
        return
    excess = Excess(
        name="a", flavor="spot", resource="gpu", used=used * 1000, quota=nominal * 1000,
        peak=used * 1000, holders=("a",),
    )  # fmt: skip
    (found,) = with_ends([excess], {"a": [holding(gpu, count) for gpu, count in holds]})
    assert found.ends is not None
    assert used - sum(each[: found.ends]) <= nominal < used - sum(each[: found.ends - 1])


def test_unknown_usage_gives_no_number() -> None:
    excess = Excess(
        name="a", flavor="f", resource="gpu", used=9000, quota=1000, peak=9000, holders=("a",)
    )  # fmt: skip
    (found,) = with_ends([excess], {"a": [({("f", "gpu"): 1000}, 2)]})
    assert found.ends is None
