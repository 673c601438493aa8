"""Who has to stop for whom: worked examples of guarantees, fences, offsets and lowered maxima."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from console.engine.disciplines.hierarchy.applications import Allocation, Ask, Message
from console.engine.disciplines.hierarchy.preemption import fence_of, victim_candidates
from console.engine.disciplines.hierarchy.quota_preemption import divided
from console.engine.disciplines.hierarchy.spec import YUNIKORN, Compatibility
from tests.engine.hierarchy.worlds import LONG, MEMORY, History, fields

FENCE: Final = {"preemption.policy": "fence"}
BOTH: Final = [Compatibility(), YUNIKORN]

Queues = Mapping[str, Mapping[str, Any]]


def history(
    queues: Queues,
    capacity: int,
    running: Mapping[str, tuple[int, ...]],
    compatibility: Compatibility | None = None,
    opted_out: tuple[str, ...] = (),
) -> History:
    """Return a history with running pods in queues, each in one application."""
    found = History(queues, capacity, compatibility)
    for path, sizes in running.items():
        found.submit(path, path)
        found.run(path, *sizes, may_be_preempted=path not in opted_out)
    return found


def ask_in(found: History, path: str, *sizes: int) -> list[Ask]:
    """Ask for pods in a queue, by an application of its own."""
    found.submit("asker", path)
    return found.ask("asker", *sizes)


ONES: Final = (1,) * 10
TWO_QUEUES: Final = {
    "root.p": fields(maximum=12),
    "root.p.one": fields(guaranteed=5, maximum=10),
    "root.p.two": fields(guaranteed=5, maximum=10),
}
THREE_QUEUES: Final = {
    "root.p": fields(maximum=16),
    **{f"root.p.q{index}": fields(guaranteed=3, maximum=8) for index in (1, 2, 3)},
}
OFFSETS: Final = {
    "root.high": fields(guaranteed=6, maximum=10, properties={"priority.offset": "100"}),
    "root.normal": fields(guaranteed=6, maximum=18),
    "root.low": fields(guaranteed=6, maximum=10, properties={"priority.offset": "-100"}),
}
FENCES: Final = {
    "root.rt": fields(maximum=30, properties=FENCE),
    "root.rt.ten-a": fields(guaranteed=5, maximum=15, properties=FENCE),
    "root.rt.ten-a.q1": fields(guaranteed=2),
    "root.rt.ten-a.q2": fields(guaranteed=2, properties=FENCE),
    "root.rt.ten-b": fields(guaranteed=10, maximum=15, properties=FENCE),
    "root.rt.ten-b.q3": fields(guaranteed=10),
    "root.rt.sys": fields(guaranteed=10, maximum=15),
}
FENCED_USAGE: Final = {"root.rt.ten-a.q1": (1,) * 15, "root.rt.ten-b.q3": (1,) * 15}


def nested(first: int | None, second: int | None) -> dict[str, dict[str, Any]]:
    """Return two queues, with their guarantees, below one with a guarantee."""
    return {
        "root.p": fields(maximum=20),
        "root.p.p1": fields(guaranteed=10),
        "root.p.p1.child1": fields(guaranteed=first),
        "root.p.p1.child2": fields(guaranteed=second),
    }


NESTED_USAGE: Final = {"root.p.p1.child1": (1, 1)}
CHILDREN: Final = ("root.p.p1.child1", "root.p.p1.child2")
FULL_PARENT: Final = {
    "root.p1": fields(maximum=200),
    "root.p1.l1": fields(guaranteed=100),
    "root.p1.l1b": fields(),
    "root.p2": fields(),
    "root.p2.l2": fields(guaranteed=10),
}
NO_GUARANTEES: Final = {
    "root.region": fields(maximum=10),
    "root.region.country": fields(maximum=10),
    "root.region.country.state1": fields(maximum=10),
    "root.region.country.state2": fields(maximum=10),
}


def pair(first: int | None, asker: int) -> dict[str, dict[str, Any]]:
    """Return a queue with victims and one that asks, with their guarantees."""
    return {"root.v": fields(guaranteed=first), "root.a": fields(guaranteed=asker)}


@pytest.mark.parametrize("compatibility", BOTH, ids=["default", "yunikorn"])
@pytest.mark.parametrize(
    ("queues", "capacity", "running", "asker", "sizes", "usage"),
    [
        pytest.param(
            TWO_QUEUES,
            100,
            {"root.p.one": ONES, "root.p.two": (1, 1)},
            "root.p.two",
            ONES,
            {"root.p.one": 7, "root.p.two": 5},
            id="until the own guarantee",
        ),
        pytest.param(
            OFFSETS,
            18,
            {"root.normal": (3,) * 6},
            "root.low",
            (3,),
            {"root.normal": 18, "root.low": 0},
            id="not with a lower priority",
        ),
        pytest.param(
            OFFSETS,
            18,
            {"root.normal": (3,) * 6},
            "root.high",
            (3, 3, 3),
            {"root.normal": 12, "root.high": 6},
            id="with a higher priority, until the own guarantee",
        ),
        pytest.param(
            FENCES,
            100,
            FENCED_USAGE,
            "root.rt.ten-a.q2",
            ONES,
            {"root.rt.ten-a.q1": 15, "root.rt.ten-a.q2": 0, "root.rt.ten-b": 15},
            id="not across the own fence",
        ),
        pytest.param(
            FENCES,
            100,
            FENCED_USAGE,
            "root.rt.sys",
            ONES,
            {"root.rt.ten-a": 10, "root.rt.ten-b": 10, "root.rt.sys": 10},
            id="into the fences of others",
        ),
        pytest.param(
            nested(None, None),
            2,
            NESTED_USAGE,
            CHILDREN[1],
            (1,),
            {CHILDREN[0]: 2, CHILDREN[1]: 0},
            id="not for the guarantee of both",
        ),
        pytest.param(
            nested(None, 1),
            2,
            NESTED_USAGE,
            CHILDREN[1],
            (1,),
            {CHILDREN[0]: 1, CHILDREN[1]: 1},
            id="for an own guarantee from a sibling without one",
        ),
        pytest.param(
            nested(1, 1),
            2,
            NESTED_USAGE,
            CHILDREN[1],
            (1,),
            {CHILDREN[0]: 1, CHILDREN[1]: 1},
            id="for an own guarantee from a sibling above its own",
        ),
        pytest.param(
            FULL_PARENT,
            2_000,
            {"root.p1.l1b": (100, 100), "root.p2.l2": (100,) * 8},
            "root.p1.l1",
            (100,),
            {"root.p1.l1": 100, "root.p1.l1b": 100, "root.p2.l2": 800},
            id="only below a queue that is full",
        ),
        pytest.param(
            NO_GUARANTEES,
            100,
            {
                "root.region.country.state1": (1,) * 5,
                "root.region.country.state2": (1,) * 5,
            },
            "root.region.country.state1",
            ONES,
            {"root.region.country.state1": 5, "root.region.country.state2": 5},
            id="not without any guarantee",
        ),
        pytest.param(
            pair(None, 3),
            10,
            {"root.v": (5, 5)},
            "root.a",
            (3,),
            {"root.v": 10, "root.a": 0},
            id="not from pods larger than the guarantee",
        ),
        pytest.param(
            pair(None, 3),
            6,
            {"root.v": (2, 2, 2)},
            "root.a",
            (5,),
            {"root.v": 6, "root.a": 0},
            id="not for more than the guarantee",
        ),
        pytest.param(
            pair(None, 5),
            6,
            {"root.v": (2, 2, 2)},
            "root.a",
            (5,),
            {"root.v": 6, "root.a": 0},
            id="not if the victims exceed the guarantee",
        ),
        pytest.param(
            pair(None, 6),
            6,
            {"root.v": (2, 2, 2)},
            "root.a",
            (5,),
            {"root.v": 0, "root.a": 5},
            id="as many victims as needed",
        ),
    ],
)
def test_usage_after_preemption(
    queues: Queues,
    capacity: int,
    running: Mapping[str, tuple[int, ...]],
    asker: str,
    sizes: tuple[int, ...],
    usage: Mapping[str, int],
    compatibility: Compatibility,
) -> None:
    found = history(queues, capacity, running, compatibility)
    ask_in(found, asker, *sizes)
    found.settle(LONG)
    assert dict(zip(usage, found.used(*usage), strict=True)) == usage


def test_pods_that_did_not_opt_out_stop_first() -> None:
    running = {"root.p.q1": (1,) * 8, "root.p.q2": (1,) * 8}
    found = history(THREE_QUEUES, 100, running, opted_out=("root.p.q2",))
    ask_in(found, "root.p.q3", *(1,) * 8)
    found.settle(LONG)
    assert found.used("root.p.q1", "root.p.q2", "root.p.q3") == [5, 8, 3]


def test_the_newest_pods_stop_first() -> None:
    found = history(pair(None, 6), 6, {"root.v": (2, 2, 2)})
    ask_in(found, "root.a", 3)
    stopped = [event.key for event in found.settle(LONG) if event.do == "preempt"]
    assert stopped == ["root.v-2", "root.v-1"]


def test_a_large_victim_below_its_guarantee_only_in_yunikorn() -> None:
    for compatibility, usage in ((Compatibility(), [6, 0]), (YUNIKORN, [0, 6])):
        found = history(pair(5, 6), 6, {"root.v": (6,)}, compatibility)
        ask_in(found, "root.a", 6)
        found.settle(LONG)
        assert found.used("root.v", "root.a") == usage


@pytest.mark.parametrize(
    ("asker", "compatibility", "usage"),
    [
        ("root.ab", Compatibility(), [4, 0]),
        ("root.ab", YUNIKORN, [1, 3]),
        ("root.xb", YUNIKORN, [4, 0]),
    ],
)
def test_a_queue_whose_path_only_begins_alike_is_above_in_yunikorn(
    asker: str, compatibility: Compatibility, usage: list[int]
) -> None:
    queues = {"root.a": fields(guaranteed=4), asker: fields(guaranteed=3)}
    found = history(queues, 4, {"root.a": (1,) * 4}, compatibility)
    ask_in(found, asker, 1, 1, 1)
    found.settle(LONG)
    assert found.used("root.a", asker) == usage


@pytest.mark.parametrize(
    ("wait", "messages"),
    [
        (
            LONG,
            [Message.NO_GUARANTEE, Message.NO_PREEMPTION],
        ),
        (0, [Message.PRECONDITIONS, Message.NO_PREEMPTION]),
    ],
)
def test_an_ask_has_the_reason_why_nothing_stops_for_it(wait: int, messages: list[Message]) -> None:
    found = history(pair(None, 3), 6, {"root.v": (2, 2, 2)})
    (ask,) = ask_in(found, "root.a", 5)
    found.world.now += wait
    found.world.settle(1)
    assert [each for each in ask.messages if each != Message.QUEUE_QUOTA] == messages


def may_stop(found: History, ask: Ask) -> list[Allocation]:
    """Return the pods that may stop for an ask."""
    scheduler = found.world.scheduler
    return list(victim_candidates(ask, scheduler.applications, scheduler.compatibility))


@pytest.mark.parametrize("forgetful", [False, True])
def test_ten_asks_of_a_queue_try_in_one_cycle_and_others_in_the_next(forgetful: bool) -> None:
    found = History(pair(None, 2), 6, forgetful=forgetful)
    found.submit("victims", "root.v")
    found.run("victims", *(1,) * 6)
    found.submit("asker", "root.a")
    # The first ten are larger than the guarantee.
    *_, last = found.ask("asker", *(5,) * 10, 1)
    assert found.settle() == []
    found.world.now += LONG
    assert found.world.settle(1) == []
    assert Message.ATTEMPTS_EXHAUSTED in last.messages
    assert [event.do for event in found.world.settle(4)] == ["preempt", "allocate"]


@pytest.mark.parametrize("forgetful", [False, True])
def test_an_ask_tries_again_after_15_seconds(forgetful: bool) -> None:
    found = History(pair(None, 2), 6, forgetful=forgetful)
    found.submit("victims", "root.v")
    found.run("victims", 3, 3)
    found.submit("asker", "root.a")
    (ask,) = found.ask("asker", 1)
    assert found.settle(LONG) == []
    # Now there is a small victim.
    list(found.world.remove("victims"))
    found.submit("victims", "root.v")
    found.run("victims", *(1,) * 6)
    assert found.settle(14_000) == []
    assert [event.do for event in found.settle(1_000)] == ["preempt", "allocate"]
    assert ask.pending == 0


# Candidates: two victims of 100 in root.two.leaf, and an ask of 100 in root.one.leaf.

PARENTS: Final = {"guaranteed": 100, "maximum": 200}


def candidates(
    one: Mapping[str, Any] | None = None,
    two: Mapping[str, Any] | None = None,
    asking: Mapping[str, Any] | None = None,
    leaf: Mapping[str, Any] | None = None,
    allocated: int = 0,
    beside: int = 0,
) -> tuple[list[Allocation], str]:
    """Return the pods that may stop, and the queue below which they are searched."""
    queues = {
        "root.one": fields(**PARENTS | dict(one or {})),
        "root.one.leaf": fields(**asking or {}),
        "root.two": fields(**PARENTS | dict(two or {})),
        "root.two.leaf": fields(**leaf or {}),
    }
    if beside:
        queues["root.one.beside"] = fields()
    found = History(queues, 1_000, YUNIKORN)
    found.submit("victims", "root.two.leaf")
    found.run("victims", 100, 100, priority=-1000)
    found.submit("asker", "root.one.leaf")
    if allocated:
        found.run("asker", allocated)
    if beside:
        found.submit("beside", "root.one.beside")
        found.run("beside", beside, priority=1)
    (ask,) = found.ask("asker", 100)
    return may_stop(found, ask), fence_of(ask).path


def policy(value: str) -> dict[str, Any]:
    """Return a policy of preemption."""
    return {"properties": {"preemption.policy": value}}


def offset(value: int, **others: str) -> dict[str, Any]:
    """Return an offset of priorities."""
    return {"properties": {"priority.offset": str(value), **others}}


PRIORITY_FENCE: Final = {"priority.policy": "fence"}


@pytest.mark.parametrize(
    ("changes", "count", "fence"),
    [
        pytest.param({}, 2, "root", id="nothing"),
        pytest.param({"leaf": policy("disabled")}, 0, "root", id="victims disabled"),
        pytest.param({"one": policy("fence")}, 0, "root.one", id="fence above the asker"),
        pytest.param({"asking": policy("fence")}, 0, "root.one.leaf", id="fence of the asker"),
        pytest.param({"two": policy("fence")}, 2, "root", id="fence above the victims"),
        pytest.param({"leaf": policy("fence")}, 2, "root", id="fence of the victims"),
        pytest.param({"allocated": 200}, 0, "root.one.leaf", id="full queue"),
        pytest.param({"allocated": 100}, 2, "root", id="just enough room"),
        # The queue has its usage without that of the leaf of the asker.
        pytest.param({"beside": 200}, 0, "root.one", id="full queue above the asker"),
        pytest.param({"one": {"maximum": None}, "allocated": 200}, 2, "root", id="no maximum"),
        pytest.param({"two": offset(1001)}, 0, "root", id="higher priority above the victims"),
        pytest.param({"two": offset(1000)}, 2, "root", id="the same priority"),
        pytest.param({"two": offset(1, **PRIORITY_FENCE)}, 0, "root", id="higher fence"),
        pytest.param({"two": offset(-1, **PRIORITY_FENCE)}, 2, "root", id="lower fence"),
        pytest.param({"one": offset(-1000, **PRIORITY_FENCE)}, 2, "root", id="low ask"),
        pytest.param({"one": offset(-1001, **PRIORITY_FENCE)}, 0, "root", id="too low ask"),
        pytest.param({"two": {"guaranteed": 200}}, 0, "root", id="victims guaranteed"),
    ],
)
def test_candidates(changes: Mapping[str, Any], count: int, fence: str) -> None:
    found, above = candidates(**changes)
    assert (len(found), above) == (count, fence)


def test_a_maximum_of_another_resource_does_not_make_a_queue_full() -> None:
    queues = {
        "root.one": {"maximum": {"gpu": 1}},
        "root.one.leaf": fields(guaranteed=1),
    }
    found = History(queues, 1_000)
    found.submit("asker", "root.one.leaf")
    (ask,) = found.ask("asker", 100)
    assert fence_of(ask).path == "root"


@pytest.mark.parametrize("change", ["required_node", "is_released", "is_preempted"])
def test_pods_that_stop_already_or_need_their_node_are_no_candidates(change: str) -> None:
    found = history(pair(None, 2), 2, {"root.v": (1, 1)})
    (ask,) = ask_in(found, "root.a", 1)
    first, second = found.world.applications["root.v"].allocations.values()
    if change == "required_node":
        first.ask.required_node = "node"
    else:
        setattr(first, change, True)
    assert may_stop(found, ask) == [second]


def test_pods_with_other_resources_are_no_candidates() -> None:
    found = history(pair(None, 2), 2, {"root.v": (1, 1)})
    (ask,) = ask_in(found, "root.a", 1)
    for each in found.world.applications["root.v"].allocations.values():
        each.ask.resources = {"gpu": 1}
    assert may_stop(found, ask) == []


# A lowered maximum.

LOWERED: Final = {
    "root.p": {"properties": {"quota.preemption.delay": "1s"}},
    "root.p.leaf1": fields(guaranteed=10),
    "root.p.leaf1.leaf11": fields(guaranteed=10),
    "root.p.leaf1.leaf11.leaf111": fields(guaranteed=10),
    "root.p.leaf1.leaf12": fields(guaranteed=10),
    "root.p.leaf2": fields(),
    "root.p.leaf2.leaf21": fields(),
    "root.p.leaf2.leaf21.leaf211": fields(),
    "root.p.leaf2.leaf22": fields(),
    "root.p.leaf3": fields(),
    "root.p.leaf4": fields(guaranteed=10),
}
LOWERED_USAGE: Final = {
    "root.p.leaf1.leaf11.leaf111": 30,
    "root.p.leaf1.leaf12": 20,
    "root.p.leaf2.leaf21.leaf211": 50,
    "root.p.leaf2.leaf22": 30,
    "root.p.leaf4": 10,
}


def lowered(before: int, after: int, queues: Queues = LOWERED) -> dict[str, dict[str, Any]]:
    """Return the queues with a maximum of root.p before, or after."""
    return {
        path: {**stated, "maximum": {MEMORY: after if after else before}}
        if path == "root.p"
        else dict(stated)
        for path, stated in queues.items()
    }


@pytest.mark.parametrize(
    ("excess", "parts"),
    [
        # Every level rounds down.
        (100, {"leaf111": 22, "leaf12": 11, "leaf211": 41, "leaf22": 24}),
        (200, {"leaf111": 44, "leaf12": 22, "leaf211": 83, "leaf22": 49}),
        (50, {"leaf111": 10, "leaf12": 5, "leaf211": 20, "leaf22": 12}),
    ],
)
def test_an_excess_is_divided_by_surpluses(excess: int, parts: dict[str, int]) -> None:
    found = History(lowered(200, 0), 1_000)
    for path, used in LOWERED_USAGE.items():
        found.submit(path, path)
        found.run(path, *(1,) * used)
    leaves = divided(found.world.usages["root.p"], {MEMORY: excess})
    assert {leaf.queue.name: amount[MEMORY] for leaf, amount in leaves} == parts


@pytest.mark.parametrize(
    ("excess", "stopped"),
    [
        # Every level rounds down, so that fewer stop than the excess.
        (100, [22, 11, 41, 24, 0]),
        (50, [10, 5, 20, 12, 0]),
        (0, [0, 0, 0, 0, 0]),
    ],
)
def test_an_excess_is_divided_among_leaves(excess: int, stopped: list[int]) -> None:
    found = History(lowered(200, 0), 1_000)
    for path, used in LOWERED_USAGE.items():
        found.submit(path, path)
        found.run(path, *(1,) * used)
    found.update(lowered(200, 140 - excess))
    assert found.world.preempt_over_quota() == []
    found.world.now += 1_000
    found.world.preempt_over_quota()
    before = list(LOWERED_USAGE.values())
    after = found.used(*LOWERED_USAGE)
    assert [one - other for one, other in zip(before, after, strict=True)] == stopped
    # Once for each change.
    found.world.now += 1_000
    assert found.world.preempt_over_quota() == []


SINGLE: Final = {"root.p": {"properties": {"quota.preemption.delay": "1s"}}}


def test_pods_over_a_lowered_maximum_never_exceed_the_excess() -> None:
    found = History(lowered(20, 0, SINGLE), 1_000)
    found.submit("app", "root.p")
    found.run("app", 5, 6, 9)
    found.update(lowered(20, 10, SINGLE))
    found.world.now += 1_000
    assert [event.key for event in found.world.preempt_over_quota()] == ["app-0"]
    assert found.used("root.p") == [15]


def test_a_first_maximum_stops_nothing() -> None:
    found = History(SINGLE, 1_000)
    found.submit("app", "root.p")
    found.run("app", 5, 6, 9)
    found.update(lowered(10, 10, SINGLE))
    found.world.now += 1_000
    assert found.world.preempt_over_quota() == []


@pytest.mark.parametrize(
    ("compatibility", "stopped"), [(Compatibility(), "app-0"), (YUNIKORN, "app-1")]
)
def test_originators_over_a_lowered_maximum(compatibility: Compatibility, stopped: str) -> None:
    found = History(lowered(2, 0, SINGLE), 1_000, compatibility)
    found.submit("app", "root.p")
    found.run("app", 1)
    found.run("app", 1, is_originator=True)
    found.update(lowered(2, 1, SINGLE), compatibility)
    found.world.now += 1_000
    assert [event.key for event in found.world.preempt_over_quota()] == [stopped]
