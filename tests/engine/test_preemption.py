"""Preemption within a queue: who has to stop, by the worked examples and by its laws."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.flavors import Books
from console.engine.disciplines.quota.preemption import (
    LISTED,
    Preemptor,
    describe_search,
    find_targets,
)
from console.engine.ledger import Ledger
from console.engine.running import Running, RunningLine
from console.engine.trace import CandidateVerdict, PreemptionVerdict
from tests.engine.builders import QueueBuilder, World, policy, queue, workload

KEY = ("any", "gpu")


@dataclass
class Scene:
    """A queue with running workloads, in the order of reservations, and its books."""

    books: Books
    line: RunningLine

    @classmethod
    def of(cls, owner: QueueBuilder, running: list[tuple[str, int, int]]) -> Scene:
        """Let (name, amount, priority) run in the queue."""
        world = policy(owner)
        scene = cls(Books(Ledger(world), Ledger(world)), RunningLine())
        for reservation, (name, amount, priority) in enumerate(running):
            each = Running(
                workload=workload(name, reservation, gpu=amount),
                queue="train",
                priority=priority,
                assignment={"gpu": "any"},
                usage={KEY: amount},
                reservation=reservation,
            )
            scene.line.add(each)
            scene.books.now.add("train", each.usage)
            scene.books.expected.add("train", each.usage)
        return scene


def preemptor(owner: QueueBuilder, amount: int, priority: int) -> Preemptor:
    return Preemptor(owner.build(), priority, {KEY: amount}, frozenset((KEY,)))


def train(nominal: int) -> QueueBuilder:
    return queue("train").owns(gpu=f"{nominal / 1000}").preempts()


@pytest.mark.parametrize(
    ("case", "nominal", "running", "amount", "priority", "targets"),
    [
        ("P1", 6, [("w0", 3, 0), ("w1", 2, 1), ("w5", 1, 5)], 2, 3, ["w0"]),
        ("P2", 4, [("b", 3, 0), ("a", 1, 0)], 3, 3, ["b"]),
        ("P2b", 6, [("a", 2, 0), ("b", 1, 1), ("c", 3, 2)], 4, 3, ["a", "c"]),
        ("latest reservation first", 4, [("a", 2, 0), ("b", 2, 0)], 2, 1, ["b"]),
        ("equal priority is safe", 4, [("a", 4, 1)], 2, 1, []),
        ("not enough in sight", 4, [("a", 2, 5), ("b", 2, 0)], 3, 1, []),
        ("nothing to stop", 4, [], 5, 1, []),
    ],
)
def test_worked_examples(
    case: str,
    nominal: int,
    running: list[tuple[str, int, int]],
    amount: int,
    priority: int,
    targets: list[str],
) -> None:
    scene = Scene.of(train(nominal), running)
    found = find_targets(scene.books, scene.line, preemptor(train(nominal), amount, priority))
    assert sorted(each.workload.id for each in found) == targets, case


def test_nobody_is_stopped_where_the_queue_does_not_preempt() -> None:
    never = queue("train").owns(gpu="0.004")
    scene = Scene.of(never, [("a", 4, 0)])
    asked = preemptor(never, 2, 9)
    assert find_targets(scene.books, scene.line, asked) == ()
    step = describe_search(scene.line, asked, ())
    assert (step.rule, step.verdict) == ("never", PreemptionVerdict.NOT_ALLOWED)


def test_the_search_says_of_everybody_why() -> None:
    scene = Scene.of(train(8), [("low", 2, 0), ("lower", 2, -1), ("equal", 2, 3), ("gone", 2, 0)])
    next(each for each in scene.line if each.workload.id == "gone").departing = True
    scene.books.expected.remove("train", {KEY: 2})
    asked = preemptor(train(8), 4, 3)
    found = find_targets(scene.books, scene.line, asked)
    step = describe_search(scene.line, asked, found)
    assert (step.verdict, step.more_candidates) == (PreemptionVerdict.FOUND, 0)
    assert [(each.workload, each.verdict, each.frees) for each in step.candidates] == [
        ("lower", CandidateVerdict.TARGET, {"any/gpu": 2}),
        ("gone", CandidateVerdict.DEPARTING, {"any/gpu": 2}),
        ("low", CandidateVerdict.NOT_NEEDED, {"any/gpu": 2}),
        ("equal", CandidateVerdict.PRIORITY_NOT_LOWER, {"any/gpu": 2}),
    ]


def test_a_long_search_lists_the_first_and_counts_the_rest() -> None:
    scene = Scene.of(train(30), [(f"w{i}", 1, 0) for i in range(30)])
    asked = preemptor(train(30), 99, 1)
    step = describe_search(scene.line, asked, find_targets(scene.books, scene.line, asked))
    assert step.verdict is PreemptionVerdict.NOT_ENOUGH
    assert (len(step.candidates), step.more_candidates) == (LISTED, 30 - LISTED)
    assert {each.verdict for each in step.candidates} == {CandidateVerdict.NOT_ENOUGH}


def test_who_holds_nothing_that_is_short_is_left_alone() -> None:
    world = World(queue("train").owns("a100", gpu=2).and_apart().owns("node", cpu=4).preempts())
    world.submit("cpu-only", cpu=4).submit("gpus", gpu=2)
    world.settle()
    world.submit("high", gpu=1, priority=1)
    assert world.settle() == ["gpus: preempted by high", "high: waits for gpus to stop"]
    step = world.decisions[1].trace.preemption
    assert step is not None
    assert {each.workload: each.verdict for each in step.candidates} == {
        "gpus": CandidateVerdict.TARGET,
        "cpu-only": CandidateVerdict.OTHER_CAPACITY,
    }


def test_a_free_flavor_is_better_than_stopping_somebody() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=10).preempts())
    world.submit("low", gpu=3)
    world.settle()
    world.submit("high", gpu=3, priority=5)
    assert world.settle() == ["high: admitted on od"]


def test_stopping_somebody_is_better_than_waiting_on_an_earlier_flavor() -> None:
    world = World(queue("train").owns("spot", gpu=4).owns("od", gpu=4).preempts())
    world.submit("firm", gpu=4, priority=9).submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    assert world.settle() == ["low: preempted by high", "high: waits for low to stop"]
    world.release("low")
    assert world.settle() == ["high: admitted on od", "low: pending (waiting_for_quota)"]


scenes = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=7).map(
    lambda rows: [(f"w{i}", amount, priority) for i, (amount, priority) in enumerate(rows)]
)


@given(
    running=scenes, free=st.integers(0, 2), amount=st.integers(1, 12), priority=st.integers(0, 4)
)
def test_targets_are_of_lower_priority_enough_and_none_too_many(
    running: list[tuple[str, int, int]], free: int, amount: int, priority: int
) -> None:
    nominal = sum(each[1] for each in running) + free
    scene = Scene.of(train(nominal), running)
    before = dict(scene.books.expected.queue("train").usage)
    targets = find_targets(scene.books, scene.line, preemptor(train(nominal), amount, priority))
    assert scene.books.expected.queue("train").usage == before
    freed = [each.usage[KEY] for each in targets]
    within_reach = free + sum(size for _, size, rank in running if rank < priority)
    if amount <= free or amount > within_reach:
        assert amount <= free or targets == ()
        return
    assert all(each.priority < priority for each in targets)
    assert free + sum(freed) >= amount
    # With any one of them back there is not enough room.
    assert all(free + sum(freed) - each < amount for each in freed)
