"""The line of one queue: classes, their order, their sleep."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from console.engine.decision import Reason
from console.engine.pending import Line, Pending, Verdict, class_key
from console.engine.routing import Route
from console.engine.trace import FailedExpression
from tests.engine.builders import asks, workload

GPU = frozenset({("any", "gpu")})


def waiting(sequence: int, priority: int = 0, gpu: int = 1, **route: object) -> Pending:
    path = Route(queue="train", priority=priority, matches=((None,),), **route)  # type: ignore[arg-type]
    return Pending(workload(f"w{sequence}", sequence, gpu=gpu), asks(gpu=gpu), path)


def drain(line: Line) -> list[str]:
    """Return everybody in order, taking each out."""
    order = []
    while (cls := line.next()) is not None:
        order.append(cls.head.workload.id)
        line.leave(cls.head)
    return order


def test_alike_is_same_request_same_flavors_same_priority_whatever_the_rule() -> None:
    line = Line()
    failed = FailedExpression(key="x", operator="exists")
    alike = [line.join(waiting(1, rule=0), GPU), line.join(waiting(2, rule=1), GPU)]
    assert alike[0] is alike[1]
    for other in (waiting(3, priority=1), waiting(4, gpu=2)):
        assert line.join(other, GPU) is not alike[0]
    assert class_key(Route(queue="a"), {}) != class_key(Route(queue="b"), {})
    assert class_key(Route(matches=((None,),)), {}) != class_key(Route(matches=((failed,),)), {})
    assert class_key(Route(), {"a": 1, "b": 2}) == class_key(Route(), {"b": 2, "a": 1})


def test_an_empty_class_is_forgotten() -> None:
    line = Line()
    one = waiting(1)
    line.join(one, GPU)
    line.leave(one)
    assert (line.classes, len(line), line.next()) == ({}, 0, None)


def test_a_parked_class_sleeps_until_something_it_wants_is_freed() -> None:
    line = Line()
    cls = line.join(waiting(1), GPU)
    cls.verdict = Verdict(Reason.WAITING_FOR_QUOTA)
    assert line.next() is None
    assert not line.wake({("other", "gpu"), ("any", "cpu")})
    assert line.next() is None
    assert line.wake({("any", "gpu")})
    assert line.next() is cls
    assert not line.wake({("any", "gpu")})


def test_a_newcomer_does_not_wake_its_class_and_everything_wakes_on_none() -> None:
    line = Line()
    cls = line.join(waiting(1), GPU)
    cls.verdict = Verdict(Reason.QUEUE_HELD)
    assert line.join(waiting(2), GPU) is cls
    assert line.next() is None
    assert line.wake(None)
    assert drain(line) == ["w1", "w2"]


def test_who_comes_back_takes_the_old_place() -> None:
    line = Line()
    entries = [waiting(sequence) for sequence in (1, 2, 3)]
    for entry in entries:
        line.join(entry, GPU)
    line.leave(entries[0])
    line.leave(entries[1])
    line.join(waiting(1), GPU)
    assert drain(line) == ["w1", "w3"]


joined = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 3), st.integers(1, 2)), unique_by=lambda e: e[0]
)


@given(joined, st.data())
def test_the_order_is_priority_then_submission_whoever_joined_or_left_before(
    rows: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    line = Line()
    here = [waiting(*row) for row in rows]
    for entry in here:
        line.join(entry, GPU)
    for entry in data.draw(st.lists(st.sampled_from(here), unique=True)) if here else []:
        line.leave(entry)
        here.remove(entry)
    here.sort(key=lambda entry: (-(entry.route.priority or 0), entry.workload.sequence))
    assert len(line) == len(here)
    assert [line.position(entry) for entry in here] == list(range(1, len(here) + 1))
    for cls in line.classes.values():
        sequences = [entry.workload.sequence for entry in cls]
        assert sequences == sorted(sequences)
        assert len(cls) == len(sequences)
    assert drain(line) == [entry.workload.id for entry in here]


def test_a_long_class_forgets_who_left() -> None:
    line = Line()
    for sequence in range(1000):
        line.join(waiting(sequence), GPU)
    assert drain(line) == [f"w{sequence}" for sequence in range(1000)]
