"""The pending queue: classes, their order, and inadmissible classes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.policy import Strategy
from console.engine.model.route import Route
from console.engine.model.workload import PodSet
from console.engine.pending.eligibility import Eligibility
from console.engine.pending.pending_class import Pending, class_key
from console.engine.pending.pending_queue import PendingQueue
from console.engine.routing.reasons import NAMESPACE_NOT_ALLOWED
from tests.engine.builders import pods, workload


def waiting(
    sequence: int,
    priority: int = 0,
    gpu: int = 1,
    *pod_sets: PodSet,
    is_excluded: bool = False,
    **route: object,
) -> Pending:
    path = {"queue": "train", "priority": priority} | route
    asked = workload(f"w{sequence}", sequence, *pod_sets, gpu=gpu)
    return Pending(
        asked,
        Route(**path),  # type: ignore[arg-type]
        Eligibility(alike=tuple(((not is_excluded,),) for _ in asked.pod_sets)),
    )


def drain(line: PendingQueue) -> list[str]:
    """Remove all workloads in order, and return their names."""
    order = []
    while (head := line.head()) is not None:
        order.append(head.workload.id)
        line.leave(head)
    return order


def test_alike_is_same_request_same_flavors_same_priority_whatever_the_rule() -> None:
    line = PendingQueue()
    first = line.join(waiting(1, rule=0))
    assert line.join(waiting(2, rule=1)) is first
    for other in (
        waiting(3, priority=1),
        waiting(4, gpu=2),
        waiting(5, is_excluded=True),
        waiting(6, 0, 1, pods("main", 2, gpu=1)),
        waiting(7, 0, 1, pods("main", 2, at_least=1, gpu=1)),
        waiting(8, problem=NAMESPACE_NOT_ALLOWED),
    ):
        assert line.join(other) is not first
    assert len(line.classes) == 7
    assert class_key(waiting(1)) != class_key(waiting(1, queue="serve"))


def test_an_empty_class_is_forgotten() -> None:
    line = PendingQueue()
    one = waiting(1)
    line.join(one)
    line.leave(one)
    assert (line.classes, len(line), line.head()) == ({}, 0, None)


def test_inadmissible_class_is_skipped_until_requeue() -> None:
    line = PendingQueue()
    cls = line.join(waiting(1))
    other = line.join(waiting(2, gpu=2))
    line.set_inadmissible(cls)
    assert line.head() is other.head
    line.set_inadmissible(other)
    assert line.head() is None
    line.requeue_all()
    assert drain(line) == ["w1", "w2"]


def test_submission_does_not_requeue_its_class() -> None:
    line = PendingQueue()
    cls = line.join(waiting(2))
    line.set_inadmissible(cls)
    assert line.join(waiting(1)) is cls
    assert line.head() is None
    line.requeue(cls)
    assert drain(line) == ["w1", "w2"]


def test_new_class_is_a_head_if_all_others_are_inadmissible() -> None:
    line = PendingQueue()
    cls = line.join(waiting(1))
    line.join(waiting(2, priority=3))
    line.set_all_inadmissible()
    assert line.head() is None
    newcomer = waiting(3, gpu=2)
    line.join(newcomer)
    assert line.head() is newcomer
    line.requeue(cls)
    assert drain(line) == ["w1", "w3"]


def test_requeue_skips_workloads_that_need_another_policy() -> None:
    line = PendingQueue()
    cls = line.join(waiting(1, problem=NAMESPACE_NOT_ALLOWED))
    line.set_inadmissible(cls)
    line.requeue_all()
    assert line.head() is None


def test_the_sticky_one_goes_first_unless_the_line_is_strict() -> None:
    for strategy, order in (
        (Strategy.BEST_EFFORT_FIFO, ["w2", "w1", "w3"]),
        (Strategy.STRICT_FIFO, ["w1", "w2", "w3"]),
    ):
        line = PendingQueue(strategy)
        entries = [waiting(1, priority=9), waiting(2), waiting(3)]
        for entry in entries:
            line.join(entry)
        line.sticky = entries[1]
        assert drain(line) == order
        assert line.sticky is None


def test_returning_workload_keeps_its_position() -> None:
    line = PendingQueue()
    entries = [waiting(sequence) for sequence in (1, 2, 3)]
    for entry in entries:
        line.join(entry)
    line.leave(entries[0])
    line.leave(entries[1])
    line.join(waiting(1))
    assert drain(line) == ["w1", "w3"]


joined = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 3), st.integers(1, 2)), unique_by=lambda e: e[0]
)


@given(joined, st.data())
def test_the_order_is_priority_then_submission_whoever_joined_or_left_before(
    rows: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    line = PendingQueue()
    here = [waiting(*row) for row in rows]
    for entry in here:
        line.join(entry)
    for entry in data.draw(st.lists(st.sampled_from(here), unique=True)) if here else []:
        line.leave(entry)
        here.remove(entry)
    here.sort(key=lambda entry: (-entry.priority, entry.workload.sequence))
    assert len(line) == len(here)
    assert [line.position(entry) for entry in here] == list(range(1, len(here) + 1))
    for cls in line.classes.values():
        sequences = [entry.workload.sequence for entry in cls]
        assert sequences == sorted(sequences)
        assert len(cls) == len(sequences)
    assert drain(line) == [entry.workload.id for entry in here]


@given(joined, st.data())
def test_only_inadmissible_workloads_are_skipped(
    rows: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    line = PendingQueue()
    here = [waiting(*row) for row in rows]
    for entry in here:
        line.join(entry)
    asleep: set[str] = set()
    for verb in data.draw(st.lists(st.sampled_from(["park", "all", "wake", "again"]), max_size=6)):
        keys = sorted(line.classes)
        if verb == "wake":
            line.requeue_all()
            asleep.clear()
        elif verb == "all":
            line.set_all_inadmissible()
            asleep.update(keys)
        elif keys:
            key = data.draw(st.sampled_from(keys))
            if verb == "park":
                line.set_inadmissible(line.classes[key])
                asleep.add(key)
            else:
                line.requeue(line.classes[key])
                asleep.discard(key)
    active = [entry for entry in here if entry.class_key not in asleep]
    active.sort(key=lambda entry: (-entry.priority, entry.workload.sequence))
    assert drain(line) == [entry.workload.id for entry in active]


def test_long_class_drops_removed_workloads() -> None:
    line = PendingQueue()
    for sequence in range(1000):
        line.join(waiting(sequence))
    assert drain(line) == [f"w{sequence}" for sequence in range(1000)]
