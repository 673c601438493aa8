"""Cost of decisions, measured as the number of nominations instead of seconds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.engine.disciplines.quota import cycle as cycles
from console.engine.disciplines.quota.nominate import QuotaNomination
from console.engine.live.live_tree import AnyQueue
from console.engine.pending.pending_class import Pending
from tests.engine.builders import World, queue

CLASSES = 5


@pytest.fixture
def nominations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that records the workload of each nomination."""
    asked: list[str] = []
    nominate: Callable[..., QuotaNomination] = cycles.nominate

    def counted(
        queue: AnyQueue, pending: Pending, *args: object, **kwargs: object
    ) -> QuotaNomination:
        asked.append(pending.workload.id)
        return nominate(queue, pending, *args, **kwargs)

    monkeypatch.setattr(cycles, "nominate", counted)
    return asked


def crowd(waiting: int) -> World:
    """Return a full queue with *waiting* pending workloads in a few classes, and a second tree."""
    world = World(
        queue("train").owns(gpu=4).within("ml"),
        queue("eval").owns(gpu=0).within("ml"),
        queue("serve").owns("s", gpu=1),
    )
    world.submit("a", "b", "c", "d", gpu=1)
    world.settle()
    for kind in range(CLASSES):
        names = [f"w{kind}-{i}" for i in range(waiting // CLASSES)]
        world.submit(*names, gpu=1, priority=kind)
    world.settle()
    return world


@pytest.mark.parametrize("waiting", [100, 5000])
def test_finish_nominates_the_head_of_each_class_at_most_twice(
    waiting: int, nominations: list[str]
) -> None:
    world = crowd(waiting)
    nominations.clear()
    world.finish("a")
    assert world.settle() == ["w4-0: admitted on any"]
    # Once after the change, and once more in the final pass.
    assert len(nominations) <= 1 + 2 * CLASSES
    assert set(nominations) <= {"w4-0", "w4-1", *(f"w{kind}-0" for kind in range(CLASSES))}


@pytest.mark.parametrize("waiting", [100, 5000])
def test_submission_to_an_inadmissible_class_nominates_none(
    waiting: int, nominations: list[str]
) -> None:
    world = crowd(waiting)
    nominations.clear()
    world.submit("new", gpu=1)
    assert world.settle() == ["new: pending (waiting_for_quota)"]
    assert nominations == []


@pytest.mark.parametrize("waiting", [100, 5000])
def test_submission_of_a_new_class_costs_the_same_for_any_number_pending(
    waiting: int, nominations: list[str]
) -> None:
    world = crowd(waiting)
    nominations.clear()
    world.submit("new", gpu=2)
    assert world.settle() == ["new: pending (waiting_for_quota)"]
    assert len(nominations) <= 2 + CLASSES


def test_events_nominate_no_workload_of_another_tree(nominations: list[str]) -> None:
    world = crowd(100)
    world.submit("s", "t", to="serve", gpu=1)
    world.settle()
    nominations.clear()
    world.finish("s")
    assert world.settle() == ["t: admitted on s"]
    world.withdraw("t")
    world.settle()
    assert set(nominations) <= {"t"}


def test_hold_nominates_no_workload(nominations: list[str]) -> None:
    world = crowd(100)
    nominations.clear()
    assert world.hold("train").settle() == []
    assert not [name for name in nominations if name.startswith("w")]


def test_waiting_preemptors_are_nominated_without_those_behind_them(
    nominations: list[str],
) -> None:
    world = World(queue("train").owns(gpu=4).preempts())
    world.submit("low", gpu=4)
    world.settle()
    world.submit("high", gpu=4, priority=5)
    world.settle()
    world.submit(*(f"w{i}" for i in range(500)), gpu=1)
    world.settle()
    nominations.clear()
    world.release("low")
    assert world.settle()[0] == "high: admitted on any"
    assert set(nominations) <= {"high", "low", "w0"}


def test_labels_are_evaluated_once_for_equal_workloads(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(queue("train").owns(gpu=4))
    world.submit("first", gpu=1)
    world.settle()

    def never(*_: object) -> None:
        pytest.fail("judged again")

    monkeypatch.setattr("console.engine.routing.rule_routing.effective_priority", never)
    world.submit(*(f"w{i}" for i in range(100)), gpu=1)
    assert len(world.settle()) == 100
